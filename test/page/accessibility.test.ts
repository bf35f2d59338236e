import { readFile } from 'node:fs/promises'
import t from 'tap'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import type { Page } from 'playwright-core'
import { launch } from '../browser.ts'
import {
  holdFrames, household, library, nextFrames, playedTo, playerOf, position, smallLibrary, token, visit, wide, widths
} from './helper.ts'

const browser = await launch(t)
const accounts = createAccounts({ store: memoryAccountStore(), secret: Buffer.alloc(32, 1) })
const appPasswords = { ...accounts, find: () => ({ id: 'ann', tokenId: 'a token' }) }
const axe = await readFile('node_modules/axe-core/axe.min.js', 'utf8')

/** What axe-core finds wrong, in short. */
async function violations (page: Page, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axe)
  const found: any = await page.evaluate(
    `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...(rules ? { runOnly: rules } : { rules: { 'target-size': { enabled: true } } }) })})`
  )
  return found.violations.flatMap(({ id, nodes }: any) =>
    nodes.map(({ target, failureSummary }: any) => `${id} ${target} ${failureSummary}`))
}

const views = [
  '/', '/albums', '/search', '/search/noon', '/search/noon?in=albums', '/daily', '/new', '/playlists', '/playlists/day',
  '/playlist/p0', '/toplists', '/toplist/c0',
  '/artists', '/artist/a0', '/artist/a0?show=albums', '/album/b0', '/album/gone', '/library', '/library/playlists',
  '/queue', '/history', '/playing', '/sources', '/household', '/household/kim', '/source'
]

// Both have the same elements: in the dark only the colours are others.
for (const [colorScheme, rules] of [['light', undefined], ['dark', ['color-contrast']]] as const) {
  t.test(`axe-core finds nothing wrong in any view, ${colorScheme}`, t => visit(t, browser, {
    library: smallLibrary,
    page: { docs: true, appPasswords, household },
    browser: { colorScheme },
    adapter: () => ({
      getTrackLyrics: () => ({ lyrics: '[00:00.00]One\n[00:09.00]Two' }),
      startScan: () => ({ scanning: false, count: 8 })
    })
  }, async ({ page, open }) => {
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('button', { name: /^Play all: Today/ }).click()
    await playedTo(page, 0.1)
    await playerOf(page).pause.click()
    for (const view of views) {
      await open(view)
      t.strictSame(await violations(page, rules), [], view)
    }
    await open('/daily')
    await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
    t.strictSame(await violations(page, rules), [], 'the menu of a track')
    await open('/sources')
    await page.getByLabel('Name of the app').fill('phone')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'phone' }).waitFor()
    t.strictSame(await violations(page, rules), [], 'an app password')
    await open('/household/kim')
    await page.getByRole('button', { name: 'New link' }).click()
    await page.getByRole('dialog', { name: 'kim' }).waitFor()
    t.strictSame(await violations(page, rules), [], 'a link')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove kim' }).click()
    await page.getByRole('dialog', { name: 'Remove kim' }).waitFor()
    t.strictSame(await violations(page, rules), [], 'the removal of an account')
  }))
}

t.test('axe-core finds nothing wrong where the token is asked for', t => visit(t, browser, {
  fragment: ''
}, async ({ page }) => {
  await page.getByLabel('Token').fill('wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  t.strictSame(await violations(page), [])
}))

t.test('axe-core finds nothing wrong on a phone', t => visit(t, browser, {
  browser: { viewport: { width: 360, height: 740 } }
}, async ({ page, open }) => {
  await page.getByRole('button', { name: /^Play all: Today/ }).click()
  for (const view of ['/', '/daily', '/album/b0', '/playing', '/queue', '/source']) {
    await open(view)
    t.strictSame(await violations(page), [], view)
  }
}))

t.test('a track is found and played with the keyboard alone', t => visit(t, browser, {
  fragment: ''
}, async ({ page }) => {
  const focused = () =>
    page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent')
  await page.getByLabel('Token').waitFor()
  await page.keyboard.type(token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('noon song')
  await page.locator('.row', { hasText: 'Noon Song 5' }).waitFor()
  for (let presses = 0; await focused() !== 'Play Noon Song 1' && presses < 40; presses++) {
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('ArrowDown')
  await page.waitForFunction(() =>
    document.activeElement!.getAttribute('aria-label') === 'Play Noon Song 5')
  await page.keyboard.press('Enter')
  await playerOf(page).titled('Noon Song 5').waitFor()
  await playedTo(page, 0.2)
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'Bela Quartet')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Bela Quartet' }).waitFor()
  t.match(await focused(), 'Bela Quartet', 'the heading of the new view has the focus')
  await page.keyboard.press(' ')
  await playerOf(page).play.waitFor()
}))

t.test('Enter right after an arrow plays the row that the arrow went to', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    await holdFrames(page)
    await go('/daily')
    await page.getByRole('button', { name: 'Play Morning Song 4' }).focus()
    await page.evaluate('held = true')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await playerOf(page).title.waitFor()
    t.equal(await playerOf(page).title.textContent(), 'Noon Song 5')
  }))

