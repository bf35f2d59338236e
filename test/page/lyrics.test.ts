import t from 'tap'
import type { Page } from 'playwright-core'
import { laterDictionary as dictionary } from '../../lib/page/browser/texts/later-dictionary.ts'
import { launch } from '../browser.ts'
import { nextFrames, playedTo, playerOf, visit } from './helper.ts'

const browser = await launch(t)
const play = { name: 'Play Morning Song 4', exact: true }

t.test('lyrics follow what is heard, word by word, with their translation', t => visit(t, browser, {
  adapter: () => ({
    getTrackLyrics: () => ({
      lyrics: '[00:00.00]One two\n[00:08.00]Three four\n[00:11.00]Five',
      wordLyrics: '[00:00.00]<00:00.00>One <00:04.00>two\n' +
        '[00:08.00]<00:08.00>Three <00:09.50>four\n[00:11.00]<00:11.00>Five',
      translatedLyrics: '[00:00.00]Eins zwei\n[00:08.00]Drei vier'
    })
  })
}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play).click()
  await go('/playing')
  const line = page.locator('.lyrics [aria-current]')
  await line.filter({ hasText: 'One two' }).filter({ hasText: 'Eins zwei' }).waitFor()
  await page.locator('.lyrics button', { hasText: 'Three' }).click()
  await line.filter({ hasText: 'Three four' }).waitFor()
  await page.locator('.word.sung', { hasText: 'Three' }).waitFor()
  await page.locator('.word.sung', { hasText: 'four' }).waitFor()
  await line.filter({ hasText: 'Five' }).waitFor()
}))

t.test('lyrics stay where somebody reads, and follow again after 5 seconds or by a button', t => visit(t, browser, {
  adapter: () => ({
    getTrackLyrics: () =>
      ({ lyrics: Array.from({ length: 60 }, (_, line) => `[00:${(line / 2).toFixed(2)}]Line ${line} of the song`).join('\n') })
  })
}, async ({ page, go }) => {
  await page.clock.install()
  await go('/daily')
  await page.getByRole('button', play).click()
  await go('/playing')
  const lyrics = page.locator('.lyrics')
  const follow = page.getByRole('button', { name: dictionary.follow[0] })
  const line = (at: number) => page.locator('.lyrics [aria-current]', { hasText: `Line ${at} ` })
  const isInSight = () => page.waitForFunction(() => {
    const line = document.querySelector('.lyrics [aria-current]')!.getBoundingClientRect()
    const { top, bottom } = document.querySelector('.lyrics')!.getBoundingClientRect()
    return line.top >= top && line.bottom <= bottom
  })
  await line(1).waitFor()
  await lyrics.hover()
  for (const goesOn of [() => page.clock.fastForward(5000), () => follow.click()]) {
    await page.mouse.wheel(0, 1500)
    await follow.waitFor()
    const at = Number(/\d+/.exec((await page.locator('.lyrics [aria-current]').textContent())!)![0])
    await nextFrames(page)
    const top = await lyrics.evaluate(({ scrollTop }) => scrollTop)
    await line(at + 1).waitFor()
    t.equal(await lyrics.evaluate(({ scrollTop }) => scrollTop), top, 'they stay')
    await goesOn()
    await follow.waitFor({ state: 'hidden' })
    await isInSight()
  }
}))

t.test('lyrics without times are shown as they are', t => visit(t, browser, {
  adapter: () => ({ getTrackLyrics: () => ({ lyrics: '[ti:Song]\nFirst line\n\nSecond line', translatedLyrics: '' }) })
}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play).click()
  await go('/playing')
  await page.locator('.lyrics', { hasText: 'Second line' }).waitFor()
  t.notMatch(await page.locator('.lyrics').textContent(), 'ti:')
}))

t.test('a track without lyrics says so', t => visit(t, browser, {
  adapter: () => ({ getTrackLyrics: () => ({ lyrics: '' }) })
}, async ({ page, go, sees }) => {
  await go('/daily')
  await page.getByRole('button', play).click()
  await go('/playing')
  await sees('This track has no lyrics.')
  t.equal(await page.locator('main').getByRole('link', { name: 'Home' }).count(), 0)
}))

/** Sizes of a tablet and phones, upright and on their side, and of a desktop at 200 %. */
const sizes = [
  [1440, 900], [1024, 768], [768, 1024], [720, 450], [844, 390], [390, 844], [320, 568], [320, 480]
] as const

