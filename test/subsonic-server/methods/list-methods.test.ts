import type { SourceAdapter } from 'fastify-source-origin'
import t from 'tap'
import { adapter, ask, get, ids, serve, type Query } from '../helper.ts'
import { albumOf, trackOf, wholeLibrary } from '../library.ts'

t.test('albums of years go the way that is asked for, by genre in any case, and by Supersonic\'s limit', async t => {
  const app = await serve(t, { library: wholeLibrary(60) })
  const list = async (query: Query) => (await ask(app, 'getAlbumList2', { size: 500, ...query })).albumList2.album
  t.strictSame((await list({ type: 'byYear', fromYear: 1990, toYear: 1992 })).map(({ year }: any) => year), [
    1990, 1991, 1992
  ])
  t.strictSame((await list({ type: 'byYear', fromYear: 1992, toYear: 1990 })).map(({ year }: any) => year), [
    1992, 1991, 1990
  ])
  t.equal((await list({ type: 'byGenre', genre: 'ROCK', size: undefined, limit: 7 })).length, 7)
  for (const query of [{}, { type: 'loud' }, { type: 'constructor' }, { type: 'byYear', fromYear: 1 }, {
    type: 'byGenre'
  }]) {
    t.match(await ask(app, 'getAlbumList2', query), { error: { code: 10 } })
  }
})

t.test('a shuffled list stays in its order while an app pages through it', async t => {
  const app = await serve(t, { library: wholeLibrary(200) })
  const page = async (offset: number) =>
    ids((await ask(app, 'getAlbumList2', { type: 'random', size: 100, offset })).albumList2.album)
  const [first, second, again] = [await page(0), await page(100), await page(0)]
  t.equal(new Set([...first, ...second]).size, 200)
  t.notSame(first, again)
})

t.test('new, best, played', async t => {
  const app = await serve(t, {
    adapter: {
      ...adapter, getToplistTracks: id => ({ id, name: 'Best', tracks: [trackOf(3, 0), trackOf(3, 1), trackOf(1, 0)] })
    } satisfies SourceAdapter
  })
  const list = async (type: string) => ids((await ask(app, 'getAlbumList2', { type })).albumList2.album)
  t.strictSame(await list('newest'), ['al-b0', 'al-b1', 'al-b2', 'al-b3'])
  t.strictSame(await list('highest'), ['al-b3', 'al-b1'])
  t.strictSame(await list('recent'), [])
  await ask(app, 'scrobble', { id: ['tr-t0', 'tr-t1', 'tr-t4', 'al-b0'], time: [1_000_000, 2_000_000, 500_000, 'x'] })
  t.strictSame(await list('recent'), ['al-b1', 'al-b0'])
  t.strictSame(await list('frequent'), ['al-b0', 'al-b1'])
  await ask(app, 'scrobble', { id: 'tr-t0', time: 3_000_000 })
  t.strictSame(await list('recent'), ['al-b0', 'al-b1'])
  await ask(app, 'scrobble', { id: 'tr-gone' })
  t.equal((await list('frequent')).length, 2)
  await ask(app, 'scrobble', { id: 'tr-t2', submission: false })
  await ask(app, 'scrobble', { id: ['tr-gone'], submission: false, c: 'other' })
  t.match((await ask(app, 'getNowPlaying')).nowPlaying.entry, [
    { id: 'tr-t2', username: 'ada', minutesAgo: 0, playerName: 'test' }
  ])
})

t.test('a list of albums has ten, as many as are asked for, 500 at most, and tells how many there are', async t => {
  const app = await serve(t, { library: wholeLibrary(600) })
  for (const [query, length] of [
    [{}, 10], [{ size: 0 }, 0], [{ size: 11 }, 11], [{ size: 501 }, 500], [{ size: 500, offset: 599 }, 1],
    [{ size: 500, offset: 600 }, 0], [{ limit: 7 }, 7], [{ limit: 7, size: 8 }, 8], [{ limit: 501 }, 500]
  ] as [Query, number][]) {
    for (const type of ['alphabeticalByName', 'random']) {
      const response = await get(app, 'getAlbumList2', { f: 'json', type, ...query })
      t.equal(response.json()['subsonic-response'].albumList2.album.length, length, JSON.stringify({ type, ...query }))
      t.equal(response.headers['x-total-count'], '600')
    }
  }
})

t.test('the best albums are those of the first toplist that there is, each once', async t => {
  const toplist = (id: string) => ({ id, name: id, coverUrl: '', updateFrequency: '', tracks: [] })
  const asked: string[] = []
  const source: SourceAdapter = {
    getToplist: () => [{ name: 'Empty', list: [] }, { name: 'A', list: [toplist('x'), toplist('y')] }],
    getToplistTracks: id => {
      asked.push(id)
      return {
        id,
        name: id,
        tracks: [
          trackOf(3, 0), { ...trackOf(1, 0), album: { id: '', name: '', coverUrl: '' } }, trackOf(2, 0), trackOf(3, 1)
        ]
      }
    }
  }
  const highest = async (adapter: SourceAdapter) =>
    ids((await ask(await serve(t, { adapter }), 'getAlbumList2', { type: 'highest' })).albumList2.album)
  t.strictSame(await highest(source), ['al-b3', 'al-b2'])
  t.strictSame(asked, ['x'])
  t.strictSame(await highest({ getToplist: () => [] }), [])
  t.strictSame(await highest({}), [])
})

t.test('new albums come first in the order of the source, then the others of the library, each once', async t => {
  const getNewTracks = () => [trackOf(2, 0), trackOf(9, 0), trackOf(2, 1)]
  const app = await serve(t, { adapter: { userAlbums: () => [0, 1, 2, 3, 4].map(albumOf), getNewTracks } })
  t.strictSame(ids((await ask(app, 'getAlbumList2', { type: 'newest' })).albumList2.album), [
    'al-b2', 'al-b9', 'al-b4', 'al-b3', 'al-b1', 'al-b0'
  ])
})
