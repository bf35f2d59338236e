import { UnsupportedFeatureError, type SourceAdapter } from 'fastify-source-origin'
import t from 'tap'
import { createReferenceAdapter } from '../reference-source.ts'
import { ask, get, serve, type Query } from './helper.ts'
import { albumOf, artistOf, trackOf, wholeLibrary } from './library.ts'
import { replace } from '../replace.ts'

// Sources that say as little as they may.

const adapter = createReferenceAdapter(() => 'http://localhost')
const bareAlbum = { id: 'b', name: 'B', coverUrl: '' }
const bareTrack = { id: 't', title: 'T', artists: [], album: bareAlbum, durationMs: 1 }

t.test('albums without an artist, a time or a genre', async t => {
  const library = () => ({
    artists: [],
    albums: [bareAlbum, { ...bareAlbum, id: 'c', publishTime: 9e15 }, { ...bareAlbum, id: '', name: 'none' }],
    tracks: [bareTrack]
  })
  const app = await serve(t, { library })
  for (const type of ['alphabeticalByArtist', 'newest']) {
    const { album } = (await ask(app, 'getAlbumList2', { type })).albumList2
    t.match(album.find(({ id }: any) => id === 'al-c'), {
      artist: 'Unknown Artist', artistId: undefined, year: undefined, created: '1970-01-01T00:00:00.000Z', artists: []
    })
    t.equal(album.length, 2)
  }
  t.strictSame((await ask(app, 'getRandomSongs', { toYear: 1990 })).randomSongs.song, [])
})

t.test('genres count the songs that are known where albums do not say how many they have', async t => {
  const rock = { ...bareAlbum, genre: 'Rock' }
  const app = await serve(t, {
    library: () => ({
      artists: [],
      albums: [rock, { ...bareAlbum, id: 'd', genre: 'Jazz' }, { ...bareAlbum, id: 'e' }],
      tracks: [{ ...bareTrack, album: rock }, bareTrack]
    })
  })
  t.strictSame((await ask(app, 'getGenres')).genres.genre, [
    { value: 'Jazz', songCount: 0, albumCount: 1 }, { value: 'Rock', songCount: 1, albumCount: 1 }
  ])
})

t.test('no time limit at all', async t => {
  t.equal((await ask(await serve(t, { adapter, adapterTimeout: 0 }), 'getSong', { id: 'tr-t0' })).status, 'ok')
})

t.test('the songs of a library are counted where the source has no scan', async t => {
  const app = await serve(t, { adapter, library: wholeLibrary(2) })
  for (const method of ['getScanStatus', 'startScan']) {
    t.strictSame((await ask(app, method)).scanStatus,
      { scanning: false, count: 4, folderCount: 1, lastScan: '2023-11-14T22:13:20.000Z' })
  }
})

t.test('a change before anything was read reads nothing', async t => {
  const calls: string[] = []
  const app = await serve(t, {
    adapter: {
      favoriteTrack: () => ({ success: true, status: true }), userFavoriteTracks: () => { calls.push('x'); return [] }
    }
  })
  await ask(app, 'star', { id: 'tr-t0' })
  t.strictSame(calls, [])
})

t.test('an app that goes on paging within half an hour gets the list as it was at its first page', async t => {
  let count = 3
  const [date, now] = [Date.now(), performance.now.bind(performance)]
  let later = 0
  replace(t, Date, 'now', () => date + later)
  replace(t, performance, 'now', () => now() + later)
  const app = await serve(t, { library: () => wholeLibrary(count)(), revision: () => String(count) })
  const pageFrom = async (offset: number) => {
    const { albumList2 } = await ask(app, 'getAlbumList2', { type: 'alphabeticalByName', size: 1, offset })
    return albumList2.album.map(({ id }: { id: string }) => id)
  }
  const before = await pageFrom(0)
  count = 12
  for (const offset of [1, 2]) {
    later += 1_700_000
    before.push(...await pageFrom(offset))
  }
  t.strictSame(before, ['al-b0', 'al-b1', 'al-b2'])
  t.strictSame(await pageFrom(3), [])
  t.strictSame(await pageFrom(0), before.slice(0, 1))
  t.strictSame(await pageFrom(11), ['al-b11'], 'who begins anew gets what there is')
})

