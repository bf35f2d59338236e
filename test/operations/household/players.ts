import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { locate } from '../../services.ts'
import type { Found } from './find.ts'
import type { House } from './house.ts'
import type { Listener } from './listener.ts'
import { mix } from './prepare.ts'
import { until } from './until.ts'

const run = promisify(execFile)
const q = encodeURIComponent

/** mpv plays what a player gets: by a URL of `/v1`, and of `/rest` as it is and converted. */
export function checkMpv (t: Test, { owner }: House, songs: readonly Found[]): void {
  for (const { song, track, entry, source } of songs) {
    t.test(`mpv plays ${song.title} of ${source}`, async t => {
      const { url } = await owner.data(`/v1/track/url?id=${q(track.id)}`)
      const urls = [
        url,
        owner.restUrl('stream', { id: entry.id, format: 'raw' }),
        owner.restUrl('stream', { id: entry.id, format: 'opus', maxBitRate: 64 })
      ]
      const { stdout } = await run(locate('mpv'), [
        '--no-config', '--no-video', '--ao=null', '--ao-null-untimed', '--length=3', '--term-playing-msg=it plays',
        ...urls
      ])
      t.equal(stdout.match(/^it plays$/gm)?.length, urls.length, stdout)
    })
  }
}

/** A page in a profile of its own, signed in. */
async function openPage (t: Test, browser: Browser, { origin, token }: Listener) {
  const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block' })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  await page.goto(`${origin}/#token=${q(token)}`)
  await page.locator('#search').waitFor()
  return page
}

async function search (page: Page, words: string): Promise<void> {
  await page.locator('#search').fill(words)
  await page.getByRole('button', { name: `Play ${words}`, exact: true }).first().waitFor()
}

/** Whether an expression becomes true in the page. */
async function holds (page: Page, expression: string): Promise<boolean> {
  const look = () => page.evaluate<boolean>(expression)
  await until(look, 5000)
  return look()
}

/** Whether a song is heard. */
async function plays (page: Page, title: string): Promise<boolean> {
  await page.locator('.player-title').filter({ hasText: title }).waitFor()
  return holds(page, 'document.querySelector(".player .seek input")?.value > 0.2')
}

/** What the owner and another account do on the page, each in a profile of its own. */
export function checkPage (t: Test, house: House, browser: Browser, songs: readonly Found[]): void {
  const { owner, adult } = house
  const pages = new Map<Listener, Page>()
  t.test('the owner and another account sign in', async () => {
    for (const listener of [owner, adult]) pages.set(listener, await openPage(t, browser, listener))
  })

  for (const [who, listener] of Object.entries({ owner, adult })) {
    for (const { song, source } of songs) {
      t.test(`${who}: ${song.title} of ${source} is found, plays and has its cover`, async t => {
        const page = pages.get(listener)!
        await search(page, song.title)
        await page.getByRole('button', { name: `Play ${song.title}`, exact: true }).first().click()
        t.ok(await plays(page, song.title), 'it is heard')
        t.ok(await holds(page, 'document.querySelector(".player img")?.naturalWidth > 0'), 'its cover')
      })
    }
  }

  for (const { song, source, track } of songs) {
    t.test(`the heart of ${song.title} of ${source} is a favourite of the owner`, async t => {
      const page = pages.get(owner)!
      await search(page, song.title)
      const heart = page.locator('.row').getByRole('button', { name: `Favourite: ${song.title}`, exact: true })
      const before = await heart.getAttribute('aria-pressed')
      for (let presses = 1; presses <= 2; presses++) {
        await heart.click()
        const isFavorite = async () => (await owner.data(`/v1/track?id=${q(track.id)}`)).favorite ?? false
        const wanted = (before === 'true') === (presses === 2)
        await until(async () => await isFavorite() === wanted, 5000)
        t.equal(await isFavorite(), wanted)
      }
    })

    t.test(`the heart of ${song.title} of ${source} works for another account, or is not there`, async t => {
      const page = pages.get(adult)!
      await search(page, song.title)
      const heart = page.locator('.row').getByRole('button', { name: `Favourite: ${song.title}`, exact: true })
      if (await heart.count() === 0) return t.not(source, 'home')
      const answered = page.waitForResponse(response => response.url().includes('/v1/track/favorite'))
      await heart.click()
      await answered
      const favourites = await adult.data('/v1/user/favorite/tracks')
      t.ok(favourites.some(({ title }: any) => title === song.title))
      t.equal(await heart.getAttribute('aria-pressed'), 'true')
    })
  }

  t.test('the playlist of all sources shows and plays each of its songs', async t => {
    const page = pages.get(owner)!
    await page.getByRole('link', { name: mix }).first().click()
    for (const { song } of songs) {
      await page.getByRole('button', { name: `Play ${song.title}`, exact: true }).first().click()
      t.ok(await plays(page, song.title), song.title)
    }
  })

  t.test('another account sees no private playlist of the owner', async t => {
    const page = pages.get(adult)!
    await page.goto(`${adult.origin}/#/playlists`)
    await page.locator('main h1').first().waitFor()
    t.notMatch(await page.locator('body').innerText(), /(?:Harbour|Attic|Meadow|Hearth) private/)
  })
}
