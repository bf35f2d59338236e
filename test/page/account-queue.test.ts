import t, { type Test } from 'tap'
import type { Page } from 'playwright-core'
import subsonic from 'fastify-source-origin/subsonic'
import { launch } from '../browser.ts'
import { storeIn } from '../subsonic-server/helper.ts'
import { playedTo, silenceUrl, token, visit, type Visit } from './helper.ts'

// Two browsers and a Subsonic app of one account.

const browser = await launch(t)
const login = { u: 'ann', p: token, v: '1.16.1', c: 'Symfonium', f: 'json' }

/** A source of an account whose tracks are ten minutes long. */
const settings = {
  context: { account: 'ann' },
  beside: async (app: Parameters<typeof subsonic>[0]) =>
    app.register(subsonic, { resolveLogin: ({ verify }) => verify(token) ? token : null }),
  adapter: (_base: unknown, served: () => Visit['served']) => ({
    getTrackUrl: async () => ({ url: silenceUrl(served(), 1), quality: 'standard' })
  })
}

const rest = async ({ served }: Visit, method: string, query: [string, string][] = []): Promise<any> =>
  (await served.app.inject(`/rest/${method}?${new URLSearchParams([...Object.entries(login), ...query])}`))
    .json()['subsonic-response']

/** Another browser with the page of the source. */
async function otherBrowser (t: Test, { served }: Visit): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block' })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(180_000)
  await page.goto(`${served.origin}#token=${encodeURIComponent(token)}`)
  return page
}

/** Waits until the server has it. */
async function stored (visit: Visit, holds: (state: any) => boolean): Promise<void> {
  for (;;) {
    const request = { url: '/page/listening', headers: { authorization: token } }
    if (holds((await visit.served.app.inject(request)).json().data)) return
    await visit.page.waitForTimeout(20)
  }
}

const track = async (visit: Visit, id: string) => (await rest(visit, 'getSong', [['id', `tr-${id}`]])).song

const seekAhead = (page: Page) => page.getByRole('slider', { name: 'Position' }).press('ArrowRight')
const remove = (page: Page, number: number) =>
  page.getByRole('button', { name: new RegExp(`^Remove .* ${number} from queue`) }).click()
const titleIn = (page: Page, title: string) => page.locator('.player-title', { hasText: title }).waitFor()
const note = (page: Page) => page.locator('.player-note')
const pause = (page: Page) => page.locator('.player-center').getByRole('button', { name: 'Pause', exact: true })
const play = (page: Page) => page.locator('.player-center').getByRole('button', { name: 'Play', exact: true })

t.test('music goes on in another browser at the same position, and the first one pauses', t =>
  visit(t, browser, settings, async visit => {
    const { page, open, row } = visit
    await open('/daily')
    await row('Noon Song 5').locator('.title').click()
    await playedTo(page, 1)
    await stored(visit, ({ now }) => now.isPlaying)
    const other = await otherBrowser(t, visit)
    await titleIn(other, 'Noon Song 5')
    await note(other).getByText('Playing on').waitFor()
    await note(other).getByRole('button').click()
    await pause(other).waitFor()
    await playedTo(other, 1)
    await note(other).waitFor({ state: 'detached' })
    // The first one notices with its next report.
    await seekAhead(page)
    await play(page).waitFor()
    await note(page).getByText('Playing on').waitFor()
  }))

t.test('a queue is there in another browser, paused, with the position and the device', t =>
  visit(t, browser, settings, async visit => {
    const { page, open, row } = visit
    await open('/daily')
    await row('Noon Song 5').locator('.title').click()
    await playedTo(page, 1)
    await pause(page).click()
    await stored(visit, ({ now }) => !now.isPlaying && now.turn > 0)
    const { current, entry, position } = (await rest(visit, 'getPlayQueue')).playQueue
    t.equal(entry.find(({ id }: any) => id === current).title, 'Noon Song 5')
    t.ok(position >= 1000)
    const other = await otherBrowser(t, visit)
    await titleIn(other, 'Noon Song 5')
    await note(other).getByText(/Continue at 0:0\d, from Safari on Linux/).waitFor()
    await note(other).getByRole('button', { name: 'Play here' }).click()
    await playedTo(other, 1, 8)
    await note(other).waitFor({ state: 'detached' })
  }))

t.test('the queue that an app saves is that of the page; while the page plays it is an offer', t =>
  visit(t, browser, settings, async visit => {
    const { page, open, row } = visit
    await rest(visit, 'savePlayQueue', [['id', 'tr-t3'], ['id', 'tr-t1'], ['current', 'tr-t1'], ['position', '5000']])
    await page.reload()
    await note(page).getByText('from Symfonium').waitFor()
    await open('/daily')
    await row('Noon Song 5').locator('.title').click()
    await playedTo(page, 1)
    await stored(visit, ({ now }) => now.isPlaying)
    await rest(visit, 'savePlayQueue', [['id', 'tr-t3']])
    await pause(page).click()
    await note(page).getByText('Symfonium has another queue').waitFor()
  }))

