import fastify from 'fastify'
import t, { type Test } from 'tap'
import sourceOrigin, {
  tokenMatches, UnauthorizedError, UpstreamError, type SourceAdapter
} from 'fastify-source-origin'
import sourcePage from 'fastify-source-origin/page'
import subsonic from 'fastify-source-origin/subsonic'
import type { SubsonicStore } from 'fastify-source-origin/subsonic'
import { createReferenceAdapter, token } from '../reference-source.ts'
import { replace } from '../replace.ts'
import { storeIn } from '../subsonic-server/helper.ts'

const nothing = { revision: 0 }
const firefox = 'Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0'

interface Settings {
  stateless?: boolean
  account?: string | undefined
  store?: SubsonicStore | undefined
  adapter?: Partial<SourceAdapter>
  /** The order in which page and Subsonic plugin are registered. */
  plugins?: readonly ('page' | 'subsonic')[]
}

/** A source with a page and Subsonic apps for one account. */
async function start (
  t: Test, { stateless = false, account = 'ann', store, adapter = {}, plugins = ['subsonic', 'page'] }: Settings = {}
) {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) => tokenMatches(authorization, token)
      ? {
          adapter: { ...createReferenceAdapter(() => 'https://music.example'), ...adapter },
          stateless,
          account: account || undefined
        }
      : null
  })
  for (const plugin of plugins) {
    if (plugin === 'page') await app.register(sourcePage, { store })
    else {
      const resolveLogin = ({ verify }: { verify: (secret: string) => boolean }) => verify(token) ? token : null
      await app.register(subsonic, { resolveLogin, ...store && { store } })
    }
  }
  const headers = { authorization: token, 'user-agent': firefox }
  const read = async (path = 'listening') => (await app.inject({ url: `/page/${path}`, headers })).json()
  const send = async (request: object) => (await app.inject({
    method: 'POST',
    url: '/page/listening',
    headers,
    payload: { device: 'a', known: nothing, operations: [], ...request }
  })).json()
  const post = async (path: string, payload: object) => app.inject({
    method: 'POST', url: `/page/${path}`, headers, payload
  })
  const rest = async (call: string) => {
    const url = `/rest/${call}&u=ann&p=${encodeURIComponent(token)}&v=1.16.1&c=app&f=json`
    return (await app.inject(url)).json()['subsonic-response']
  }
  return { read, send, post, rest }
}

/** An operation that fills the queue. */
const fillWith = (tracks: readonly string[], current = 0, id = 'fill') =>
  ({ id, fill: { entries: tracks.map((track, at) => [`e${at}`, track]), current: `e${current}` } })
const reportOf = (entry: string, position: number, isPlaying = true, seen = 0) => ({ entry, position, isPlaying, seen })

t.test('an account without a queue has an empty one', async t => {
  const { read } = await start(t)
  t.match(await read(), { code: 200, data: { queue: { entries: [], revision: 0 }, tracks: [], time: Number } })
})

t.test('a queue of one device is that of the other, with tracks, position and the name of the device', async t => {
  const { read, send } = await start(t)
  const operations = [fillWith(['t1', 't2', 'gone'], 1)]
  const { data: { queue, ...sent } } = await send({ operations, report: reportOf('e1', 3000) })
  t.match(sent, { current: 'e1', now: { entry: 'e1', position: 3000, device: 'a' } })
  t.equal(queue, undefined, 'the device has it')
  const { data } = await read()
  t.strictSame(data.queue.entries, [['e0', 't1'], ['e1', 't2'], ['e2', 'gone']])
  t.match(data, { current: 'e1', device: 'Firefox on Android', now: { isPlaying: true, position: 3000 } })
  t.strictSame(data.tracks.map(({ id }: any) => id), ['t2'], 'from the current one, without those that are gone')
})

t.test('a repeated operation has one effect, and a device that missed others gets the whole queue', async t => {
  const { send } = await start(t)
  await send({ operations: [fillWith(['t1'])] })
  const add = { id: 'add', list: 'fill', edit: { put: [{ behind: 'e0', entries: [['n', 't2']] }] } }
  const known = { list: 'fill', revision: 1 }
  t.equal((await send({ device: 'b', known, operations: [add] })).data.queue, undefined)
  const { data: { queue } } = await send({ device: 'b', known, operations: [add] })
  t.strictSame([queue.entries, queue.revision], [[['e0', 't1'], ['n', 't2']], 2])
  t.strictSame((await send({ known: { list: 'other', revision: 2 } })).data.queue, queue, 'of another list')
})

