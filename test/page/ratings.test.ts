import fastify from 'fastify'
import t, { type Test } from 'tap'
import sourceOrigin, { tokenMatches } from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import sourcePage from 'fastify-source-origin/page'
import subsonic from 'fastify-source-origin/subsonic'
import { launch } from '../browser.ts'
import { createReferenceAdapter, token } from '../reference-source.ts'
import { visit } from './helper.ts'

/** A source with a page and Subsonic apps for one account. */
async function start (t: Test, { stateless = false, hasApps = true } = {}) {
  const app = fastify()
  t.teardown(() => app.close())
  const reference = createReferenceAdapter(() => 'https://music.example')
  const adapter = {
    ...reference,
    getTrackDetail: (id: string) => reference.getTrackDetail(id === 'former' ? 't1' : id),
    library: Object.assign(createLibrary({ artists: [], albums: [], tracks: [] }), {
      currentIds: (_kind: string, ids: readonly string[]) => new Map(ids.includes('former') ? [['former', 't1']] : [])
    })
  }
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) =>
      tokenMatches(authorization, token) ? { adapter, stateless, account: 'ann' } : null
  })
  if (hasApps) await app.register(subsonic, { resolveLogin: ({ verify }) => verify(token) ? token : null })
  await app.register(sourcePage)
  const headers = { authorization: token }
  const read = async (path: string) => (await app.inject({ url: `/page/${path}`, headers })).json()
  const rate = async (track: string, rating: number, authorization = token) => (await app.inject({
    method: 'POST', url: '/page/ratings', headers: { authorization }, payload: { track, rating }
  })).json()
  const rest = async (call: string) => {
    const url = `/rest/${call}&u=ann&p=${encodeURIComponent(token)}&v=1.16.1&c=app&f=json`
    return (await app.inject(url)).json()['subsonic-response']
  }
  return { read, rate, rest }
}

t.test('stars of the page are those of Subsonic apps', async t => {
  const { read, rate, rest } = await start(t)
  t.match(await read('offers'), { data: { ratings: true } })
  t.strictSame(await read('ratings?track=t1'), { code: 200, data: { ratings: {} } })
  t.strictSame(await rate('t1', 4), { code: 200, data: { success: true } })
  t.equal((await rest('getSong?id=tr-t1')).song.userRating, 4)
  t.equal((await rest('setRating?id=tr-t2&rating=2')).status, 'ok')
  t.strictSame((await read('ratings?track=t1&track=t2&track=t3')).data, { ratings: { t1: 4, t2: 2 } })
  await rate('former', 5)
  t.strictSame((await read('ratings?track=t1')).data, { ratings: { t1: 5 } }, 'as the one that it has become')
  await rate('t1', 0)
  t.strictSame((await read('ratings?track=t1')).data, { ratings: {} })
})

t.test('what is not there gets no stars, and may lose them; a rating is 0 to 5, of who is let in', async t => {
  const { rate, rest } = await start(t)
  t.match(await rate('gone', 3), { code: 404, message: 'Track not found' })
  t.match(await rate('gone', 0), { code: 200 })
  t.match(await rate('t1', 6), { code: 400, message: /rating/ })
  t.match(await rate('t1', 3, 'wrong'), { code: 401 })
  t.equal((await rest('getSong?id=tr-t1')).song.userRating, undefined)
})

for (const [title, settings] of [
  ['without Subsonic apps', { hasApps: false }], ['without accounts', { stateless: true }]
] as const) {
  t.test(`there are no stars ${title}`, async t => {
    const { read, rate } = await start(t, settings)
    t.notOk('ratings' in (await read('offers')).data)
    t.strictSame(await read('ratings?track=t1'), { code: 200, data: {} })
    t.match(await rate('t1', 1), { code: 501 })
  })
}

const browser = await launch(t)
const beside = { beside: async (app: Parameters<typeof subsonic>[0]) => app.register(subsonic) }

t.test('a track is rated in its menu, by pointer and by keyboard, and tells its stars', t => visit(t, browser, {
  ...beside
}, async ({ page, open, row }) => {
  await open('/daily')
  const openMenu = async (item: string) => {
    await row('Noon Song 5').getByRole('button', { name: 'More for' }).click()
    await page.getByRole('button', { name: item }).click()
    return page.getByRole('group', { name: 'Rating' })
  }
  const stars = await openMenu('Rate')
  await stars.getByRole('radio', { name: 'No rating', checked: true }).waitFor()
  const stored = page.waitForResponse('**/page/ratings')
  await stars.getByRole('radio', { name: '3 stars' }).check()
  await stored
  t.equal(await stars.locator('.on').count(), 3)
  for (const key of ['ArrowRight', 'ArrowRight']) {
    const stored = page.waitForResponse('**/page/ratings')
    await page.keyboard.press(key)
    await stored
  }
  await page.keyboard.press('Escape')
  const about = await openMenu('About this track')
  await about.getByRole('radio', { name: '5 stars', checked: true }).waitFor()
}))

for (const [width, height] of [[768, 1024], [1366, 768], [1920, 1080]] as const) {
  t.test(`a dialog that follows the menu of its name is within the window and has the focus, ${width} px`, t =>
    visit(t, browser, { ...beside, browser: { viewport: { width, height } } }, async ({ page, open, row }) => {
      await open('/daily')
      for (const item of ['Rate', 'About this track']) {
        await row('Noon Song 5').getByRole('button', { name: 'More for' }).click()
        await page.getByRole('button', { name: item }).click()
        await page.getByRole('radio', { name: 'No rating', checked: true }).and(page.locator(':focus')).waitFor()
        const stored = page.waitForResponse('**/page/ratings')
        await page.getByRole('radio', { name: '5 stars' }).click()
        await stored
        await page.getByRole('radio', { name: 'No rating' }).check()
        const { x, width: size } = (await page.getByRole('dialog').boundingBox())!
        t.ok(x >= 0 && x + size <= width, item)
        await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      }
    }))
}

t.test('stars that cannot be read or kept are not shown, and it says why', t => visit(t, browser, {
  ...beside
}, async ({ page, open, row, sees }) => {
  const fails = async (method: string) => {
    await page.unroute(/page\/ratings/)
    await page.route(/page\/ratings/, (route, request) => request.method() === method
      ? route.fulfill({ status: 400, json: { code: 400, message: 'No room', data: null } })
      : route.continue())
  }
  const openStars = async () => {
    await row('Noon Song 5').getByRole('button', { name: 'More for' }).click()
    await page.getByRole('button', { name: 'Rate' }).click()
  }
  await open('/daily')
  await fails('GET')
  await openStars()
  await page.getByRole('alert').waitFor()
  t.ok(await page.getByRole('radio', { name: '1 star' }).isDisabled())
  await page.keyboard.press('Escape')
  await fails('POST')
  await openStars()
  await page.getByRole('radio', { name: '1 star' }).click()
  await sees('No room')
  await page.getByRole('radio', { name: 'No rating', checked: true }).waitFor()
}))

t.test('without ratings the menu has no stars', t => visit(t, browser, {}, async ({ page, open, row }) => {
  await open('/daily')
  await row('Noon Song 5').getByRole('button', { name: 'More for' }).click()
  await page.getByRole('button', { name: 'About this track' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Rate' }).count(), 0)
}))
