import { Readable } from 'node:stream'
import t from 'tap'
import { extras, type AdapterMethod } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import { operationOf } from '../../lib/contract/operations.ts'
import { build, callOf, dataOf, deferred, escaping, logged, settled } from '../helper.ts'

const failing = () => Promise.reject(new Error('The upstream failed'))
const stream = () => new Readable({ read () { this.destroy(new Error('The connection broke')) } })
/** As a query builder: whoever waits for it sends it. */
const query = { then () { throw new Error('It was sent') } }

/** What an adapter answers, and how it is named. */
const answers: [AdapterMethod, () => unknown, string][] = [
  ['getAlbumDetail', () => ({ ...dataOf('getAlbumDetail'), tracks: failing() }),
    'AlbumDetail: /tracks Expected array, got a Promise: await it'],
  ['getAlbumDetail', () => ({ ...dataOf('getAlbumDetail'), artist: failing() }),
    'AlbumDetail: /artist Expected object, got a Promise: await it'],
  ['searchTracks', () => ({ items: failing(), offset: 0, limit: 20, hasMore: false }),
    'TrackPage: /items Expected array, got a Promise: await it'],
  ['searchTracks', () => ({ items: [failing(), failing()], offset: 0, limit: 20, hasMore: false }),
    'TrackPage: /items Expected array, got an array of promises: await Promise.all(…)'],
  ['getNewTracks', () => [failing()], 'Track[]: / Expected array, got an array of promises: await Promise.all(…)'],
  ['getNewTracks', () => [{ ...dataOf('getTrackDetail'), album: { id: '1', name: failing(), coverUrl: '' } }],
    'Track[]: /0/album/name Expected string, got a Promise: await it'],
  ['getNewTracks', () => ({ toJSON: () => [failing()] }),
    'Track[]: / Expected array, got an array of promises: await Promise.all(…)'],
  ['getArtistDetail', () => ({ ...dataOf('getArtistDetail'), tracks: query }),
    'ArtistDetail: /tracks Expected array, got a Promise: await it'],
  ['getTrackUrl', () => ({ url: failing(), quality: 'high' }),
    'TrackUrl: /url Expected string, got a Promise: await it'],
  ['getTrackUrl', () => ({ url: stream(), quality: 'high' }), 'TrackUrl: /url Expected string, got a stream: read it'],
  ['getTrackLyrics', () => ({ lyrics: new ReadableStream() }),
    'TrackLyrics: /lyrics Expected string, got a stream: read it'],
  ['getTrackLyrics', () => stream(), 'TrackLyrics: / Expected object, got a stream: read it'],
  ['getTrackDetail', () => ({ ...dataOf('getTrackDetail'), foreign: 1, durationMs: failing() }),
    'Track: /durationMs Expected number, got a Promise: await it'],
  ['getTrackDetail', () => ({ ...dataOf('getTrackDetail'), favorite: failing() }),
    'Track: /favorite Expected boolean, got a Promise: await it'],
  ['createPlaylist', () => ({ ...dataOf('createPlaylist'), createdAt: failing() }),
    'Playlist: /createdAt Expected number, got a Promise: await it'],
  ['favoriteTrack', () => ({ success: failing(), status: true }),
    'MutationStatus: /success Expected boolean, got a Promise: await it']
]

/** What the adapter answers now. */
let now: () => unknown
const adapter = Object.fromEntries(answers.map(([method]) => [method, async () => now()]))
const { lines, logger } = logged()
const development = await build(t, { adapter, validateResponses: true }, { logger })
const production = await build(t, { adapter, validateResponses: false, cache: createSourceCache() }, { logger })

for (const [method, answer, words] of answers) {
  t.test(`${words}: a 500 in production too, and nothing ends the process`, async t => {
    const escaped = escaping(t)
    now = answer
    const message = `Adapter response of ${method} does not match ${words}`
    for (const [app, told] of [[development, message], [production, 'Internal server error']] as const) {
      lines.length = 0
      t.match((await app.inject(callOf(operationOf(method)))).json(), { code: 500, message: told })
      t.match(lines.find(({ level }) => level === 50), { err: { message } })
    }
    await settled()
    t.strictSame(escaped, [])
  })
}