t.test('albums that are gone when an app goes on paging half an hour later are left out', async t => {
  let count = 3
  const [date, now] = [Date.now(), performance.now.bind(performance)]
  let later = 0
  replace(t, Date, 'now', () => date + later)
  replace(t, performance, 'now', () => now() + later)
  const app = await serve(t, { library: () => wholeLibrary(count)(), revision: () => String(count) })
  await ask(app, 'getAlbumList2', { type: 'random' })
  count = 1
  later = 1_801_000
  t.strictSame((await ask(app, 'getAlbumList2', { type: 'random', offset: 1 })).albumList2.album, [])
})

t.test('who an album is by, from what there is', async t => {
  const info = async (adapter: SourceAdapter) =>
    (await ask(await serve(t, { adapter }), 'getArtistInfo2', { id: 'al-b' })).artistInfo2.smallImageUrl
  const artists = [{ ...artistOf(1), coverUrl: 'https://x.example/1' }]
  t.equal(
    await info({ getAlbumDetail: () => ({ ...bareAlbum, tracks: [{ ...bareTrack, artists }] }) }), 'https://x.example/1'
  )
  t.equal(await info({ getAlbumDetail: () => ({ ...bareAlbum, tracks: [] }) }), '')
  const app =
    await serve(t, { adapter: { getAlbumDetail: () => ({ ...bareAlbum, tracks: [{ ...bareTrack, artists }] }) } })
  await ask(app, 'getAlbum', { id: 'al-b' })
  t.equal((await ask(app, 'getArtistInfo2', { id: 'al-b' })).artistInfo2.smallImageUrl, 'https://x.example/1')
})

t.test('lyrics of a track of which nothing else is known', async t => {
  const lyrics = async (given: object, query: Query = {}) => ask(
    await serve(t, { adapter: { getTrackLyrics: () => given, searchTracks: adapter.searchTracks } }),
    query.title ? 'getLyrics' : 'getLyricsBySongId', { id: 'tr-x', ...query }
  )
  t.match((await lyrics({ lyrics: 'a' })).lyricsList.structuredLyrics, [{ displayArtist: '', displayTitle: '' }])
  t.strictSame((await lyrics({ lyrics: '' })).lyricsList.structuredLyrics, [])
  t.equal((await lyrics({ lyrics: '' }, { title: 'Morning Song 0' })).lyrics.value, '')
  t.equal((await lyrics({ lyrics: '', wordLyrics: '<00:01.00>a' }, { title: 'Morning Song 0' })).lyrics.value, 'a')
  t.equal((await lyrics({ lyrics: 'b' }, { title: 'Morning Song 0', artist: 'Nobody' })).lyrics.value, '')
})

t.test('playlists without a description, of somebody', async t => {
  const changes: unknown[] = []
  const own: SourceAdapter = {
    getUserPlaylist: () => [{ id: 'p', name: 'P' }],
    getPlaylistDetail: id => ({ id, name: 'P', creator: { id: 'e', name: 'Eve', avatarUrl: '' }, tracks: [] }),
    updatePlaylist: (...args) => { changes.push(args); return { id: 'p', name: '' } }
  }
  const app = await serve(t, { adapter: own })
  await ask(app, 'createPlaylist', { playlistId: 'pl-p', name: 'Q' })
  await ask(app, 'updatePlaylist', { playlistId: 'pl-p', name: 'R' })
  t.strictSame(changes, [['p', 'Q', ''], ['p', 'R', '']])
  t.equal((await ask(app, 'getPlaylist', { id: 'pl-q' })).playlist.owner, 'Eve')
  t.match(
    await ask(await serve(t, { adapter: { ...own, getUserPlaylist: undefined } }), 'updatePlaylist', {
      playlistId: 'pl-p', name: 'R'
    }),
    { status: 'ok' }
  )
  t.equal((await ask(app, 'scrobble', { id: 'tr-1', time: 'never' })).status, 'ok')
  t.match(await ask(app, 'scrobble'), { status: 'failed', error: { code: 10 } })
})