t.test('a dialog gives the focus back when it is closed', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/daily')
  const more = page.getByRole('button', { name: 'More for Noon Song 5' })
  await more.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  t.match(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'More for Noon Song 5')
}))

t.test('nothing is wider than a narrow screen, and everything can be reached', t => visit(t, browser, {
  library, page: { household }, browser: { viewport: { width: 320, height: 640 } }
}, async ({ page, open, go }) => {
  await page.getByRole('button', { name: /^Play all: Today/ }).click()
  for (const view of views) {
    await open(view)
    t.ok(await page.evaluate(
      'document.getElementById("main").scrollWidth <= innerWidth && document.documentElement.scrollWidth <= innerWidth'
    ), view)
  }
  await go('/')
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('link', { name: 'Open Now playing' }).click()
  await page.locator('.now-controls').getByRole('slider', { name: 'Position' }).waitFor()
}))

t.test('the space bar opens what it is pressed on, and plays or pauses once however long it is held', t =>
  visit(t, browser, {}, async ({ page, go, open }) => {
    await open('/source')
    await page.locator('summary').first().press(' ')
    await page.locator('details[open]').waitFor()
    await go('/daily')
    await page.getByRole('button', { name: 'Play Noon Song 5' }).click()
    await playedTo(page, 0.1)
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.down(' ')
    await page.keyboard.down(' ')
    await page.keyboard.up(' ')
    await playerOf(page).play.waitFor()
  }))

t.test('in the queue the focus goes with a track that is moved, and stays in the list when the last is taken out', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    const focused = (label: string) => page.waitForFunction(
      label => document.activeElement!.getAttribute('aria-label') === label, label)
    await go('/daily')
    await page.getByRole('button', { name: 'Play Morning Song 4' }).click()
    await go('/queue')
    await page.getByRole('button', { name: 'Move Night Song 7 up' }).press('Enter')
    await focused('Move Night Song 7 up')
    await page.keyboard.press('Enter')
    await focused('Move Night Song 7 up')
    t.strictSame(await page.locator('.row .title').allTextContents(), [
      'Morning Song 4', 'Night Song 7', 'Noon Song 5', 'Evening Song 6', 'Morning Song 8'
    ])
    await page.getByRole('button', { name: 'Remove Morning Song 8 from queue' }).press('Enter')
    await focused('Remove Evening Song 6 from queue')
  }))

t.test('in the queue a track is moved by each press, and the focus stays where one goes right after', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    await holdFrames(page)
    await go('/daily')
    await page.getByRole('button', { name: 'Play Morning Song 4' }).click()
    await go('/queue')
    await page.getByRole('button', { name: 'Move Night Song 7 up' }).focus()
    await page.evaluate('held = true')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    t.strictSame(await page.locator('.row .title').allTextContents(), [
      'Morning Song 4', 'Night Song 7', 'Noon Song 5', 'Evening Song 6', 'Morning Song 8'
    ])
    await page.getByRole('button', { name: 'Remove Noon Song 5 from queue' }).click()
    await page.getByRole('searchbox').click()
    await page.evaluate('release()')
    t.equal(await page.evaluate('document.activeElement.type'), 'search')
  }))

t.test('the key of the queue is one step in the history however often it is pressed', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    await go('/daily')
    const before = await page.evaluate<number>('history.length')
    await page.keyboard.press('q')
    // A busy machine handles the key late.
    await page.waitForFunction(length => history.length === length, before + 1)
    await page.keyboard.press('q')
    t.equal(await page.evaluate('history.length'), before + 1)
  }))

for (const width of widths) {
  t.test(`the space bar plays and pauses whatever of the music was clicked last, and presses what one came to by keyboard, ${width} px`, t =>
    visit(t, browser, { browser: wide(width) }, async ({ page, go }) => {
      const main = page.locator(width < 720 ? '.player-compact .play-main' : '.player-center .play-main')
      const says = async (name: string) => page.waitForFunction(
        ([element, name]) => (element as any).ariaLabel === name, [await main.elementHandle(), name] as const
      )
      await go('/daily')
      await page.getByRole('button', { name: 'Play Noon Song 5' }).click()
      await playedTo(page, 1)
      await page.keyboard.press(' ')
      await says('Play')
      t.ok(await position(page) >= 1, 'the track did not start anew')
      const heart = page.getByRole('button', { name: 'Favourite: Noon Song 5' }).first()
      await heart.click()
      await page.keyboard.press(' ')
      await says('Pause')
      t.equal(await heart.getAttribute('aria-pressed'), 'true')
      await playerOf(page).next.locator('visible=true').click()
      await page.keyboard.press(' ')
      await says('Play')
      t.equal(await playerOf(page).title.textContent(), 'Evening Song 6')
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press(' ')
      await playerOf(page).titled('Night Song 7').waitFor()
    }))
}

