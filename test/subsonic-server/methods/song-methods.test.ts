import { extras, type SourceAdapter, type Track } from 'fastify-source-origin'
import t from 'tap'
import { ask, ids, serve, type Query } from '../helper.ts'
import { albumOf, artistOf, trackOf, wholeLibrary } from '../library.ts'

t.test('random songs come from what roams, then from the library', async t => {
  let calls = 0
  const roam = (count: number): SourceAdapter => ({
    getRoamTracks: () => {
      calls++
      return Array.from({ length: count }, (_empty, index) => trackOf(calls * 100, index))
    }
  })
  const songs = async (options: Parameters<typeof serve>[1], query: Query = {}) =>
    (await ask(await serve(t, options), 'getRandomSongs', query)).randomSongs.song
  t.equal((await songs({ adapter: roam(4) }, { size: 10 })).length, 10)
  t.equal(calls, 3)
  calls = 0
  t.equal((await songs({ adapter: roam(1) }, { size: 10 })).length, 5)
  t.equal(calls, 5)
  t.equal((await songs({ adapter: { getDailyTracks: () => [trackOf(1, 0)] } }, { size: 10 })).length, 1)
  t.equal((await songs({ adapter: roam(4), library: wholeLibrary(20) }, { size: 500 })).length, 60)
  const rock =
    await songs({ adapter: roam(4), library: wholeLibrary(20) }, { size: 500, genre: 'rock', fromYear: 1965 })
  t.not(rock.length, 0)
  t.ok(rock.every(({ genre, year }: any) => genre === 'Rock' && year >= 1965))
})

t.test('songs like others, and the best of an artist, with what the source has', async t => {
  const song = async (more: SourceAdapter, method: string, query: Query) => {
    const answer = await ask(await serve(t, { adapter: more }), method, query)
    return ids(Object.values<any>(answer).at(-1).song)
  }
  const detail: SourceAdapter = {
    getTrackDetail: () => trackOf(1, 0),
    getAlbumDetail: () => ({ ...albumOf(1), tracks: [trackOf(1, 0)] }),
    getArtistDetail: (_id, limit) => ({ ...artistOf(1), tracks: [trackOf(1, 0), trackOf(1, 1)].slice(0, limit) }),
    searchArtists: () => ({ items: [{ id: 'x', name: 'Árt' }], offset: 0, limit: 20, hasMore: false })
  }
  const similar: SourceAdapter = { ...detail, getSimilarTracks: id => [{ ...trackOf(9, 0), id: `like-${id}` }] }
  t.strictSame(await song(similar, 'getSimilarSongs', { id: 'tr-t' }), ['tr-like-t'])
  t.strictSame(await song(similar, 'getSimilarSongs2', { id: 'al-b' }), ['tr-like-t1-0'])
  t.strictSame(await song(similar, 'getSimilarSongs2', { id: 'ar-a' }), ['tr-like-t1-0'])
  for (const id of ['tr-t', 'al-b', 'ar-a']) {
    t.strictSame(await song(detail, 'getSimilarSongs2', { id }), ['tr-t1-0', 'tr-t1-1'])
  }
  t.strictSame(await song(detail, 'getSimilarSongs2', { id: 'ar-a', count: 1 }), ['tr-t1-0'])
  t.strictSame(
    await song({ getTrackDetail: () => ({ ...trackOf(1, 0), artists: [] }) }, 'getSimilarSongs', { id: 'tr-t' }), []
  )
  t.strictSame(
    await song({ getAlbumDetail: () => ({ ...albumOf(1), tracks: [] }) }, 'getSimilarSongs', { id: 'al-b' }), []
  )
  t.strictSame(await song(detail, 'getTopSongs', { artist: 'art' }), ['tr-t1-0', 'tr-t1-1'])
  t.strictSame(await song(detail, 'getTopSongs', { artist: 'nobody' }), [])
  t.strictSame(await song(detail, 'getTopSongs', { id: 'ar-a', count: 1 }), ['tr-t1-0'])
})