t.test('of two devices that play at once, one plays, and the other sees which', async t => {
  const { send } = await start(t)
  await send({ operations: [fillWith(['t1', 't2'])] })
  const first = await send({ device: 'a', report: reportOf('e0', 0) })
  t.equal(first.data.now.device, 'a')
  const second = await send({ device: 'b', report: reportOf('e1', 9) })
  t.match(second.data.now, { device: 'a', entry: 'e0' })
  t.match((await send({ device: 'a', report: reportOf('e1', 5) })).data.now, { entry: 'e1' }, 'what plays is right')
  t.match((await send({ device: 'b', report: reportOf('e0', 1, true, 1) })).data.now, { device: 'b' }, 'it has seen it')
})

t.test('times are those of the server', async t => {
  const { send, read } = await start(t)
  const now = Date.UTC(2030, 0, 1)
  replace(t, Date, 'now', () => now)
  await send({ operations: [fillWith(['t1'])], report: reportOf('e0', 1) })
  t.match((await read()).data, { time: now, now: { at: now } })
})

t.test('a device has the name that it is given, until another one; unused ones are forgotten', async t => {
  const kept = new Map<string, string | undefined>()
  const { send } = await start(t, { store: storeIn(kept) })
  const devices = () => JSON.parse(kept.get('ann/devices')!)
  let now = Date.UTC(2030, 0, 1)
  replace(t, Date, 'now', () => now)
  t.equal((await send({ name: 'Kitchen', report: reportOf('e0', 0) })).data.device, 'Kitchen')
  t.equal((await send({})).data.device, 'Kitchen')
  now += 2 * 86_400_000
  t.equal((await send({})).data.device, 'Kitchen', 'seen again')
  t.equal(devices().a.seen, now)
  now += 31 * 86_400_000
  await send({ device: 'b' })
  t.strictSame(devices(), { b: { name: 'Firefox on Android', seen: now } })
})

t.test('a queue that an app saves is that of the account', async t => {
  const { read, send, rest } = await start(t)
  await rest('savePlayQueue?id=tr-t1&id=tr-t2&current=tr-t2&position=7')
  const { data } = await read()
  t.strictSame(data.queue.entries.map(([, track]: string[]) => track), ['t1', 't2'])
  t.match(data, { device: 'app', now: { isPlaying: false, position: 7 }, current: data.queue.entries[1][0] })
  await send({ operations: [fillWith(['t3'])], report: reportOf('e0', 9, false, 1) })
  t.match((await rest('getPlayQueue?')).playQueue, {
    changedBy: 'Firefox on Android', current: 'tr-t3', position: 9, entry: [{ id: 'tr-t3' }]
  })
})

t.test('what an app saves while a page plays is an offer, until the page begins another list', async t => {
  const { read, send, rest } = await start(t)
  await send({ operations: [fillWith(['t1'])], report: reportOf('e0', 0) })
  t.equal((await rest('savePlayQueue?id=tr-t2&position=7')).status, 'ok')
  const { data: { queue, offer } } = await read()
  t.strictSame(queue.entries, [['e0', 't1']])
  t.match(offer, { by: 'app', position: 7, content: { entries: [[String, 't2']] } })
  t.match((await send({})).data, { offer })
  t.notOk('offer' in (await send({ operations: [fillWith(['t2'], 0, 'next')] })).data)
  t.notOk('offer' in (await read()).data)
})

t.test('what a page plays is shown to apps, also by another replica', async t => {
  const store = storeIn(new Map())
  const [one, other] = [await start(t, { store }), await start(t, { store })]
  const playing = async () => (await other.rest('getNowPlaying?')).nowPlaying.entry
  t.strictSame(await playing(), [])
  await one.send({ operations: [fillWith(['t1'])], report: reportOf('e0', 61_000) })
  t.match(await playing(), [{ id: 'tr-t1', username: 'ann', playerName: 'page', minutesAgo: 1 }])
  const play = { id: 'p', track: 't1', length: 100_000, startedAt: 0, position: 0, played: 0, state: 'playing' }
  await other.post('plays', { now: 0, plays: [play] })
  t.equal((await playing()).length, 1, 'once')
  await one.send({ report: reportOf('gone', 0) })
  t.equal((await playing()).length, 1, 'the current one is another')
  t.equal((await one.rest('getPlayQueue?')).playQueue.position, 0, 'of another entry')
  await one.send({ operations: [fillWith([], 0, 'empty')], report: reportOf('e0', 0) })
  t.equal((await playing()).length, 1, 'an empty queue plays nothing')
})