for (const width of widths) {
  t.test(`keys seek, change the volume and the track, and list themselves, but never while one types, ${width} px`, t =>
    visit(t, browser, { browser: wide(width) }, async ({ page, go, sees }) => {
      const title = (name: string) => playerOf(page).titled(name).waitFor()
      const isTitle = (title: string) =>
        page.waitForFunction(title => document.title === title, title)
      const sounds = (expected: readonly unknown[]) => page.waitForFunction(expected => {
        const field = document.querySelector<HTMLInputElement>('.player .volume input')!
        const button = document.querySelector('.player .volume button')!
        return String([Number(field.value), button.ariaPressed]) === String(expected)
      }, expected)
      await go('/daily')
      await page.keyboard.press('ArrowRight')
      await nextFrames(page)
      t.equal(await page.locator('.player .seek input').inputValue(), '0', 'nothing moves where nothing is chosen')
      await page.getByRole('button', { name: 'Play Noon Song 5' }).click()
      await playedTo(page, 0.1)
      await page.keyboard.press('ArrowRight')
      await page.waitForFunction(() =>
        Number(document.querySelector<HTMLInputElement>('.player .seek input')!.value) >= 5)
      await page.keyboard.press('ArrowLeft')
      await page.waitForFunction(() =>
        Number(document.querySelector<HTMLInputElement>('.player .seek input')!.value) < 5)
      await page.keyboard.press('-')
      await page.keyboard.press('-')
      await page.keyboard.press('+')
      await sounds([0.9, 'false'])
      await page.keyboard.press('m')
      await sounds([0, 'true'])
      await page.keyboard.press('n')
      await title('Evening Song 6')
      await page.keyboard.press('p')
      await title('Noon Song 5')
      await page.keyboard.press('f')
      await page.locator('.player .heart.on').waitFor()
      await page.keyboard.press('t')
      t.equal(await page.evaluate('document.activeElement.className.split(" ")[0]'), 'play-main')
      await page.keyboard.press('?')
      await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
      await page.getByLabel('Single-key shortcuts').uncheck()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.keyboard.press('n')
      await page.keyboard.press(' ')
      await page.waitForFunction(() => document.querySelector('.play-main')!.ariaLabel === 'Play')
      await title('Noon Song 5')
      await go('/sources')
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
      await page.getByLabel('Single-key shortcuts').check()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.locator('#search').focus()
      await page.keyboard.type('n?mq noon')
      t.equal(await page.locator('#search').inputValue(), 'n?mq noon')
      await title('Noon Song 5')
      await page.getByRole('heading', { level: 1 }).focus()
      await page.keyboard.press('q')
      await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor()
      await isTitle('Queue – Test source')
      await go('/album/b0')
      await sees('12 min')
      await isTitle('Morning Music – Test source')
    }))
}

t.test('after a check box or a choice was used, single keys are those of the player again', t => visit(t, browser, {
  library: smallLibrary
}, async ({ page, open }) => {
  const mute = playerOf(page).button('Mute')
  const isMuted = (state: boolean) => page.locator(`.player .volume [aria-pressed="${state}"]`).waitFor()
  await open('/queue')
  await page.getByLabel('Keep playing similar tracks').click()
  await page.keyboard.press('m')
  await isMuted(true)
  await open('/albums')
  const choice = page.getByLabel('Sort by')
  await choice.click()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('m')
  await isMuted(false)
  await mute.focus()
  await choice.focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('m')
  await nextFrames(page)
  t.equal(await mute.getAttribute('aria-pressed'), 'false', 'letters choose an option for who came by keyboard')
}))

t.test('the page has the text size of the browser, and its rows the height for it', t => visit(t, browser, {
}, async ({ page, open }) => {
  const client = await page.context().newCDPSession(page)
  await client.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  await page.reload()
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await open('/daily')
    const size = (selector: string) =>
      page.locator(selector).first().evaluate(element => Number.parseFloat(getComputedStyle(element).fontSize))
    t.equal(await size('.row .title'), 30)
    t.ok(await size('.sidebar li:not(.minor) span') >= 24)
    const tops = await page.locator('.row').evaluateAll(rows => rows.map(row => row.getBoundingClientRect().top))
    t.ok(tops[1]! - tops[0]! >= 88 && await page.locator('.row .title').first().evaluate(
      title => title.getBoundingClientRect().bottom <= title.closest('.row')!.getBoundingClientRect().bottom
    ), 'rows are not cut')
  }
}))

