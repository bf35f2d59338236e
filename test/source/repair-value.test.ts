import t, { type Test } from 'tap'
import { build, callOf, contextOf, dataOf, logged } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'
import type { AdapterMethod } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'

/** What production makes of data, and the paths that it logged. */
async function mend (t: Test, method: AdapterMethod, data: unknown) {
  const { lines, logger } = logged()
  const app =
    await build(t, { resolveContext: contextOf({ [method]: async () => data }), validateResponses: false }, { logger })
  const response = await app.inject(callOf(operationOf(method)))
  return {
    status: response.statusCode,
    message: response.json().message,
    data: response.json().data,
    paths: lines.filter(({ level, path }) => level === 40 && path !== undefined).map(({ path }) => path)
  }
}

// A time without a zone is one of UTC, wherever this runs.
process.env.TZ = 'America/New_York'

const time = Date.UTC(2020, 1, 3)
const track = (more: object = {}) => ({ ...dataOf('getTrackDetail'), ...more })
const playlist = (more: object = {}) => ({ ...dataOf('createPlaylist'), ...more })

/** Member, what the adapter gave, and what clients get. */
const rows: [AdapterMethod, string, unknown, unknown][] = [
  ['getTrackDetail', 'foreign', 1, undefined],
  ['getTrackDetail', 'id', 7, '7'],
  ['getTrackDetail', 'title', 12345678901234567890n, '12345678901234567890'],
  ['getTrackDetail', 'title', true, 'true'],
  ['getTrackDetail', 'mvId', 7, '7'],
  ['getTrackDetail', 'durationMs', '1000.5', 1000.5],
  ['getTrackDetail', 'durationMs', ' 1e3 ', 1000],
  ['getTrackDetail', 'durationMs', '+5', 5],
  ['getTrackDetail', 'durationMs', '-5', 0],
  ['getTrackDetail', 'durationMs', '.25', 0.25],
  ['getTrackDetail', 'durationMs', '5.', 5],
  ['getTrackDetail', 'durationMs', '1e+2', 100],
  ['getTrackDetail', 'durationMs', '25E-2', 0.25],
  ['getTrackDetail', 'durationMs', '1e10', 1e10],
  ['getTrackDetail', 'durationMs', '=5', 0],
  ['getTrackDetail', 'durationMs', `${' '.repeat(99)}5`, 5],
  ['getTrackDetail', 'durationMs', `${' '.repeat(100)}5`, 0],
  ['createPlaylist', 'trackCount', new Date(5), 0],
  ['createPlaylist', 'createdAt', 'on 2020-02-03', null],
  ['createPlaylist', 'trackCount', '12', 12],
  ['createPlaylist', 'trackCount', 320.5, 321],
  ['createPlaylist', 'trackCount', 5n, 5],
  ['createPlaylist', 'createdAt', new Date(time), time],
  ['createPlaylist', 'createdAt', '2020-02-03', time],
  ['createPlaylist', 'createdAt', '2020-02-03T00:00:00Z', time],
  ['createPlaylist', 'createdAt', '2020-02-03T00:00:00', time],
  ['createPlaylist', 'createdAt', new Date(NaN), null],
  ['createPlaylist', 'createdAt', 'last year', null],
  ['createPlaylist', 'createdAt', NaN, null],
  ['getTrackDetail', 'durationMs', NaN, 0],
  ['getTrackDetail', 'durationMs', Infinity, 0],
  ['getTrackDetail', 'durationMs', -1, 0],
  ['getTrackDetail', 'durationMs', 'long', 0],
  ['getTrackDetail', 'durationMs', '9'.repeat(1000), 0],
  ['createPlaylist', 'trackCount', -3, 0],
  ['getTrackUrl', 'bitrate', -1, null],
  ['getTrackUrl', 'bitrate', '2020-02-03', null],
  ['getTrackDetail', 'fee', 'true', true],
  ['getTrackDetail', 'fee', 'false', false],
  ['getTrackDetail', 'fee', 1, true],
  ['getTrackDetail', 'fee', 0, false],
  ['getTrackDetail', 'title', undefined, ''],
  ['getTrackDetail', 'title', null, ''],
  ['getTrackDetail', 'title', { text: 'SECRET' }, ''],
  ['getTrackDetail', 'title', Symbol('SECRET'), ''],
  ['getTrackDetail', 'title', () => 'SECRET', ''],
  ['getTrackDetail', 'durationMs', null, 0],
  ['getTrackDetail', 'durationMs', true, 0],
  ['getTrackDetail', 'artists', null, []],
  ['getTrackDetail', 'artists', 'Ada', []],
  ['getTrackDetail', 'album', null, { id: '', name: '', coverUrl: '' }],
  ['getTrackDetail', 'album', { name: 'A' }, { id: '', name: 'A', coverUrl: '' }],
  ['getTrackDetail', 'qualities', null, []],
  ['getTrackDetail', 'fee', 'maybe', undefined],
  ['getTrackDetail', 'aliases', 7, undefined],
  ['getTrackDetail', 'aliases', ['a', null, 2, {}], ['a', '2']],
  ['getTrackDetail', 'mvId', {}, undefined],
  ['createPlaylist', 'description', null, ''],
  ['createPlaylist', 'trackCount', {}, 0],
  ['createPlaylist', 'creator', 'Ada', undefined],
  ['createPlaylist', 'playCount', null, undefined],
  ['searchTracks', 'hasMore', 'yes', false],
  ['searchTracks', 'limit', null, 1],
  ['searchTracks', 'limit', 0, 1],
  ['searchTracks', 'items', null, []]
]