t.test('suggestions stand in for songs, and old apps get folders', async t => {
  const app = await serve(t, {
    adapter: {
      searchSuggest: () =>
        ({ songs: [trackOf(1, 0)], artists: [artistOf(1)], albums: [albumOf(1)] })
    }
  })
  t.match((await ask(app, 'search2', { query: 'x' })).searchResult2, {
    artist: [{ id: 'ar-a1' }], album: [{ isDir: true }], song: [{ id: 'tr-t1-0' }]
  })
})

t.test('qualities without a bitrate or a format', async t => {
  const qualities = [{ key: 'a', label: 'A', size: 1 }, { key: 'b', label: 'B', size: 2, format: 'ape' }]
  const urls: unknown[] = []
  const app = await serve(t, {
    media: 'redirect',
    adapter: {
      getTrackDetail: () => ({ ...bareTrack, qualities }),
      getTrackUrl: (_id: string, quality?: string) => {
        urls.push(quality)
        return { url: 'https://x.example/a', quality: 'a' }
      }
    }
  })
  t.match((await ask(app, 'getSong', { id: 'tr-t' })).song, {
    suffix: 'ape', contentType: 'audio/x-ape', bitRate: undefined
  })
  await get(app, 'stream', { id: 'tr-t' })
  await get(app, 'stream', { id: 'tr-t', maxBitRate: 64 })
  t.strictSame(urls, ['b', 'a'])
})

t.test('an album that names no artist has that of its songs', async t => {
  const tracks = [{ ...bareTrack, artists: [artistOf(1)] }]
  const app = await serve(t, { library: () => ({ artists: [], albums: [bareAlbum], tracks }) })
  t.match((await ask(app, 'getAlbumList2', { type: 'newest' })).albumList2.album, [
    { artist: 'Artist 1', artistId: 'ar-a1' }
  ])
})

t.test('lyrics of a track that is found by its title and artist', async t => {
  const found = [{ ...bareTrack, id: 'other', artists: [artistOf(2)] }, { ...bareTrack, artists: [artistOf(1)] }]
  const app = await serve(t, {
    adapter: {
      getTrackLyrics: (id: string) => ({ lyrics: id }),
      searchTracks: () => ({ items: found, offset: 0, limit: 20, hasMore: false })
    }
  })
  t.equal((await ask(app, 'getLyrics', { title: 't', artist: 'ARTIST 1' })).lyrics.value, 't')
})

t.test('more times than are remembered', async t => {
  const { writeTime } = await import('../../lib/subsonic-server/times.ts')
  for (let time = 0; time <= 10_000; time++) writeTime(time)
  t.strictSame(writeTime(0), { text: '1970-01-01T00:00:00.000Z', year: 1970, date: { year: 1970 } })
})

t.test('items without an id are left out of a page, and the others stay', async t => {
  const app = await serve(t, {
    adapter: {
      searchTracks: () =>
        ({ items: [{ ...bareTrack, id: '' }, bareTrack], hasMore: false })
    }
  })
  const { song } = (await ask(app, 'search3', { query: 't' })).searchResult3
  t.strictSame(song.map(({ id }: any) => id), ['tr-t'])
})

t.test('a source that has no URL for a track says so', async t => {
  const getTrackUrl = () => { throw new UnsupportedFeatureError() }
  const app = await serve(t, { adapter: { getTrackDetail: () => bareTrack, getTrackUrl } })
  t.match(await ask(app, 'stream', { id: 'tr-t' }), {
    status: 'failed', error: { message: 'The source has no URL for this track' }
  })
})