/** What an adapter answers besides, where nobody looks for it. */
const hidden: [string, () => object][] = [
  ['a member that no schema has', () => ({ foreign: failing() })],
  ['an object inside of one', () => ({ foreign: { deep: [{ er: failing() }] } })],
  ['a Map and a Set', () => ({ foreign: new Map([[failing(), new Set([failing()])]]) })],
  ['the extras', () => ({ [extras]: { year: failing() } })],
  ['a list of the extras', () => ({ [extras]: { genres: [failing()] } })],
  ['an item without an id', () => ({ artists: [{ name: 'a', coverUrl: failing() }] })]
]
for (const [where, more] of hidden) {
  t.test(`a promise in ${where} does not end the process, and production leaves it out`, async t => {
    const escaped = escaping(t)
    const itself: Record<string, unknown> = {}
    itself.itself = itself
    const others = { itself, bytes: new Uint8Array(10), proxy: Proxy.revocable({}, {}).proxy, query, none: null }
    const adapter = { getTrackDetail: () => ({ ...dataOf('getTrackDetail'), others, ...more() }) }
    for (const [validateResponses, status] of [[true, 500], [false, 200]] as const) {
      const app = await build(t, { adapter, validateResponses })
      t.equal((await app.inject(callOf(operationOf('getTrackDetail')))).statusCode, status)
    }
    await settled()
    t.strictSame(escaped, [])
  })
}

const others: [string, () => unknown][] = [
  ['that is thrown', () => { throw failing() }],
  ['that is the cause of an error', () => { throw new Error('no', { cause: failing() }) }],
  ['that an error has', async () => { throw new AggregateError([failing()]) }],
  ['of toJSON', () => ({ toJSON: failing })],
  ['of a getter', () => ({ ...dataOf('getTrackDetail'), get title () { return failing() } })]
]
for (const [which, answer] of others) {
  t.test(`a promise ${which} is a 500, and does not end the process`, async t => {
    const escaped = escaping(t)
    for (const validateResponses of [true, false]) {
      const app = await build(t, { adapter: { getTrackDetail: () => answer() as any }, validateResponses })
      t.equal((await app.inject(callOf(operationOf('getTrackDetail')))).statusCode, 500)
    }
    await settled()
    t.strictSame(escaped, [])
  })
}

t.test('a promise of a getter where a list belongs does not end the process', async t => {
  const escaped = escaping(t)
  const adapter = { searchTracks: () => ({ ...dataOf('searchTracks'), get items () { return failing() as never } }) }
  const app = await build(t, { adapter, validateResponses: false })
  t.equal((await app.inject(callOf(operationOf('searchTracks')))).statusCode, 500)
  await settled()
  t.strictSame(escaped, [])
})

t.test('of the violations of an answer, those of promises are told first', async t => {
  const adapter = { getTrackDetail: () => ({ foreign: 1, ...dataOf('getTrackDetail'), title: 1, album: failing() }) }
  const app = await build(t, { adapter })
  const response = await app.inject(callOf(operationOf('getTrackDetail')))
  t.match(response.json().message, ': /album Expected object, got a Promise')
})

t.test('a promise in an answer that comes after the time limit does not end the process', async t => {
  const escaped = escaping(t)
  const late = deferred<object>()
  const app = await build(t, { adapter: { getAlbumDetail: () => late.promise }, adapterTimeout: 5 })
  t.equal((await app.inject(callOf(operationOf('getAlbumDetail')))).statusCode, 504)
  late.resolve({ tracks: failing() })
  await settled()
  t.strictSame(escaped, [])
})

for (const [given, message] of [
  [() => ({ adapter: failing() }), 'adapter of the context is a Promise: await it'],
  [() => ({ adapter: {}, accountName: failing() }), 'accountName of the context is a Promise: await it'],
  [() => ({ adapter: {}, account: failing(), revision: failing() }),
    'account and revision of the context is a Promise: await it'],
  [() => ({ title: failing() }), 'resolveContext must give an object with an adapter, or null']
] as const) {
  t.test(`a promise in what resolveContext gives does not end the process: ${message}`, async t => {
    const escaped = escaping(t)
    const { lines, logger } = logged()
    const app = await build(t, { resolveContext: () => given() as any }, { logger })
    t.equal((await app.inject(callOf(operationOf('getNewTracks')))).statusCode, 500)
    const { err } = lines.find(({ level }) => level === 50)!
    t.equal(err.message, message)
    await settled()
    t.strictSame(escaped, [])
  })
}