const shown = (value: unknown) => typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function'
  ? String(value)
  : Number.isFinite(value) || typeof value !== 'number' ? JSON.stringify(value)?.slice(0, 40) : String(value)

for (const [method, member, given, sent] of rows) {
  t.test(`${method}: ${shown(given)} as ${member} is sent as ${shown(sent)}`, async t => {
    const { status, data, paths } = await mend(t, method, { ...dataOf(method), [member]: given })
    t.equal(status, 200)
    t.strictSame(data, JSON.parse(JSON.stringify({ ...dataOf(method), [member]: sent })))
    t.equal(paths[0]?.split('/')[1], member)
  })
}

t.test('an item that is no object or has no usable id is left out of its list', async t => {
  const items = [
    track(), null, 7, track({ id: undefined }), track({ id: null }), track({ id: {} }), track({ id: 8, title: null })
  ]
  const { data } = await mend(t, 'getNewTracks', items)
  t.strictSame(data, [track(), track({ id: '8', title: '' })])
})

t.test('an item without an id stays where its schema has none', async t => {
  const { data } = await mend(t, 'getPlaylistCategories', [{ key: 'a' }, 'b'])
  t.strictSame(data, [{ key: 'a', label: '' }])
})

t.test('what throws while it is read fails the call, tells why in the log, and is not cached', async t => {
  const cause = new Error('The database is away')
  let isAway = true
  const lazy = (value: object) => Object.defineProperties({}, Object.fromEntries(Object.entries(value).map(
    ([name, value]) => [name, { enumerable: true, get () { if (isAway) throw cause; else return value } }])))
  const given: [AdapterMethod, () => unknown, unknown][] = [
    ['getNewTracks', () => [track(), lazy(track())], [track(), track()]],
    ['getNewTracks', () => [track({ album: lazy(track().album) })], [track()]],
    ['getTrackDetail', () => lazy(track()), track()],
    ['searchTracks', () => ({ toJSON () { if (isAway) throw cause; else return dataOf('searchTracks') } }),
      dataOf('searchTracks')]
  ]
  for (const [method, answer, data] of given) {
    const adapter = { [method]: async () => answer() }
    const { lines, logger } = logged()
    const production = await build(
      t, { adapter, validateResponses: false, cache: createSourceCache() }, { logger })
    const development = await build(t, { adapter, validateResponses: true }, { logger })
    const call = callOf(operationOf(method))
    isAway = true
    t.match((await production.inject(call)).json(), { code: 500, message: 'Internal server error' })
    t.match((await development.inject(call)).json(), { code: 500, message: /Expected a value that can be read/ })
    for (const { err } of lines.filter(({ level }) => level === 50)) t.match(err.stack, cause.message)
    isAway = false
    t.strictSame((await production.inject(call)).json().data, data)
    t.strictSame((await development.inject(call)).json().data, data)
  }
})

for (const [method, data, what] of [
  ['getTrackDetail', 7, 'a scalar where an object is due'],
  ['getTrackDetail', [], 'a list where an object is due'],
  ['getTrackDetail', track({ id: undefined }), 'an object without the id that its schema has'],
  ['getNewTracks', { 0: track() }, 'an object where a list is due'],
  ['getNewTracks', 'text', 'a scalar where a list is due'],
  ['favoriteTrack', { success: 'no', status: true }, 'a mutation whose success is no boolean'],
  ['favoriteTrack', { success: true }, 'a mutation without status'],
  ['deletePlaylist', { success: 'maybe' }, 'a mutation with success only that is no boolean'],
  ['createPlaylist', playlist({ id: {} }), 'a playlist with an unusable id'],
  ['getTrackUrl', 7, 'a scalar instead of a TrackUrl']
] as const) {
  t.test(`${what} is a 500 that says nothing`, async t => {
    const { status, message, paths } = await mend(t, method, data)
    t.equal(status, 500)
    t.equal(message, 'Internal server error')
    t.strictSame(paths, [])
  })
}

t.test('a mutation whose success is one of the texts for it is done or refused as it says', async t => {
  t.strictSame((await mend(t, 'favoriteTrack', { success: 'false', status: 0 })).data, {
    success: false, status: false
  })
})

for (const url of [undefined, null, '', {}]) {
  t.test(`${JSON.stringify(url)} as url of a TrackUrl is a 502`, async t => {
    const { status, message } = await mend(t, 'getTrackUrl', { ...dataOf('getTrackUrl'), url })
    t.equal(status, 502)
    t.equal(message, 'The source gave no URL for this track')
  })
}

t.test('an answer without an id of its own needs none', async t => {
  t.strictSame((await mend(t, 'getUserMe', { nickname: 'Ada' })).data, {
    userId: '', nickname: 'Ada', avatar: '', platform: ''
  })
})