t.test('at 400 % zoom with music a list has half of the height, and every view can be gone to', t => visit(t, browser, {
  library, browser: { viewport: { width: 360, height: 225 } }
}, async ({ page, go, row }) => {
  await go('/daily')
  await row('Noon Song 5').locator('.title').click()
  await playedTo(page, 0.1)
  t.ok(await page.evaluate('document.getElementById("main").clientHeight >= innerHeight / 2'))
  for (const name of ['Albums', 'Artists', 'Playlists', 'Queue']) {
    if (name !== 'Queue') await page.locator('.sidebar').getByRole('link', { name: 'My music', exact: true }).click()
    await page.locator(name === 'Queue' ? '.sidebar' : '.places').getByRole('link', { name, exact: true }).click()
    await page.waitForFunction(() => document.getElementById('main')!.querySelector('h1'))
  }
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  t.strictSame(await violations(page), [])
}))

for (const width of widths) {
  t.test(`the bar leads to albums, artists and playlists, where one finds one's own too, ${width} px`, t =>
    visit(t, browser, { library, browser: wide(width) }, async ({ page, go, sees }) => {
      await go('/library/playlists')
      await page.getByRole('button', { name: 'New playlist' }).click()
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('  ')
      await page.keyboard.press('Enter')
      t.ok(
        await page.getByLabel('Name').evaluate(field => (field as HTMLInputElement).validity.patternMismatch),
        'the page says that a name is needed'
      )
      await page.getByLabel('Name').fill('Mine')
      await page.keyboard.press('Enter')
      await sees('“Mine” was created')
      const isPhone = width < 720
      if (isPhone) t.equal(await page.locator('.sidebar').getByRole('link').count(), 4)
      for (const name of ['Albums', 'Artists', 'Playlists']) {
        if (isPhone) await page.locator('.sidebar').getByRole('link', { name: 'My music', exact: true }).click()
        await page.locator(isPhone ? '.places' : '.sidebar').getByRole('link', { name, exact: true }).click()
      }
      await page.getByRole('main').getByRole('list', { name: 'My playlists' }).getByText('Mine').waitFor()
      await page.getByRole('searchbox').fill('noon')
      await page.locator('.row', { hasText: 'Noon Song 5' }).waitFor()
      await page.getByRole('searchbox').fill('')
      await sees('What do you want to listen to?')
      t.equal(await page.locator('.row').count(), 0)
    }))

  t.test(`one tab is heard at a time, a long artist leaves the heart its place, and after the last track there is no next one, ${width} px`, t =>
    visit(t, browser, {
      browser: wide(width),
      adapter: base => ({
        getDailyTracks: async () => (await base.getDailyTracks()).map(track =>
          ({ ...track, artists: track.artists.map(artist => ({ ...artist, name: 'A long name '.repeat(20) })) }))
      })
    }, async ({ page, go, row, served }) => {
      const other = await page.context().newPage()
      await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
      await other.goto(`${served.origin}/#/daily`)
      await other.getByRole('button', { name: 'Play Noon Song 5' }).click()
      await playedTo(other, 0.1)
      await go('/daily')
      await row('Morning Song 8').locator('.title').click()
      await playedTo(page, 0.1)
      await other.waitForFunction(() => document.querySelector('.play-main')!.ariaLabel === 'Play')
      t.equal(await playerOf(other).title.textContent(), 'Noon Song 5')
      t.ok(await page.locator('.player .heart').evaluate(heart =>
        heart.getBoundingClientRect().right <= heart.closest('.player-track')!.getBoundingClientRect().right + 1))
      t.ok(await playerOf(page).next.locator('visible=true').isDisabled())
      await other.close()
    }))
}

for (const width of widths) {
  t.test(`Back focuses the card, row or link that one came from, ${width} px`, t => visit(t, browser, {
    library, browser: wide(width)
  }, async ({ page, open }) => {
    const comesBack = async (address: string, selector: string) => {
      await open(address)
      const from = page.locator(selector).first()
      await from.scrollIntoViewIfNeeded()
      const href = await from.getAttribute('href')
      await from.focus()
      await page.keyboard.press('Enter')
      await page.waitForFunction(href => location.hash === href && document.activeElement?.tagName === 'H1', href)
      await page.goBack()
      await page.waitForFunction(href => document.activeElement?.getAttribute('href') === href, href)
      t.ok(await page.locator(selector).first().isVisible(), `${selector} of ${address}`)
    }
    await comesBack('/', '.today a, .card > a')
    await comesBack('/albums', '.card:nth-child(9) > a')
    await comesBack('/daily', '.row[data-index="2"] .artists a')
    await comesBack('/search/noon?in=albums', '.card > a')
  }))
}