t.test('lyrics can be read and everything of the player be reached at every size', t => visit(t, browser, {
  adapter: () => ({
    getTrackLyrics: () =>
      ({ lyrics: Array.from({ length: 30 }, (_, line) => `[00:${line}.00]Line ${line} that is tied to it`).join('\n') })
  })
}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play).click()
  await playedTo(page, 1)
  await playerOf(page).pause.click()
  const isSeen = async (name: string) => {
    const { width, height } = page.viewportSize()!
    for (const shown of await page.getByRole(name === 'Position' ? 'slider' : 'button', { name, exact: true }).all()) {
      const box = await shown.boundingBox()
      if (box === null || box.x < 0 || box.x + box.width > width || box.y + box.height > height) continue
      const isCovered = await shown.evaluate((element, [x, y]) =>
        !element.contains(document.elementFromPoint(x!, y!)), [box.x + box.width / 2, box.y + box.height / 2])
      if (isCovered) continue
      return box.width > 30
    }
    return false
  }
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height })
    await go('/playing')
    await nextFrames(page)
    for (const name of ['Play', 'Previous', 'Next', 'Shuffle', 'Repeat: off', 'Position']) {
      t.ok(await isSeen(name), `${name} at ${width}x${height}`)
    }
    if (height === 900) {
      const [cover, lines] = await Promise.all(['.now .hero > .cover', '.now .lyrics'].map(part =>
        page.locator(part).boundingBox()))
      t.ok(lines!.x > cover!.x + cover!.width && lines!.height > 600, 'on a desktop the lyrics are beside the cover')
      t.ok(cover!.height > 400, 'which is large')
    }
    const lyrics = page.locator('.now-lyrics')
    if (await lyrics.isVisible()) await lyrics.click()
    await page.waitForFunction(() => {
      const line = document.querySelector('.lyrics [aria-current]')?.getBoundingClientRect()
      const { top, bottom } = document.querySelector('.lyrics')!.getBoundingClientRect()
      const main = document.getElementById('main')!.getBoundingClientRect()
      return line && line.width > 200 && top >= main.top && bottom <= main.bottom &&
        Math.abs((line.top + line.bottom) / 2 - (top + bottom) / 2) < 20
    })
  }
}))

t.test('a phone that is turned shows what the address says, not what it showed before', t => visit(t, browser, {
  adapter: () => ({ getTrackLyrics: () => ({ lyrics: 'One line' }) })
}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play).click()
  await page.setViewportSize({ width: 390, height: 844 })
  await go('/playing')
  const turn = async (width: number, height: number) => {
    await page.setViewportSize({ width, height })
    await nextFrames(page)
  }
  const left = () => page.locator('.now .view').evaluate(view => view.scrollLeft)
  await page.locator('.now-lyrics').click()
  await page.waitForURL(/show=lyrics/)
  await turn(844, 390)
  await turn(390, 844)
  t.equal(await left(), 390, 'lyrics')
  await turn(844, 390)
  await page.goBack()
  await turn(390, 844)
  t.equal(await left(), 0, 'the player')
  t.notMatch(page.url(), 'lyrics')
}))

t.test('names from right to left are beside what they belong to', t => visit(t, browser, {
  adapter: base => ({
    getDailyTracks: async () => (await base.getDailyTracks()).map(track =>
      ({ ...track, artists: track.artists.map(artist => ({ ...artist, name: 'أم كلثوم' })) })),
    getToplist: async () => (await base.getToplist()).map(group => ({
      ...group, list: group.list.map(list => ({ ...list, tracks: [{ name: 'أغنية', artistName: 'أم كلثوم' }] }))
    }))
  })
}, async ({ page, go, served, open }) => {
  const mine = 'أغاني المساء for an evening at home'
  await open('/library/playlists')
  await page.getByRole('button', { name: 'New playlist' }).click()
  await page.getByLabel('Name').fill(mine)
  await page.keyboard.press('Enter')
  const notice = page.locator('.notice > span', { hasText: 'was created' })
  await notice.waitFor()
  t.equal(await notice.evaluate(span => getComputedStyle(span).direction), 'ltr', 'the sentence')
  t.equal(await notice.textContent(), `“\u2068${mine}\u2069” was created`)
  const own = page.locator('.sidebar').getByRole('link', { name: mine })
  t.ok((await own.boundingBox())!.height < 45, 'a playlist is one line of the bar')
  t.equal(await own.locator('> span').last().evaluate(span => getComputedStyle(span).textAlign), 'left')
  await served.adapter.deletePlaylist((await served.adapter.getUserPlaylist()).find(list => list.name === mine)!.id)
  await go('/daily')
  for (const [width, beside] of [[1280, '.artists'], [390, '.title']] as const) {
    await page.setViewportSize({ width, height: 800 })
    const [place, artist] = await Promise.all([beside, '.artists a'].map(part =>
      page.locator(`.row ${part}`).first().boundingBox()))
    t.ok(artist!.x - place!.x < 20, `in rows at ${width} px`)
  }
  await go('/toplists')
  const [line, name] = await Promise.all(['.line', '.line bdi'].map(part => page.locator(part).first().boundingBox()))
  t.ok(name!.x > line!.x + 5 && name!.x < line!.x + 30, 'after its number in a toplist')
}))

/** How many colours an element shows. */
const colours = async (page: Page, selector: string) => page.evaluate(`(async () => {
  const image = new Image()
  image.src = 'data:image/png;base64,${(await page.locator(selector).first().screenshot()).toString('base64')}'
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = image.width
  canvas.height = image.height
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size
})()`)

t.test('where somebody chose the colours, bars, logo and the edges of buttons can be seen', t => visit(t, browser, {
  browser: { forcedColors: 'active' }
}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play).waitFor()
  for (const part of ['.logo', '.player .seek input', '.volume input', '.view-head .button']) {
    t.ok(Number(await colours(page, part)) > 1, part)
  }
  t.equal(await page.locator('.view-head .button').evaluate(button => getComputedStyle(button).borderTopWidth), '1px')
  await page.setViewportSize({ width: 390, height: 844 })
  await go('/queue')
  const current = '.sidebar [aria-current]'
  await page.locator(current, { hasText: 'Queue' }).waitFor()
  t.ok(Number(await colours(page, current)) > 1, 'the view that one is in, on a phone')
}))