t.test('the best songs of an artist are the hottest ones, in pages of 100', async t => {
  const asked: unknown[] = []
  const app = await serve(t, {
    adapter: {
      getArtistTracks: (...args) => {
        asked.push(args)
        const [, , offset, limit] = args
        return {
          items: Array.from({ length: limit }, (_empty, index) => trackOf(offset + index, 0)),
          offset,
          limit,
          hasMore: true
        }
      }
    } satisfies SourceAdapter
  })
  t.equal((await ask(app, 'getTopSongs', { id: 'ar-a', count: 150 })).topSongs.song.length, 150)
  t.strictSame(asked.splice(0), [['a', 'hot', 0, 100], ['a', 'hot', 100, 50]])
  t.equal((await ask(app, 'getTopSongs', { id: 'ar-a' })).topSongs.song.length, 50)
  t.strictSame(asked, [['a', 'hot', 0, 50]])
})

t.test('random songs are ten, of the years and the genre that are asked for, each once', async t => {
  const app = await serve(t, { library: wholeLibrary(60) })
  const songs = async (query: Query) => (await ask(app, 'getRandomSongs', query)).randomSongs.song
  t.equal((await songs({})).length, 10)
  const years = async (query: Query) =>
    [...new Set<number>((await songs({ size: 500, ...query })).map(({ year }: any) => year))].sort((a, b) => a - b)
  t.strictSame(await years({ fromYear: 1990, toYear: 1992 }), [1990, 1991, 1992])
  t.strictSame(await years({ fromYear: 2018 }), [2018, 2019])
  t.strictSame(await years({ toYear: 1961 }), [1960, 1961])
  t.strictSame(await years({ fromYear: 1992, toYear: 1990 }), [])
  t.strictSame(await years({ genre: 'ROCK', toYear: 1963 }), [1961, 1963])
  const all = await songs({ size: 500 })
  t.equal(new Set(ids(all)).size, 120)
})

t.test('tracks of the day stand in where nothing roams, and the library fills the rest', async t => {
  const calls: string[] = []
  const songs = async (roaming: Track[], size: number) => ids((await ask(await serve(t, {
    library: wholeLibrary(1),
    adapter: {
      getRoamTracks: () => { calls.push('roam'); return roaming },
      getDailyTracks: () => { calls.push('daily'); return [trackOf(50, 0)] }
    }
  }), 'getRandomSongs', { size })).randomSongs.song).sort()
  t.strictSame(await songs([], 10), ['tr-t0-0', 'tr-t0-1', 'tr-t50-0'])
  t.strictSame(calls.splice(0), ['roam', 'daily'])
  t.strictSame(await songs([trackOf(7, 0)], 10), ['tr-t0-0', 'tr-t0-1', 'tr-t7-0'])
  t.strictSame(calls.splice(0), ['roam', 'roam'], 'until nothing new comes')
  t.strictSame(await songs([trackOf(7, 0), trackOf(7, 1)], 2), ['tr-t7-0', 'tr-t7-1'])
  t.strictSame(calls, ['roam'])
})

t.test('songs of a genre are ten, in any case, from where an app asks on', async t => {
  const app = await serve(t, { library: wholeLibrary(14) })
  const songs = async (query: Query) =>
    ids((await ask(app, 'getSongsByGenre', { genre: 'ROCK', ...query })).songsByGenre.song)
  const all = [1, 3, 5, 7, 9, 11, 13].flatMap(album => [`tr-t${album}-0`, `tr-t${album}-1`])
  t.strictSame(await songs({}), all.slice(0, 10))
  t.strictSame(await songs({ offset: 13, count: 5 }), all.slice(13))
  t.strictSame(await songs({ offset: 14 }), [])
  t.strictSame(await songs({ genre: 'Pop' }), [])
})

t.test('random songs ask for the library only where too little roams', async t => {
  let reads = 0
  const roaming = [trackOf(7, 0), trackOf(7, 1)].map(track => ({ ...track, [extras]: { track: 1 } }))
  const app =
    await serve(t, { library: () => { reads++; return wholeLibrary(1)() }, adapter: { getRoamTracks: () => roaming } })
  t.strictSame(ids((await ask(app, 'getRandomSongs', { size: 2 })).randomSongs.song), ['tr-t7-0', 'tr-t7-1'])
  t.equal(reads, 0)
  t.equal((await ask(app, 'getRandomSongs', { size: 3 })).randomSongs.song.length, 3)
  t.equal(reads, 1)
})
