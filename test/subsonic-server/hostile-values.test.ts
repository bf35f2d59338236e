import { operations } from 'fastify-source-origin'
import assert from 'node:assert/strict'
import t from 'tap'
import { hostileError, hostileValue, mutate, secret } from '../campaigns/support/hostile-values.ts'
import { Random } from '../campaigns/support/random.ts'
import { dataOf, logged, token } from '../helper.ts'
import { formats, readAnswer, type Format } from './check-answer.ts'
import { ask, get, roomy, serve } from './helper.ts'
import { albumOf, artistOf, trackOf } from './library.ts'
import { calls, changesOf } from './methods.ts'

// What adapters answer that do not keep the contract.

const track = trackOf(1, 0)

for (const [what, given, shown] of [
  ['no title', { ...track, title: undefined }, { title: '' }],
  ['numbers for texts', { ...track, id: 7, title: 8, album: { ...albumOf(1), name: 9 } },
    { id: 'tr-7', title: '8', album: '9' }],
  ['null for lists and objects', { ...track, artists: null, qualities: null, album: null },
    { artist: 'Unknown Artist', album: 'Unknown Album', artists: [], albumId: undefined }],
  ['text for numbers', { ...track, durationMs: '90000', album: { ...albumOf(1), publishTime: '1999-05-06' } },
    { duration: 90, year: 1999 }],
  ['numbers that are none', { ...track, durationMs: 1e300, album: { ...albumOf(1), publishTime: 1e15 } },
    { duration: Number.MAX_SAFE_INTEGER, year: undefined, created: '1970-01-01T00:00:00.000Z' }],
  ['the prototype of a class',
    new class {
      id = track.id; title = track.title; artists = []; durationMs = 1; get album () {
        return albumOf(2)
      }
    }(), { album: 'Album 2' }]
] as [string, unknown, object][]) {
  t.test(`a track that has ${what} is mended`, async t => {
    const app = await serve(t, { adapter: { getTrackDetail: () => given, userFavoriteTracks: () => [given] } })
    t.match((await ask(app, 'getSong', { id: 'tr-7' })).song, shown)
    t.match((await ask(app, 'getStarred2')).starred2.song, [shown])
    t.match((await ask(app, 'getRandomSongs')).randomSongs.song, [shown])
  })
}

t.test('what is mended is logged once for each place, and counted at the end', async t => {
  const { lines, logger } = logged()
  const app = await serve(t, { adapter: { getTrackDetail: () => ({ ...track, title: 1 }) } }, { ...roomy, logger })
  for (let call = 0; call < 3; call++) await ask(app, 'getSong', { id: 'tr-7' })
  await app.close()
  t.match(lines.filter(({ level }) => level === 40), [
    { operation: 'getTrackDetail', path: '/title', msg: 'response repaired' },
    { path: '/title', count: 3, msg: 'responses repaired' }
  ])
})

for (const [what, adapter, method] of [
  ['a list that is null', { getArtistAlbums: () => ({ items: null, offset: 0, limit: 100, hasMore: false }) },
    'getArtists'],
  ['a page without items', { getArtistAlbums: () => ({ hasMore: false }) }, 'getArtists'],
  ['null for a list', { getTopArtists: () => null }, 'getArtists'],
  ['a playlist without tracks', { getPlaylistDetail: () => ({ id: 'p', name: 'P', tracks: 'none' }) }, 'getArtists'],
  ['an album whose tracks cannot be read',
    { getAlbumDetail: () => ({ ...albumOf(1), get tracks () { throw new Error('no') } }) }, 'search3']
] as [string, object, string][]) {
  t.test(`a source that gives ${what} never looks like a smaller library`, async t => {
    const app = await serve(t, {
      context: { stateless: true },
      adapter: {
        getTopArtists: () => [artistOf(1)],
        getArtistAlbums: () => ({ items: [albumOf(1)], offset: 0, limit: 100, hasMore: false }),
        getPlaylists: () => ({ items: [{ id: 'p', name: 'P' }], offset: 0, limit: 100, hasMore: false }),
        ...adapter
      }
    })
    t.match(await ask(app, method), { status: 'failed', error: { code: 0 } })
  })
}

t.test('a library is mended like an adapter', async t => {
  const items: any = {
    artists: [{ id: 1, name: 2 }, null],
    albums: [{ id: 'a', name: 'A', trackCount: '3' }],
    tracks: [{ ...track, title: null }, 7]
  }
  const library: any = {
    ids: ({ kind }: { kind: string }) => items[kind].map((_item: unknown, index: number) => String(index)),
    items: (kind: string, ids: string[]) => ids.map(id => items[kind][id]),
    facets: () => ({}),
    revision: '1'
  }
  const app = await serve(t, { adapter: { library } })
  t.match((await ask(app, 'search3')).searchResult3, {
    artist: [{ id: 'ar-1', name: '2' }], album: [{ songCount: 3 }], song: [{ title: '' }]
  })
})

t.test('the songs of a genre are a whole number, however many albums say they have', async t => {
  const albums = [1, 3, 5].map(index => ({ ...albumOf(index), trackCount: Number.MAX_SAFE_INTEGER }))
  const app = await serve(t, { library: () => ({ artists: [], albums, tracks: [] }) })
  t.match((await ask(app, 'getGenres')).genres.genre, [{ songCount: Number.MAX_SAFE_INTEGER, albumCount: 3 }])
})

/** Mostly something like the data that the method may answer. */
function answerOf (random: Random, method: typeof operations[number]['adapterMethod']): any {
  const kind = random.next()
  if (kind < 0.1) throw hostileError(random)
  if (kind < 0.15) return hostileValue(random)
  return mutate(random, dataOf(method, random.pick(['all', 'required'])), random.pick([0, 0.02, 0.1, 0.3]))
}

for (const stateless of [true, false]) {
  t.test(`hostile values never break an envelope, ${stateless ? 'stateless' : 'with an account'}`, async t => {
    const { lines, logger } = logged()
    for (let seed = 0; seed < 30; seed++) {
      const random = new Random(seed)
      const adapter = Object.fromEntries(operations.map(({ adapterMethod }) =>
        [adapterMethod, async () => answerOf(random, adapterMethod)]))
      const app = await serve(t, { adapter, context: { stateless } }, { ...roomy, logger })
      for (const { method, query = {} } of [...calls, ...changesOf(0)]) {
        const format: Format = random.pick(['json', 'jsonp', 'xml'])
        const response = await get(app, method, { ...query, ...formats[format] })
        try {
          assert.equal(response.statusCode, 200)
          readAnswer(format, response)
          for (const hidden of [secret, token]) assert.ok(!response.body.includes(hidden), hidden)
        } catch (cause) {
          throw new Error(`${method} in ${format}, seed ${seed}: ${response.body.slice(0, 300)}`, { cause })
        }
      }
    }
    t.strictSame(
      lines.filter(line => JSON.stringify(line).includes(token)).slice(0, 3), [], 'the log holds no credential'
    )
  })
}