t.test('an offer of an app is played here', t => visit(t, browser, settings, async visit => {
  const { page, open, row } = visit
  await open('/daily')
  await row('Noon Song 5').locator('.title').click()
  await playedTo(page, 1)
  await stored(visit, ({ now }) => now.isPlaying)
  await rest(visit, 'savePlayQueue', [['id', 'tr-t3'], ['position', '60000']])
  await seekAhead(page)
  await note(page).getByRole('button', { name: 'Play here' }).click()
  await playedTo(page, 60, 70)
  await note(page).waitFor({ state: 'detached' })
  t.equal(await page.locator('.player-title').getAttribute('title'), (await track(visit, 't3')).title)
}))

t.test('what a browser had before is offered once, with Undo', t => visit(t, browser, settings, async visit => {
  const { page, open, row } = visit
  await page.evaluate(() => localStorage.setItem('source-page:private', 'true'))
  await page.reload()
  await open('/daily')
  await row('Noon Song 5').locator('.title').click()
  await playedTo(page, 1)
  await pause(page).click()
  await rest(visit, 'savePlayQueue', [['id', 'tr-t3']])
  await page.evaluate(() => localStorage.setItem('source-page:private', 'false'))
  await page.reload()
  await titleIn(page, (await track(visit, 't3')).title)
  await page.getByText('You had 5 tracks here').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await titleIn(page, 'Noon Song 5')
  await stored(visit, ({ queue }) => queue.entries.length === 5)
  await page.reload()
  await titleIn(page, 'Noon Song 5')
  t.equal(await page.getByText('You had').count(), 0)
}))

t.test('a queue of 1,200 tracks is whole after a reload and on another device, without those that are gone', t =>
  visit(t, browser, settings, async visit => {
    const { page, open } = visit
    const ids = Array.from({ length: 1200 }, (_empty, at) => `t${at % 8}`)
    const entries = [...ids.map((id, at) => [`e${at}`, id]), ['gone', 'gone']]
    await visit.served.app.inject({
      method: 'POST',
      url: '/page/listening',
      headers: { authorization: token },
      payload: { device: 'x', known: { revision: 0 }, operations: [{ id: 'fill', fill: { entries, current: 'e0' } }] }
    })
    for (let round = 0; round < 2; round++) {
      await page.reload()
      await open('/queue')
      await page.getByText('Next up: 1,200 tracks').first().waitFor()
    }
    await stored(visit, ({ queue }) => queue.entries.length === 1201)
  }))

t.test('a change of one browser is in the other one, and both changes stay', t =>
  visit(t, browser, settings, async visit => {
    const { page, open, row } = visit
    await open('/daily')
    await row('Noon Song 5').locator('.title').click()
    await playedTo(page, 1)
    await stored(visit, ({ queue }) => queue.entries.length === 5)
    const other = await otherBrowser(t, visit)
    await titleIn(other, 'Noon Song 5')
    for (const one of [page, other]) {
      await one.evaluate(() => { location.hash = '/queue' })
    }
    await Promise.all([remove(page, 7), remove(other, 8)])
    await stored(visit, ({ queue }) => queue.entries.length === 3)
    await other.evaluate(() => dispatchEvent(new Event('online')))
    for (const one of [page, other]) {
      for (const number of [7, 8]) await one.getByText(`Song ${number}`).first().waitFor({ state: 'detached' })
    }
    await pause(page).waitFor()
  }))

t.test('a server that lost its queue gets that of the browser', t => {
  const kept = new Map<string, string | undefined>()
  return visit(t, browser, { ...settings, page: { store: storeIn(kept) } }, async visit => {
    const { page, open, row } = visit
    await open('/daily')
    await row('Noon Song 5').locator('.title').click()
    await playedTo(page, 1)
    await stored(visit, ({ queue }) => queue.entries.length === 5)
    kept.clear()
    await seekAhead(page)
    await stored(visit, ({ queue, now }) => queue.entries.length === 5 && now.isPlaying)
    await pause(page).waitFor()
  })
})

t.test('private listening sends nothing', t => visit(t, browser, settings, async visit => {
  const { page, open, row } = visit
  await page.evaluate(() => localStorage.setItem('source-page:private', 'true'))
  await page.reload()
  await open('/daily')
  await row('Noon Song 5').locator('.title').click()
  await playedTo(page, 1)
  t.equal((await rest(visit, 'getPlayQueue')).playQueue.entry.length, 0)
  t.notOk((await rest(visit, 'getNowPlaying')).nowPlaying.entry.length)
}))
