import t from 'tap'
import { launch } from '../browser.ts'
import { household, library, playedTo, visit } from './helper.ts'

const browser = await launch(t)

/** What stands beside each other, and must not overlap. */
const neighbours = [
  '.row', '.row-text', '.row-heading', '.row-controls', '.view-head', '.view-head .actions', '.hero .actions',
  '.sorting', '.player', '.player-track', '.top'
]

const titles = ['Prelude in C', 'Sonata for a small orchestra in C sharp minor, op. 27: 3. Presto agitato']
/** As many as make the longest heading, with titles of one line and of many. */
const many = <T extends object>(track: T) => Array.from({ length: 4000 }, (_empty, at) =>
  ({ ...track, id: `t${at}`, title: at === 1 ? 'Noon Song' : titles[at % 2]!, durationMs: 240_000 }))

/** Describes each two of them that overlap by more than a pixel, and what is not inside of the window. */
function look (selectors: readonly string[]): string[] {
  const name = (element: Element) => `${element.tagName}.${element.className} “${element.textContent?.slice(0, 20)}”`
  const boxOf = (element: Element) => element.getBoundingClientRect()
  const isSeen = (element: Element) => {
    const { width, height } = boxOf(element)
    return width > 2 && height > 2 && getComputedStyle(element).position !== 'absolute'
  }
  const wrong: string[] = []
  for (const parent of selectors.flatMap(selector => [...document.querySelectorAll(selector)])) {
    const parts = [...parent.children].filter(isSeen)
    for (const [at, one] of parts.entries()) {
      for (const other of parts.slice(at + 1)) {
        const [a, b] = [boxOf(one), boxOf(other)]
        const isOver = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1
        if (isOver) wrong.push(`${name(one)} is over ${name(other)}`)
      }
      const hasHeight = parent.matches('.row, .row-heading')
      if (hasHeight && boxOf(one).height > boxOf(parent).height + 1) wrong.push(`${name(one)} is higher than its row`)
      if (boxOf(one).right > innerWidth + 1 || boxOf(one).left < -1) wrong.push(`${name(one)} leaves the window`)
    }
  }
  const { scrollWidth } = document.documentElement
  const main = document.getElementById('main')!
  if (scrollWidth > innerWidth || main.scrollWidth > main.clientWidth) wrong.push('it scrolls sideways')
  const pause = [...document.querySelectorAll('[aria-label="Pause"]')].find(isSeen)!
  const { left, top, width, height } = boxOf(pause)
  const hit = document.elementFromPoint(left + width / 2, top + height / 2)
  if (!pause.contains(hit)) wrong.push('Pause cannot be pressed')
  return wrong
}

for (const [width, height] of [[320, 568], [390, 844], [667, 375], [768, 1024], [1440, 900]] as const) {
  t.test(`in ${width} × ${height} px no view scrolls sideways, Pause can be pressed, and nothing is over another`, t =>
    visit(t, browser, {
      library,
      page: { household },
      browser: { viewport: { width, height } },
      adapter: base => ({ getDailyTracks: async () => many(await base.getTrackDetail('t0')) })
    }, async ({ page, open, row }) => {
      await open('/daily')
      await row('Noon Song').locator('.title').click()
      await playedTo(page, 0.1)
      for (const address of [
        '/', '/search/song', '/daily', '/albums', '/artists', '/genres', '/playlists', '/playlist/p0', '/toplists',
        '/toplist/c0', '/library', '/library/playlists', '/queue', '/history', '/album/b0', '/artist/a0', '/sources',
        '/household', '/household/kim', '/playing'
      ]) {
        await open(address)
        t.strictSame(await page.evaluate(look, neighbours), [], address)
      }
    }))
}