t.test('apps are told what this process plays while the store fails', async t => {
  const failing: SubsonicStore = { get: async () => { throw new Error('away') }, change: async () => {} }
  t.strictSame((await (await start(t, { store: failing })).rest('getNowPlaying?')).nowPlaying.entry, [])
})

t.test('a page that has been silent for a minute does not play', async t => {
  const { read, send, rest } = await start(t)
  let now = Date.now()
  replace(t, Date, 'now', () => now)
  await send({ operations: [fillWith(['t1'])], report: reportOf('e0', 1000) })
  now += 10_000
  t.equal((await rest('getPlayQueue?')).playQueue.position, 11_000, 'it plays on')
  now += 60_000
  t.equal((await rest('getPlayQueue?')).playQueue.position, 46_000)
  await rest('savePlayQueue?id=tr-t2')
  t.match((await read()).data.queue.entries, [[String, 't2']])
})

t.test('a queue that an app saved before there were queues of accounts is there', async t => {
  const changed = '2026-01-02T03:04:05.000Z'
  const kept = new Map<string, string | undefined>([['ann/queues', JSON.stringify([
    ['', { ids: ['t1', 't2'], current: 1, position: 5, changed, changedBy: 'old' }]
  ])]])
  const { read, rest } = await start(t, { store: storeIn(kept) })
  t.match((await rest('getPlayQueue?')).playQueue, { changed, changedBy: 'old', current: 'tr-t2', position: 5 })
  t.match((await read()).data, { queue: { revision: 1 }, current: '1', device: 'old' })
  kept.set('ann/queues', JSON.stringify([['other', { ids: ['t1'], position: 5, changed, changedBy: 'old' }]]))
  t.match((await read()).data.queue.entries, [])
  kept.set('ann/queues', JSON.stringify([['', { ids: [], position: 5, changed, changedBy: 'old' }]]))
  t.match((await read()).data, { current: undefined })
})

for (const [title, settings] of [
  ['the page is registered first', { plugins: ['page', 'subsonic'] }],
  ['there are no apps', { plugins: ['page'] }],
  ['there are no apps, and the page has a store', { plugins: ['page'], store: storeIn(new Map()) }]
] as const) {
  t.test(`an account has a queue where ${title}`, async t => {
    const { read, send } = await start(t, settings)
    await send({ operations: [fillWith(['t1'])] })
    t.strictSame((await read()).data.queue.entries, [['e0', 't1']])
  })
}

for (const [title, settings] of [
  ['without accounts', { account: '' }], ['that is stateless', { stateless: true }]
] as const) {
  t.test(`a source ${title} has no queue of the account`, async t => {
    const { read, send } = await start(t, settings)
    t.strictSame([await read(), await send({})], [{ code: 200, data: {} }, { code: 200, data: {} }])
  })
}

t.test('tracks are read by their ids, those that are there', async t => {
  const { read } = await start(t)
  const { data: { items } } = await read('tracks?id=t2&id=gone&id=t1')
  t.strictSame(items.map(({ id }: any) => id), ['t2', 't1'])
})

t.test('the queue is there while the source of its tracks is down', async t => {
  const { read, send } = await start(t, { adapter: { getTrackDetail: () => { throw new UpstreamError('down') } } })
  await send({ operations: [fillWith(['t1'])] })
  t.match(await read(), { code: 200, data: { queue: { entries: [['e0', 't1']] }, tracks: [] } })
})

t.test('a store that fails is a 503, and an account that is gone a 401', async t => {
  const failing: SubsonicStore = { get: async () => null, change: async () => { throw new Error('secret') } }
  t.match(await (await start(t, { store: failing })).send({}), { code: 503, message: 'The queue is not available now' })
  const gone: SubsonicStore = { get: async () => null, change: async () => { throw new UnauthorizedError() } }
  t.match(await (await start(t, { store: gone })).send({}), { code: 401 })
})

for (const [title, request] of [
  ['5,001 entries', { operations: [fillWith(Array.from({ length: 5001 }, () => 't1'))] }],
  ['101 operations', { operations: Array.from({ length: 101 }, (_empty, at) => fillWith([], 0, `${at}`)) }],
  ['an entry without a track', { operations: [{ id: 'x', fill: { entries: [['e']], } }] }],
  ['no device', { device: '' }],
  ['a position that is none', { report: reportOf('e', -1) }]
] as const) {
  t.test(`a request with ${title} is refused`, async t => {
    const { send } = await start(t)
    t.match(await send(request), { code: 400 })
  })
}
