import {
  NotFoundError, UnsupportedFeatureError, UpstreamError, type Playlist, type SourceAdapter, type Track
} from 'fastify-source-origin'
import { memoryStore } from 'fastify-source-origin/subsonic'
import t from 'tap'
import { fakeTime } from '../fake-time.ts'
import { deferred, logged } from '../helper.ts'
import { createReferenceAdapter } from '../reference-source.ts'
import { ask, get, login, queryOf, roomy, serve, storeIn, type Query, token } from './helper.ts'
import { albumOf, artistOf, trackOf, wholeLibrary } from './library.ts'
import { replace } from '../replace.ts'

const adapter = createReferenceAdapter(() => 'http://localhost')
const ids = (items: { id: string }[]) => items.map(({ id }) => id)
const stateless = { context: { stateless: true } }

t.test('a song has all that strict apps need', async t => {
  const track: Track = {
    id: 't',
    title: 'A/B',
    artists: [{ id: 'a', name: 'Ada' }, { id: '', name: 'Bo' }],
    album: {
      id: 'b', name: 'Both', coverUrl: 'https://x.example/c', publishTime: Date.UTC(1999, 11, 31, 16), genre: 'Pop'
    },
    durationMs: 1499,
    favorite: true,
    qualities: [{ key: 'q', label: 'Q', size: 12.4, bitrate: 320_400, format: 'FLAC' }]
  }
  const app = await serve(t, { adapter: { getTrackDetail: () => track } })
  t.strictSame((await ask(app, 'getSong', { id: 'tr-t' })).song, {
    id: 'tr-t',
    parent: 'al-b',
    isDir: false,
    title: 'A/B',
    album: 'Both',
    artist: 'Ada, Bo',
    albumId: 'al-b',
    artistId: 'ar-a',
    coverArt: 'al-b',
    duration: 1,
    size: 12,
    suffix: 'flac',
    contentType: 'audio/flac',
    type: 'music',
    bitRate: 320,
    isVideo: false,
    created: '1999-12-31T16:00:00.000Z',
    path: 'Ada/Both/A_B.flac',
    year: 2000,
    genre: 'Pop',
    starred: '1970-01-01T00:00:00.000Z',
    mediaType: 'song',
    displayArtist: 'Ada, Bo',
    displayAlbumArtist: 'Ada',
    artists: [{ id: 'ar-a', name: 'Ada' }],
    albumArtists: [{ id: 'ar-a', name: 'Ada' }],
    genres: [{ name: 'Pop' }]
  })
})

t.test('created is when the source got a song or an album, where it knows that', async t => {
  const asked: unknown[] = []
  const publishTime = Date.parse('2001-02-03')
  const tracks = ['new', 'other'].map(id => ({
    id, title: id, artists: [], album: { id: 'b', name: 'B', coverUrl: '', publishTime }, durationMs: 1
  }))
  const app = await serve(t, {
    context: { account: 'one' },
    adapter: {
      getAlbumDetail: (id: string) => ({ id, name: 'B', coverUrl: '', publishTime, tracks })
    },
    addedAt (kind, id, { account }) {
      asked.push([kind, id, account])
      return id === 'old' || id === 'other' ? undefined : Date.parse('2026-01-02T03:04:05Z')
    }
  })
  const { album } = await ask(app, 'getAlbum', { id: 'al-b' })
  t.equal(album.created, '2026-01-02T03:04:05.000Z')
  t.equal(album.year, 2001)
  t.strictSame(album.song.map(({ created }: any) => created), ['2026-01-02T03:04:05.000Z', '2001-02-03T00:00:00.000Z'])
  t.equal((await ask(app, 'getAlbum', { id: 'al-old' })).album.created, '2001-02-03T00:00:00.000Z')
  t.strictSame(asked[0], ['album', 'b', 'one'])
})

t.test('a song of which next to nothing is known', async t => {
  const app = await serve(t, {
    adapter: {
      getTrackDetail: () =>
        ({
          id: 't',
          title: '',
          artists: [],
          album: { id: '', name: '', coverUrl: '' },
          durationMs: NaN,
          qualities: [
            { key: 'q', label: '', size: 1, format: '../x' }
          ]
        })
    }
  })
  t.match((await ask(app, 'getSong', { id: 'tr-t' })).song, {
    artist: 'Unknown Artist',
    album: 'Unknown Album',
    albumId: undefined,
    artistId: undefined,
    parent: undefined,
    coverArt: 'tr-t',
    duration: 0,
    suffix: 'mp3',
    contentType: 'audio/mpeg'
  })
})

t.test('songs without an album have nothing to do with each other', async t => {
  const single = (id: string) => ({
    id, title: id, artists: [{ id, name: `Artist ${id}` }], album: { id: '', name: '', coverUrl: '' }, durationMs: 1
  })
  const app = await serve(t, {
    adapter: {
      searchTracks: () => ({ items: ['ada', 'bo'].map(single), offset: 0, limit: 20, hasMore: false })
    } satisfies SourceAdapter
  })
  const { song } = (await ask(app, 'search3', { query: 'x', artistCount: 0, albumCount: 0 })).searchResult3
  t.strictSame(song.map(({ displayAlbumArtist, albumArtists }: any) => [displayAlbumArtist, ids(albumArtists)]), [
    ['Artist ada', ['ar-ada']], ['Artist bo', ['ar-bo']]
  ])
})

t.test('favourites of the account decide where items do not say', async t => {
  let calls = 0
  const plain = { id: 't', title: 'T', artists: [], album: albumOf(1), durationMs: 1 }
  const all: SourceAdapter = {
    getTrackDetail: id => ({ ...plain, id }),
    userFavoriteTracks: () => { calls++; return [plain] },
    favoriteTrack: (_id, status) => ({ success: true, status })
  }
  const app = await serve(t, { adapter: all })
  const starred = async (id: string) => 'starred' in (await ask(app, 'getSong', { id })).song
  t.strictSame([await starred('tr-t'), await starred('tr-u'), calls], [true, false, 1])
  await ask(app, 'star', { id: 'tr-u' })
  await ask(app, 'unstar', { id: 'tr-t' })
  t.strictSame([await starred('tr-t'), await starred('tr-u')], [false, true])
  const failing = await serve(t, { adapter: { ...all, userFavoriteTracks: () => { throw new Error('no') } } })
  t.match(await ask(failing, 'getSong', { id: 'tr-t' }), { error: { code: 0 } })
})

t.test('a client that hangs up ends no reading of favourites that another one waits for', async t => {
  const [asked, seen, closed, answered] = [deferred<void>(), deferred<void>(), deferred<void>(), deferred<void>()]
  const app = await serve(t, {
    resolveContext: ({ signal }) => ({
      stateless: false,
      adapter: {
        getTrackDetail: id => {
          if (id === 'late') seen.resolve()
          return trackOf(1, 0)
        },
        userFavoriteTracks: async () => {
          asked.resolve()
          await answered.promise
          signal.throwIfAborted()
          return []
        }
      } satisfies SourceAdapter
    })
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  app.server.once('connection', socket => socket.once('close', () => closed.resolve()))
  const controller = new AbortController()
  const leaving = fetch(`${url}/rest/getSong?${queryOf({ ...login, id: 'tr-early' })}`, { signal: controller.signal })
  await asked.promise
  const staying = ask(app, 'getSong', { id: 'tr-late' })
  await seen.promise
  controller.abort()
  await t.rejects(leaving)
  await closed.promise
  answered.resolve()
  t.equal((await staying).status, 'ok')
})

t.test('what a source without the methods is asked for is empty, or from the library', async t => {
  const app = await serve(t, { library: wholeLibrary(8) })
  t.equal((await ask(app, 'getArtist', { id: 'ar-a1' })).artist.name, 'Artist 1')
  t.strictSame(ids((await ask(app, 'getAlbum', { id: 'al-b1' })).album.song), ['tr-t1-0', 'tr-t1-1'])
  t.equal((await ask(app, 'getSong', { id: 'tr-t1-0' })).song.title, 'Song 0 of 1')
  t.match((await ask(app, 'getAlbum', { id: 'al-b1' })).album, { artistId: 'ar-a1', duration: 120, songCount: 2 })
  for (const [method, id] of [['getArtist', 'ar-x'], ['getAlbum', 'al-x'], [
    'getSong', 'tr-x'
  ], ['getAlbum', 'ar-a1'], ['getPlaylist', 'pl-x'], ['getPlaylist', 'sp-daily'], ['getPlaylist', 'sp-other'],
  ['getPlaylist', 'tl-x'], [
    'getMusicDirectory', 'tr-x'
  ], ['getArtistInfo2', 'pl-x'], ['getAlbumInfo2', 'ar-a1'], ['getSimilarSongs2', 'pl-x']] as const) {
    t.match(await ask(app, method, { id }), { error: { code: 70 } }, `${method} ${id}`)
  }
  t.strictSame((await ask(app, 'getSimilarSongs2', { id: 'ar-a1' })).similarSongs2.song, [])
  t.match(await ask(app, 'getSimilarSongs2', { id: 'ar-x' }), { error: { code: 70 } })
  t.strictSame((await ask(app, 'getTopSongs', { artist: 'Artist 1' })).topSongs.song, [])
  t.strictSame(ids((await ask(app, 'search3', { query: 'album 3 artist' })).searchResult3.album), ['al-b3'])
  t.strictSame(ids((await ask(app, 'search2', { query: 'Song 1 of 3' })).searchResult2.song), ['tr-t3-1'])
  t.strictSame(ids((await ask(app, 'search3', { query: 'ARTIST 3' })).searchResult3.artist), ['ar-a3'])
  t.match((await ask(app, 'getGenres')).genres.genre, [
    { value: 'Folk', songCount: 8, albumCount: 4 }, { value: 'Rock', songCount: 8, albumCount: 4 }
  ])
  t.match((await ask(app, 'getLyricsBySongId', { id: 'tr-t1-0' })).lyricsList, { structuredLyrics: [] })
})

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
  await ask(app, 'scrobble', { id: ['tr-t0', 'tr-t1', 'tr-t4', 'al-b0'], time: [1000, 2000, 500, 'x'] })
  t.strictSame(await list('recent'), ['al-b1', 'al-b0'])
  t.strictSame(await list('frequent'), ['al-b0', 'al-b1'])
  await ask(app, 'scrobble', { id: 'tr-t0', time: 3000 })
  t.strictSame(await list('recent'), ['al-b0', 'al-b1'])
  await ask(app, 'scrobble', { id: 'tr-gone' })
  t.equal((await list('frequent')).length, 2)
  await ask(app, 'scrobble', { id: 'tr-t2', submission: false })
  await ask(app, 'scrobble', { id: ['tr-gone'], submission: false, c: 'other' })
  t.match((await ask(app, 'getNowPlaying')).nowPlaying.entry, [
    { id: 'tr-t2', username: 'ada', minutesAgo: 0, playerName: 'test' }
  ])
})

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

t.test('a search asks in pages until there is enough, and suggestions stand in for it', async t => {
  const asked: unknown[] = []
  const all: SourceAdapter = {
    searchTracks: (keyword, offset, limit) => {
      asked.push([keyword, offset, limit])
      return {
        items: Array.from({ length: 20 }, (_empty, index) => trackOf(offset + index, 0)), offset, limit, hasMore: true
      }
    },
    searchSuggest: () => ({ songs: [], artists: [artistOf(1), artistOf(2)], albums: [albumOf(1)] })
  }
  const app = await serve(t, { adapter: all })
  const { song, artist, album } =
    (await ask(app, 'search3', { query: ' "word"* ', songCount: 50, songOffset: 7, artistCount: 1 })).searchResult3
  t.strictSame([song.length, artist.length, album.length], [50, 1, 1])
  t.strictSame(asked, [['word', 7, 50], ['word', 27, 30], ['word', 47, 10]])
  t.strictSame((await ask(app, 'search3', { query: 'word', songCount: 0, artistOffset: 1 })).searchResult3.artist, [])
  t.match((await ask(app, 'search', { artist: 'a', title: 'b', count: 3 })).searchResult, { offset: 0, totalHits: 3 })
  t.strictSame(asked.at(-1), ['a b', 0, 3])
  const without = await serve(t, { adapter: { ...all, searchSuggest: () => { throw new UnsupportedFeatureError() } } })
  t.strictSame((await ask(without, 'search3', { query: 'word', songCount: 0 })).searchResult3.artist, [])
})

t.test('folders: artists, their albums, songs, and lists', async t => {
  const app = await serve(t, { adapter: { ...adapter, getArtistAlbums: undefined } })
  t.match((await ask(app, 'getMusicDirectory', { id: '1' })).directory.child, [
    { id: 'ar-a1', parent: '1', isDir: true, title: 'Bela Quartet' }
  ])
  t.match((await ask(app, 'getMusicDirectory', { id: 'ar-a0' })).directory, {
    parent: '1', child: [{ id: 'al-b0', isDir: true, parent: 'ar-a0', title: 'Morning Music' }]
  })
  t.match((await ask(app, 'getMusicDirectory', { id: 'al-b0' })).directory, {
    id: 'al-b0', child: [{ isDir: false, track: 1 }, {}, {}, {}]
  })
  t.equal((await ask(app, 'getMusicDirectory', { id: 'pl-p0' })).directory.child.length, 3)
})

t.test('pictures and texts about artists and albums are always there', async t => {
  const about: SourceAdapter = {
    getArtistDetail: () => ({ ...artistOf(1), avatarUrl: 'https://x.example/a', description: 'Born.', tracks: [] }),
    getAlbumDetail: () => ({ ...albumOf(1), artist: artistOf(1), description: 'Recorded.', tracks: [] }),
    getTrackDetail: () => ({ ...trackOf(1, 0), artists: [] })
  }
  const app = await serve(t, { adapter: about })
  t.match((await ask(app, 'getArtist', { id: 'ar-a1' })).artist, { artistImageUrl: 'https://x.example/a', album: [] })
  t.match((await ask(app, 'getArtistInfo2', { id: 'ar-a1' })).artistInfo2, {
    biography: 'Born.', smallImageUrl: 'https://x.example/a'
  })
  t.match((await ask(app, 'getArtistInfo2', { id: 'al-b1' })).artistInfo2, { biography: '', smallImageUrl: '' })
  t.match((await ask(app, 'getArtistInfo', { id: 'tr-1' })).artistInfo, { biography: '', largeImageUrl: '' })
  t.match((await ask(app, 'getAlbumInfo2', { id: 'al-b1' })).albumInfo, { notes: 'Recorded.', smallImageUrl: '' })
})

t.test('playlists: a favourite that somebody else made is read-only in every answer', async t => {
  const creator = (id: string, name = '') => ({ id, name, avatarUrl: '' })
  const lists: Playlist[] = [
    { id: 'mine', name: 'Mine', creator: creator('ADA') }, { id: 'named', name: 'Named', creator: creator('7', 'Ada') },
    { id: 'plain', name: 'Plain' }, { id: 'theirs', name: 'Theirs', creator: creator('bo') }
  ]
  const own: SourceAdapter = {
    getUserPlaylist: () => lists,
    getUserMe: () => ({ userId: 'ada', nickname: 'Ada', avatar: '', platform: '' }),
    getPlaylistDetail: id => ({ ...lists.find(list => list.id === id)!, tracks: [] }),
    updatePlaylist: id => lists.find(list => list.id === id)!
  }
  const app = await serve(t, { adapter: own })
  for (const { id } of lists) {
    const isTheirs = id === 'theirs'
    const playlistId = `pl-${id}`
    const listed = (await ask(app, 'getPlaylists')).playlists.playlist.find((list: any) => list.id === playlistId)
    for (const shown of [listed, (await ask(app, 'getPlaylist', { id: playlistId })).playlist]) {
      t.match(shown, { readonly: isTheirs, public: isTheirs, owner: isTheirs ? 'fastify-source-origin' : 'ada' }, id)
    }
    const edited = await ask(app, 'updatePlaylist', { playlistId, name: 'x' })
    t.match(edited, isTheirs ? { error: { code: 50 } } : { status: 'ok' })
  }
  const unknown = await serve(t, { adapter: { ...own, getUserMe: () => { throw new UpstreamError('down') } } })
  const { playlist } = (await ask(unknown, 'getPlaylists')).playlists
  t.match(playlist.map((list: any) => list.readonly), Array(4).fill(false))
})

t.test('playlists: own ones can be changed, the others are told to be read-only', async t => {
  const app = await serve(t, {
    adapter: {
      ...adapter, getUserPlaylist: () => [{ id: 'mine', name: 'Mine', description: 'words' }]
    } satisfies SourceAdapter
  })
  const { playlist } = (await ask(app, 'getPlaylists')).playlists
  t.strictSame(playlist.slice(
    0, 4
  ).map(({ id, owner, readonly, public: isPublic }: any) => [id, owner, readonly, isPublic]), [
    ['pl-mine', 'ada', false, false], ['sp-daily', 'fastify-source-origin', true, true],
    ['tl-c0', 'fastify-source-origin', true, true], ['pl-p0', 'fastify-source-origin', true, true]
  ])
  t.equal(playlist[0].comment, 'words')
  t.ok(playlist[3].duration > 0, 'the length of a list that was not opened')
  for (const playlistId of ['pl-p0', 'tl-c0', 'sp-daily']) {
    t.match(await ask(app, 'updatePlaylist', { playlistId, name: 'x' }), { error: { code: 50 } })
  }
  for (const id of ['al-b0', 'pl-gone']) t.match(await ask(app, 'deletePlaylist', { id }), { error: { code: 70 } })
  const blind = await serve(t, { adapter: { getUserPlaylist: () => [] } })
  t.match(await ask(blind, 'deletePlaylist', { id: 'pl-gone' }), { error: { code: 50 } })
  const none = await serve(t, { adapter, lists: { daily: false, toplists: false, recommended: false }, ...stateless })
  t.strictSame(ids((await ask(none, 'getPlaylists')).playlists.playlist), ['pl-p0', 'pl-p1', 'pl-p2', 'pl-p3', 'pl-p4'])
  t.match(await ask(none, 'createPlaylist', { name: 'x' }), {
    error: { code: 50, message: 'This source has no accounts' }
  })
  t.match(await ask(await serve(t), 'createPlaylist', { name: 'x' }), {
    error: { code: 50, message: 'This source does not offer that' }
  })
  t.match(await ask(app, 'createPlaylist', {}), { error: { code: 10 } })
})

t.test('a playlist becomes what an app sends: the common beginning stays', async t => {
  const changes: string[] = []
  let tracks = ['t0', 't1', 't2']
  const own: SourceAdapter = {
    getUserPlaylist: () => [{ id: 'p', name: 'P' }],
    getPlaylistDetail: id =>
      ({
        id,
        name: 'P',
        description: 'D',
        updatedAt: Date.UTC(2021, 0, 1),
        tracks: tracks.map(id => adapter.getTrackDetail(id) as Track)
      }),
    createPlaylist: name => ({ id: 'p', name }),
    deletePlaylist: () => ({ success: false }),
    updatePlaylist: (id, name, description) => { changes.push(`update ${name} ${description}`); return { id, name } },
    addTrackToPlaylist: (_id, track) => {
      changes.push(`+${track}`)
      tracks = [...tracks, track]
      return { success: true }
    },
    removeTrack: (_id, track) => {
      changes.push(`-${track}`)
      tracks = tracks.filter(id => id !== track)
      return { success: true }
    }
  }
  const app = await serve(t, { adapter: own })
  for (const [method, query, twice] of [
    ['createPlaylist', { name: 'New', songId: ['tr-t1', 'tr-t2', 'tr-t1'] }, 't1'],
    ['createPlaylist', { playlistId: 'pl-p', songId: ['tr-t0', 'tr-t3', 'tr-t3', 'tr-t1'] }, 't3'],
    ['updatePlaylist', { playlistId: 'pl-p', name: 'New', songIdToAdd: ['tr-t4', 'tr-t4'] }, 't4']
  ] as const) {
    t.match(await ask(app, method, query as never), {
      error: { code: 10, message: `A playlist has a track once, and this one was given twice: ${twice}` }
    })
  }
  t.match(await ask(app, 'updatePlaylist', { playlistId: 'pl-p', public: 'true' }), { error: { code: 50 } })
  t.strictSame(changes, [], 'what is refused changes nothing')
  const answer = await ask(app, 'createPlaylist', { playlistId: 'pl-p', songId: ['tr-t0', 'tr-t3', 'tr-t1'] })
  t.strictSame(ids(answer.playlist.entry), ['tr-t0', 'tr-t3', 'tr-t1'])
  t.equal(answer.playlist.created, '2021-01-01T00:00:00.000Z', 'not 1970, where only the change is known')
  t.strictSame(changes.splice(0), ['-t1', '-t2', '+t3', '+t1'])
  await ask(app, 'createPlaylist', { playlistId: 'pl-p', name: 'New', songId: ['tr-t0', 'tr-t3', 'tr-t1'] })
  t.strictSame(changes.splice(0), ['update New D'])
  await ask(app, 'updatePlaylist', {
    playlistId: 'pl-p', comment: 'C', songIndexToRemove: [0, 2], songIdToAdd: ['tr-t5', 'tr-t6']
  })
  t.strictSame(changes.splice(0), ['+t5', '+t6', '-t0', '-t1', 'update P C'])
  t.strictSame(tracks, ['t3', 't5', 't6'])
  await ask(app, 'updatePlaylist', { playlistId: 'pl-p', comment: '' })
  t.strictSame(changes.splice(0), ['update P '], 'a blank comment clears it')
  t.match(await ask(app, 'deletePlaylist', { id: 'pl-p' }), { error: { code: 50, message: 'The source refused that' } })
  t.match(await ask(app, 'getUser'), { user: { playlistRole: true } })
})

/** An adapter with one own playlist, whose tracks may stand there twice, and that removes them by their ids. */
function ownPlaylist (changes: string[]) {
  const tracks: string[] = []
  const own: SourceAdapter = {
    getUserPlaylist: () => [{ id: 'p', name: 'P' }],
    getPlaylistDetail: id => ({ id, name: 'P', tracks: tracks.map(id => adapter.getTrackDetail(id) as Track) }),
    addTrackToPlaylist: (_id, track) => { changes.push(`+${track}`); tracks.push(track); return { success: true } },
    removeTrack: (_id, track) => {
      changes.push(`-${track}`)
      tracks.splice(0, Infinity, ...tracks.filter(id => id !== track))
      return { success: true }
    }
  }
  return { adapter: own, tracks }
}

t.test('a track that stands in a playlist twice goes once where an app sends it once', async t => {
  const changes: string[] = []
  const { adapter: own, tracks } = ownPlaylist(changes)
  const app = await serve(t, { adapter: own })
  for (const [before, wanted, changed, after] of [
    ['t0 t1 t0', 't0 t1', '-t0 -t1 +t0 +t1', 't0 t1'],
    ['t3 t0 t1 t0 t2', 't3 t0 t1 t2', '-t0 -t1 -t2 +t0 +t1 +t2', 't3 t0 t1 t2'],
    ['t0 t1 t0 t1', 't0 t1 t0', '-t0 -t1 +t0 +t1', 't0 t1'],
    ['t0 t1 t0', 't0 t1 t0 t2', '+t2', 't0 t1 t0 t2']
  ] as const) {
    tracks.splice(0, Infinity, ...before.split(' '))
    await ask(app, 'createPlaylist', { playlistId: 'pl-p', songId: wanted.split(' ').map(id => `tr-${id}`) })
    t.strictSame([changes.splice(0).join(' '), tracks.join(' ')], [changed, after], `${before} to ${wanted}`)
  }
})

t.test('of a track that stands in a playlist twice only the one that an app names goes', async t => {
  const changes: string[] = []
  const { adapter: own, tracks } = ownPlaylist(changes)
  const app = await serve(t, { adapter: own })
  for (const [before, songIndexToRemove, songIdToAdd, changed, after] of [
    ['t0 t1 t0', [2], [], '-t0 -t1 +t0 +t1', 't0 t1'],
    ['t0 t1 t0 t0', [0], ['tr-t2'], '-t0 +t0 +t2', 't1 t0 t2'],
    ['t0 t1 t0', [0, 2], [], '-t0', 't1'],
    ['t0 t1 t0', [1], [], '-t1', 't0 t0']
  ] as const) {
    tracks.splice(0, Infinity, ...before.split(' '))
    await ask(app, 'updatePlaylist', {
      playlistId: 'pl-p', songIndexToRemove: [...songIndexToRemove], songIdToAdd: [...songIdToAdd]
    })
    t.strictSame(
      [changes.splice(0).join(' '), tracks.join(' ')], [changed, after], `${before} without ${songIndexToRemove}`
    )
  }
})

t.test('favourites of every kind; the first refusal ends it', async t => {
  const changed: unknown[] = []
  const favor = (kind: string) =>
    (id: string, status: boolean) => { changed.push([kind, id, status]); return { success: id !== 'no', status } }
  const app = await serve(t, {
    adapter: {
      favoriteTrack: favor('track'),
      favoriteAlbum: favor('album'),
      favoriteArtist: favor('artist'),
      favoritePlaylist: favor('playlist')
    } satisfies SourceAdapter
  })
  t.equal((await ask(app, 'star', { id: ['tr-1', 'al-2', 'pl-3'], albumId: 'al-4', artistId: 'ar-5' })).status, 'ok')
  t.match(await ask(app, 'unstar', { id: ['tr-no', 'tr-1'] }), { error: { code: 50, message: /refused that: no$/ } })
  t.strictSame(changed, [
    ['track', '1', true], ['album', '2', true], ['playlist', '3', true], ['album', '4', true], ['artist', '5', true],
    ['track', 'no', false]
  ])
  t.match(await ask(app, 'star', { id: 'sp-daily' }), { error: { code: 50 } })
  t.match(await ask(app, 'star'), { error: { code: 10 } })
  t.match(await ask(app, 'star', { id: '17' }), { error: { code: 70 } })
})

t.test('a play queue belongs to a user; what is gone is left out', async t => {
  const asked: string[] = []
  const app = await serve(t, {
    resolveLogin: ({ secret = '' }) => secret,
    adapter: {
      getTrackDetail: (id: string) => {
        asked.push(id); if (id === 'gone') { throw new NotFoundError() } return trackOf(Number(id), 0)
      }
    }
  })
  const queue = async (more: Query = {}) => (await ask(app, 'getPlayQueue', more)).playQueue
  t.strictSame(await queue(), { username: 'ada', changed: '1970-01-01T00:00:00.000Z', changedBy: '', entry: [] })
  await ask(app, 'savePlayQueue', { id: ['tr-1', 'tr-gone', 'tr-2', 'tr-1'], current: 'tr-2', position: 17 })
  t.match(await queue(), { username: 'ada', current: 'tr-t2-0', position: 17, changedBy: 'test', entry: { length: 3 } })
  t.match((await ask(app, 'getPlayQueueByIndex')).playQueueByIndex, { currentIndex: 1, position: 17 })
  t.strictSame((await queue({ u: 'eve' })).entry, [])
  t.equal((await queue({ u: 'ADA' })).entry.length, 3)
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-1', 'tr-gone'], currentIndex: 1, position: 3 })
  t.match(await queue(), { current: 'tr-t1-0', position: 0 }, 'the current one is gone, and none comes after it')
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-1', 'tr-gone', 'tr-gone', 'tr-2'], currentIndex: 1, position: 3 })
  t.match(await queue(), { current: 'tr-t2-0', position: 0 }, 'the next one that is there')
  await ask(app, 'savePlayQueueByIndex', { id: 'tr-gone', currentIndex: 0, position: 3 })
  t.notOk('current' in await queue() || 'position' in await queue(), 'none is there')
  for (const method of ['savePlayQueue', 'savePlayQueueByIndex']) {
    await ask(app, 'savePlayQueue', { id: 'tr-1' })
    t.equal((await ask(app, method)).status, 'ok')
    t.strictSame((await queue()).entry, [], method)
  }
  t.match(await ask(app, 'savePlayQueue', { id: 'al-1' }), { error: { code: 70 } })
})

t.test('bookmarks and ratings', async t => {
  const kept = new Map<string, string | undefined>()
  const store = storeIn(kept)
  const app = await serve(t, { adapter, store, context: { account: 'a/b' } })
  await ask(app, 'createBookmark', { id: 'tr-t0', position: 7, comment: 'here' })
  await ask(app, 'createBookmark', { id: 'tr-t1', position: 9 })
  const [first] = (await ask(app, 'getBookmarks')).bookmarks.bookmark
  t.match(first, { position: 7, comment: 'here', username: 'ada', entry: { id: 'tr-t0' } })
  await ask(app, 'createBookmark', { id: 'tr-t0', position: 8 })
  t.match((await ask(app, 'getBookmarks')).bookmarks.bookmark.find(({ entry }: any) => entry.id === 'tr-t0'), {
    position: 8, created: first.created
  })
  await ask(app, 'deleteBookmark', { id: 'tr-t0' })
  t.equal((await ask(app, 'getBookmarks')).bookmarks.bookmark.length, 1)
  t.match(await ask(app, 'createBookmark', { id: 'tr-none', position: 1 }), { error: { code: 70 } })
  t.match(await ask(app, 'createBookmark', { id: 'tr-t0' }), { error: { code: 10 } })
  await ask(app, 'setRating', { id: 'al-b0', rating: 4 })
  await ask(app, 'setRating', { id: 'tr-t0', rating: 5 })
  await ask(app, 'setRating', { id: 'tr-t0', rating: 0 })
  t.strictSame(JSON.parse(kept.get('a%2Fb/ratings')!), { 'al-b0': 4 })
  t.match(await ask(app, 'setRating', { id: 'tr-t0', rating: 6 }), { error: { code: 10 } })
})

t.test('what was rated is shown with its rating', async t => {
  const app = await serve(t, { library: wholeLibrary(1) })
  const ratings = async () => {
    const { song, album, artist } = (await ask(app, 'search3', {})).searchResult3
    const { child } = (await ask(app, 'getMusicDirectory', { id: 'ar-a0' })).directory
    return [song[0], album[0], artist[0], child[0]].map(({ userRating }) => userRating)
  }
  t.strictSame(await ratings(), [undefined, undefined, undefined, undefined])
  for (const [index, id] of ['tr-t0-0', 'al-b0', 'ar-a0'].entries()) {
    await ask(app, 'setRating', { id, rating: index + 1 })
  }
  t.strictSame(await ratings(), [1, 2, 3, 2])
  await ask(app, 'setRating', { id: 'tr-t0-0', rating: 0 })
  t.strictSame(await ratings(), [undefined, 2, 3, 2])
})

t.test('changes of one record at the same time are all kept', async t => {
  const app = await serve(t, { adapter })
  await Promise.all(['t0', 't1', 't2', 't3'].map(id => ask(app, 'createBookmark', { id: `tr-${id}`, position: 1 })))
  t.equal((await ask(app, 'getBookmarks')).bookmarks.bookmark.length, 4)
})

t.test('a store that fails has nothing to read and refuses changes, but plays always end well', async t => {
  const { lines, logger } = logged()
  const fail = async () => { throw new Error('down') }
  const app = await serve(t, { adapter, store: { ...memoryStore(), get: fail, change: fail } }, { ...roomy, logger })
  t.strictSame((await ask(app, 'getBookmarks')).bookmarks.bookmark, [])
  t.match(await ask(app, 'savePlayQueue', { id: 'tr-t0' }), { error: { code: 0 } })
  t.equal((await ask(app, 'scrobble', { id: 'tr-t0' })).status, 'ok')
  t.ok(lines.some(({ msg }) => msg === 'What was played cannot be kept'))
})

t.test('a store that hangs has nothing to read', async t => {
  const time = fakeTime(t)
  const app = await serve(t, { adapter, store: { ...memoryStore(), get: () => new Promise(() => {}) } })
  const answer = ask(app, 'getSong', { id: 'tr-t0' })
  await time.passUntil(answer)
  t.match(await answer, { status: 'ok', song: { id: 'tr-t0', userRating: undefined } })
})

t.test('a store that hangs with a change ends it, and no answer that can do without', async t => {
  const time = fakeTime(t)
  const { lines, logger } = logged()
  const store = { ...memoryStore(), change: () => new Promise<void>(() => {}) }
  const starring = { ...adapter, userFavoriteTracks: () => [], favoriteTrack: () => ({ success: true, status: true }) }
  const app = await serve(t, { adapter: starring, store }, { ...roomy, logger })
  const after = async (method: string) => {
    const began = time.now()
    const answer = ask(app, method, { id: 'tr-t0', position: 1 })
    await time.passUntil(answer)
    return [(await answer).status, time.now() - began]
  }
  t.strictSame(await after('createBookmark'), ['failed', 10_000])
  t.strictSame(await after('star'), ['ok', 1000])
  t.ok(lines.some(({ msg }) => msg === 'The times of favourites cannot be kept'))
})

t.test('starred is when something was first seen as a favourite, and stays that while others come', async t => {
  const old = '2020-01-01T00:00:00.000Z'
  const kept = new Map<string, string | undefined>([['a/starred', JSON.stringify({ 'tr-t0': old, 'tr-gone': old })]])
  const favourites = ['t0', 't1'].map(id => ({ ...trackOf(1, 0), id }))
  const app = await serve(t, {
    adapter: { userFavoriteTracks: () => favourites }, store: storeIn(kept), context: { account: 'a' }
  })
  const began = new Date().toISOString()
  const { song: [first, second] } = (await ask(app, 'getStarred2')).starred2
  t.equal(first.starred, old)
  t.ok(second.starred >= began && second.starred <= new Date().toISOString(), second.starred)
  t.strictSame(JSON.parse(kept.get('a/starred')!), { 'tr-t0': old, 'tr-t1': second.starred })
})

t.test('things that are starred together are one change of the store', async t => {
  const kept = new Map<string, string | undefined>()
  let changes = 0
  const { get, change } = storeIn(kept)
  const store = { get, change: async (...args: Parameters<typeof change>) => { changes++; return change(...args) } }
  const starred: string[] = []
  const starring = {
    favoriteTrack (id: string, status: boolean) {
      if (id === 'bad') throw new Error('down')
      starred.push(id)
      return { success: true, status }
    }
  }
  const app = await serve(t, { adapter: starring, store })
  const times = () => Object.keys(JSON.parse([...kept.values()][0]!))
  t.equal((await ask(app, 'star', { id: ['tr-a', 'tr-b', 'tr-c'] })).status, 'ok')
  t.strictSame([changes, times()], [1, ['tr-a', 'tr-b', 'tr-c']])
  t.equal((await ask(app, 'unstar', { id: ['tr-a', 'tr-bad', 'tr-c'] })).status, 'failed')
  t.strictSame([changes, times()], [1, ['tr-a', 'tr-b', 'tr-c']])
  t.strictSame(starred, ['a', 'b', 'c', 'a', 'a'], 'it is taken back')
})

t.test('what is kept for an account is bounded: 8 MiB of each kind, 50 apps that play', async t => {
  const kept = new Map<string, string | undefined>()
  const app = await serve(t, { adapter, store: storeIn(kept), context: { account: 'a' } })
  const bookmark = async (index: number) => (await app.inject({
    method: 'POST',
    url: '/rest/createBookmark',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: queryOf({ ...login, f: 'json', id: `tr-t${index}`, position: 1, comment: 'x'.repeat(1_000_000) })
  })).json()['subsonic-response']
  for (let index = 0; index < 8; index++) t.equal((await bookmark(index)).status, 'ok')
  t.match(await bookmark(8), { error: { code: 50, message: 'There is no room for more bookmarks' } })
  t.equal(Object.keys(JSON.parse(kept.get('a/bookmarks')!)).length, 8)
  for (let index = 0; index < 60; index++) {
    await ask(app, 'scrobble', { id: 'tr-t0', submission: false, c: `client ${index}` })
  }
  t.equal(JSON.parse(kept.get('a/playing')!).length, 50)
})

t.test('a store that says null for what it does not have has nothing', async t => {
  const kept = new Map<string, string | undefined>()
  const store = { ...storeIn(kept), get: async (key: string) => kept.get(key) ?? null }
  const app = await serve(t, { adapter, store })
  t.match(await ask(app, 'getPlayQueue'), { status: 'ok', playQueue: { entry: [] } })
  t.match(await ask(app, 'getBookmarks'), { status: 'ok', bookmarks: { bookmark: [] } })
  await ask(app, 'createBookmark', { id: 'tr-t0', position: 1 })
  t.match(await ask(app, 'getBookmarks'), { bookmarks: { bookmark: [{ entry: { id: 'tr-t0' } }] } })
})

t.test('lyrics by line, by word and translated', async t => {
  const lyrics = {
    lyrics: '[ar:Ada]\n[offset:+500]\n[00:02.5][00:01]Grün & blau\n[00:04.120]\n',
    wordLyrics: '[offset:500]\n[00:01.00]<00:01.00>Grün <00:01.25>& <00:01.500>blau<00:02.00>\n[00:09.00]no words',
    translatedLyrics: '[la:zh-Hans]\nGreen\nand blue'
  }
  const app = await serve(t, { adapter: { ...adapter, getTrackLyrics: () => lyrics } satisfies SourceAdapter })
  const { structuredLyrics } = (await ask(app, 'getLyricsBySongId', { id: 'tr-t0' })).lyricsList
  const main = { displayArtist: 'Ada Quartet', displayTitle: 'Morning Song 0', lang: 'und', synced: true }
  const line = [{ start: 500, value: 'Grün & blau' }, { start: 2000, value: 'Grün & blau' }, { start: 3620, value: '' }]
  t.strictSame(structuredLyrics, [{ ...main, line }])
  t.strictSame((await ask(app, 'getLyricsBySongId', { id: 'tr-t0', enhanced: true })).lyricsList.structuredLyrics, [
    {
      ...main,
      kind: 'main',
      line,
      cueLine: [{
        index: 0,
        start: 500,
        value: 'Grün & blau',
        cue: [
          { start: 500, value: 'Grün', byteStart: 0, byteEnd: 4 }, { start: 750, value: '&', byteStart: 6, byteEnd: 6 },
          { start: 1000, value: 'blau', byteStart: 8, byteEnd: 11 }
        ]
      }]
    },
    { ...main, lang: 'zh-Hans', synced: false, kind: 'translation', line: [{ value: 'Green' }, { value: 'and blue' }] }
  ])
  t.equal(
    (await ask(app, 'getLyrics', { artist: 'Ada Quartet', title: 'morning song 0' })).lyrics.value,
    'Grün & blau\nGrün & blau\n'
  )
  t.equal((await ask(app, 'getLyrics', { title: 'Noon Song 1' })).lyrics.value, 'Grün & blau\nGrün & blau\n')
  t.equal((await ask(app, 'getLyrics', { title: 'No Song' })).lyrics.value, '')
  t.equal((await ask(app, 'getLyrics')).lyrics.value, '')
})

t.test('lyrics of a song of two artists are found by the names that it is shown with, and by each', async t => {
  const duet = { ...trackOf(1, 0), title: 'Duet', artists: [artistOf(1), artistOf(2)] }
  const searched: string[] = []
  const searchTracks = (keyword: string) => {
    searched.push(keyword)
    return { items: [duet], offset: 0, limit: 20, hasMore: false }
  }
  const app = await serve(t, {
    adapter: {
      getTrackDetail: () => duet, getTrackLyrics: () => ({ lyrics: 'La' }), searchTracks
    } satisfies SourceAdapter
  })
  const words = async (artist: string) => (await ask(app, 'getLyrics', { artist, title: 'Duet' })).lyrics.value
  for (const artist of ['Artist 1, Artist 2', 'Artist 1', 'Artist 2']) t.equal(await words(artist), 'La', artist)
  t.equal(await words('Artist 3'), '')
  searched.length = 0
  const { artist } = (await ask(app, 'getSong', { id: 'tr-t1-0' })).song
  for (const known of [artist, 'Artist 1']) t.equal(await words(known), 'La', known)
  t.strictSame(searched, [], 'what was shown is known')
})

t.test('lyrics with times of words only, and none at all', async t => {
  const lyrics = async (given: object, query: Query = {}) =>
    (
      await ask(await serve(t, { adapter: { ...adapter, getTrackLyrics: () => given } }), 'getLyricsBySongId', {
        id: 'tr-t0', ...query
      })
    ).lyricsList.structuredLyrics
  t.match(await lyrics({ lyrics: '', wordLyrics: '[00:01.00]<00:01.00>One <00:02.00>' }), [
    { synced: true, line: [{ start: 1000, value: 'One' }] }
  ])
  t.strictSame(await lyrics({ lyrics: ' \n[ar:x]\n' }), [])
  t.strictSame(await lyrics({ lyrics: '', wordLyrics: '' }, { enhanced: true }), [])
  const [shown] = await lyrics({ lyrics: '[00:00.00]Title\n[00:01.00]One', wordLyrics: '[00:01.00]<00:01.00>One' }, {
    enhanced: true
  })
  t.match(shown.cueLine, [{ index: 1, value: 'One' }], 'words are told to which line they belong')
  const [apart] = await lyrics({ lyrics: '[00:09.00]Title', wordLyrics: '[00:01.00]<00:01.00>One' }, { enhanced: true })
  t.match(apart.cueLine, [{ index: 0, value: 'One' }])
  t.notOk('cueLine' in (await lyrics({ lyrics: 'a', wordLyrics: '[00:01.00]<00:01.00> ' }, { enhanced: true }))[0])
})

for (const [title, query, shown] of [
  ['the first', { currentIndex: 0, position: 5 }, { currentIndex: 0, position: 5 }],
  ['the last', { currentIndex: 2, position: 5 }, { currentIndex: 2, position: 5 }],
  ['one without a position', { currentIndex: 1 }, { currentIndex: 1, position: 0 }],
  ['written as another number', { currentIndex: '1.0', position: '83250.625' },
    { currentIndex: 1, position: 83251 }],
  ['at a position in powers', { currentIndex: '.1e+1', position: '1.2e+05' }, { currentIndex: 1, position: 120000 }],
  ['at a position with a plus that is not escaped', { currentIndex: 0, position: '1.2e 05' },
    { currentIndex: 0, position: 120000 }],
  ['at a position that no number can tell', { currentIndex: 0, position: '1e300' },
    { currentIndex: 0, position: Number.MAX_SAFE_INTEGER }]
] as [string, Query, object][]) {
  t.test(`a queue whose current song is ${title}`, async t => {
    const app = await serve(t, { adapter: { getTrackDetail: (id: string) => trackOf(Number(id), 0) } })
    await ask(app, 'savePlayQueueByIndex', { id: ['tr-1', 'tr-2', 'tr-1'], ...query })
    const { changed, entry, ...rest } = (await ask(app, 'getPlayQueueByIndex')).playQueueByIndex
    t.strictSame(rest, { username: 'ada', changedBy: 'test', ...shown })
    t.match(changed, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
    t.strictSame(ids(entry), ['tr-t1-0', 'tr-t2-0', 'tr-t1-0'])
  })
}

t.test('the current song of a queue is told by its id in the one form and by its place in the other', async t => {
  const app = await serve(t, {
    adapter: {
      getTrackDetail: (id: string) => {
        if (id === 'gone') { throw new NotFoundError() } return { ...trackOf(1, 0), id }
      }
    }
  })
  const current = async () => [
    (await ask(app, 'getPlayQueue')).playQueue.current,
    (await ask(app, 'getPlayQueueByIndex')).playQueueByIndex.currentIndex
  ]
  await ask(app, 'savePlayQueue', { id: ['tr-a', 'tr-b'], current: 'tr-a' })
  t.strictSame(await current(), ['tr-a', 0])
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-gone', 'tr-a', 'tr-b'], currentIndex: 2 })
  t.strictSame(await current(), ['tr-b', 1], 'what is gone is not counted')
  await ask(app, 'savePlayQueue', { id: ['tr-a', 'tr-b'] })
  t.strictSame(await current(), ['tr-a', 0], 'one has to be')
  await ask(app, 'savePlayQueue', { id: ['tr-a', 'tr-b'], current: 'tr-c', position: 1 })
  t.strictSame(await current(), ['tr-a', 0])
  t.equal((await ask(app, 'getPlayQueue')).playQueue.position, 0, 'the position was in another one')
  t.match(await ask(app, 'savePlayQueue', { id: 'tr-a', current: 'al-a' }), { error: { code: 70 } })
})

t.test('a call with a number that is none changes nothing', async t => {
  const app = await serve(t, { adapter: { getTrackDetail: (id: string) => ({ ...trackOf(1, 0), id }) } })
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-a', 'tr-b'], currentIndex: 1, position: 7 })
  await ask(app, 'createBookmark', { id: 'tr-a', position: 7 })
  for (const position of ['-5', 'abc']) {
    await ask(app, 'savePlayQueue', { id: 'tr-c', position })
    await ask(app, 'savePlayQueueByIndex', { id: 'tr-c', currentIndex: 0, position })
    await ask(app, 'createBookmark', { id: 'tr-a', position })
  }
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-c'], currentIndex: 1 })
  t.match((await ask(app, 'getPlayQueue')).playQueue, { current: 'tr-b', position: 7 })
  t.match((await ask(app, 'getBookmarks')).bookmarks.bookmark, [{ position: 7 }])
})

t.test('the index has letters that are on keyboards', async t => {
  const artist = (name: string) => ({ id: name, name, coverUrl: '' })
  const artists = ['한강', '가수', 'Éva', '1999', 'The Who'].map(artist)
  const app = await serve(t, { adapter: {}, library: () => ({ artists, albums: [], tracks: [] }), title: 'Home' })
  const { index } = (await ask(app, 'getArtists')).artists
  t.strictSame(index.map(({ name }: { name: string }) => name).sort(), ['#', 'E', 'W', 'ㄱ', 'ㅎ'])
  t.strictSame((await ask(app, 'getMusicFolders')).musicFolders.musicFolder, [{ id: 1, name: 'Home' }])
  t.equal((await ask(app, 'getMusicDirectory', { id: 1 })).directory.name, 'Home')
})

t.test('where the source names no account, each user name has a queue, in any case', async t => {
  const kept = new Map<string, string | undefined>()
  const app = await serve(t, { adapter, store: storeIn(kept) })
  await ask(app, 'savePlayQueue', { u: 'Ada/L', id: 'tr-t0' })
  t.equal((await ask(app, 'getPlayQueue', { u: 'ADA/L' })).playQueue.entry.length, 1)
  t.equal((await ask(app, 'getPlayQueue', { u: 'ann' })).playQueue.entry.length, 0)
})

t.test('the queues of the last 16 user names are kept, and 1 MiB of their ids', async t => {
  const kept = new Map<string, string | undefined>()
  const app = await serve(t, { adapter, store: storeIn(kept) })
  const post = async (u: string, ids: readonly string[]) => (await app.inject({
    method: 'POST',
    url: '/rest/savePlayQueue',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: queryOf({ ...login, f: 'json', u, id: ids })
  })).json()['subsonic-response']
  const users = async () => {
    const texts = [...kept.values()].filter(text => text !== undefined)
    t.equal(texts.length, 1)
    return JSON.parse(texts[0]!).map(([name]: [string]) => name)
  }
  const names = ['0', 'ann', '__proto__', ...Array.from({ length: 15 }, (_empty, index) => `${99 - index}`)]
  for (const u of [...names, 'ann']) await post(u, ['tr-t0'])
  t.strictSame(await users(), [...names.slice(3), 'ann'])
  t.equal((await ask(app, 'getPlayQueue', { u: 'ann' })).playQueue.entry.length, 1)
  t.equal((await ask(app, 'getPlayQueue', { u: '0' })).playQueue.entry.length, 0)
  const half = Array.from({ length: 4100 }, () => `tr-${'x'.repeat(128)}`)
  for (const u of ['one', 'two']) t.equal((await post(u, half)).status, 'ok')
  t.strictSame(await users(), ['two'])
  await post('two', [])
  t.strictSame([...kept.values()], [undefined])
})

t.test('a play queue of more than a megabyte of ids is refused, and the one before stays', async t => {
  const kept = new Map<string, string | undefined>()
  const app = await serve(t, { adapter, store: storeIn(kept), context: { account: 'a' } })
  const save = async (count: number) => (await app.inject({
    method: 'POST',
    url: '/rest/savePlayQueue',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `u=ada&p=${token}&f=json&${Array.from({ length: count }, () => `id=tr-${'x'.repeat(128)}`).join('&')}`
  })).json()['subsonic-response']
  t.equal((await save(8192)).status, 'ok')
  t.match(await save(8193), { error: { code: 10, message: 'The ids of a play queue have at most 1048576 bytes' } })
  t.equal(JSON.parse(kept.get('a/queues')!)[0][1].ids.length, 8192)
})

t.test('a form with more parameters than a queue has songs is refused before it is parsed', async t => {
  const app = await serve(t, { adapter })
  const post = async (count: number) => (await app.inject({
    method: 'POST',
    url: `/rest/ping?u=ada&p=${token}&f=json`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'a=1&'.repeat(count)
  })).json()['subsonic-response']
  t.equal((await post(19_999)).status, 'ok')
  t.match(await post(100_000), { error: { message: 'A form has at most 20000 parameters' } })
})

t.test('a store keeps each thing under the account and what it is, and one queue of an account', async t => {
  const kept = new Map<string, string | undefined>()
  const store = storeIn(kept)
  const app = await serve(t, { adapter, store, context: { account: 'a/b' }, resolveLogin: ({ secret = '' }) => secret })
  await ask(app, 'savePlayQueueByIndex', { u: 'Ada/L', id: ['tr-t0', 'tr-t1'], currentIndex: 1, position: 7 })
  await ask(app, 'createBookmark', { id: 'tr-t0', position: 1 })
  await ask(app, 'setRating', { id: 'tr-t0', rating: 1 })
  replace(t, Date, 'now', () => 1000)
  await ask(app, 'scrobble', { id: ['tr-t0', 'tr-t1', 'tr-t2', 'tr-t3'], time: [17, 'x', '0.6'] })
  await ask(app, 'scrobble', { id: 'tr-t0', submission: false })
  t.strictSame([...kept.keys()], ['queues', 'bookmarks', 'ratings', 'plays', 'playing'].map(kind => `a%2Fb/${kind}`))
  const [[user, { changed, ...queue }], ...others] = JSON.parse(kept.get('a%2Fb/queues')!)
  t.strictSame([user, others], ['', []])
  t.strictSame(queue, { ids: ['t0', 't1'], current: 1, position: 7, changedBy: 'test' })
  t.equal(
    kept.get('a%2Fb/plays'), '[{"id":"t0","at":17},{"id":"t1","at":1000},{"id":"t2","at":1},{"id":"t3","at":1000}]',
    'what is no time is now'
  )
  await ask(app, 'savePlayQueue', { u: 'another' })
  t.equal(kept.get('a%2Fb/queues'), undefined)
})

t.test('what is playing is the last song of each user and app, for ten minutes', async t => {
  const start = Date.now()
  let later = 0
  replace(t, Date, 'now', () => start + later)
  const app = await serve(t, { adapter, resolveLogin: ({ secret = '' }) => secret })
  const playing = async () => (await ask(app, 'getNowPlaying')).nowPlaying.entry.map(
    ({ id, username, playerName, playerId, minutesAgo }: any) => [id, username, playerName, playerId, minutesAgo]
  )
  await ask(app, 'scrobble', { id: ['tr-t0', 'tr-t1'], submission: false })
  later = 59_999
  t.strictSame(await playing(), [['tr-t1', 'ada', 'test', 0, 0]])
  later = 60_000
  await ask(app, 'scrobble', { id: 'tr-t2', submission: false, u: 'eve' })
  await ask(app, 'scrobble', { id: 'tr-t2', submission: false, c: 'other' })
  t.strictSame(await playing(), [
    ['tr-t1', 'ada', 'test', 0, 1], ['tr-t2', 'eve', 'test', 0, 0], ['tr-t2', 'ada', 'other', 0, 0]
  ])
  await ask(app, 'scrobble', { id: 'tr-t3', submission: false })
  later = 660_000
  t.strictSame(await playing(), [
    ['tr-t2', 'eve', 'test', 0, 10], ['tr-t2', 'ada', 'other', 0, 10], ['tr-t3', 'ada', 'test', 0, 10]
  ])
  later = 660_001
  t.strictSame(await playing(), [])
})

t.test('a bookmark has its place, words, user and times, and stays where another one goes', async t => {
  const start = Date.UTC(2026, 0, 1)
  const [first, second] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z']
  const app = await serve(t, { adapter })
  let now = start
  replace(t, globalThis, 'Date', class extends Date {
    constructor (...given: any[]) { super(...(given.length === 0 ? [now] : given) as [any]) }
  } as any)
  for (const id of ['tr-t0', 'tr-t1']) await ask(app, 'createBookmark', { id, position: 7, comment: id })
  now += 1000
  await ask(app, 'createBookmark', { id: 'tr-t1', position: 8 })
  await ask(app, 'createBookmark', { id: 'tr-t2', position: 0 })
  await ask(app, 'deleteBookmark', { id: 'tr-t2' })
  t.strictSame((await ask(app, 'getBookmarks')).bookmarks.bookmark.map(({ entry, ...rest }: any) => [entry.id, rest]), [
    ['tr-t0', { position: 7, comment: 'tr-t0', username: 'ada', created: first, changed: first }],
    ['tr-t1', { position: 8, comment: '', username: 'ada', created: first, changed: second }]
  ])
})

for (const [method, query, code, message] of [
  ['star', {}, 10, 'Required parameter is missing: id, albumId or artistId'],
  ['unstar', {}, 10, 'Required parameter is missing: id, albumId or artistId'],
  ['star', { id: 'sp-daily' }, 50, 'This list cannot be a favourite'],
  ['star', { id: 'tl-c0' }, 50, 'This list cannot be a favourite'],
  ['star', { id: '17' }, 70, 'There is nothing with the id 17'],
  ['setRating', { id: 'tr-t0' }, 10, 'Required parameter is missing: rating'],
  ['setRating', { rating: 1 }, 10, 'Required parameter is missing: id'],
  ['setRating', { id: '17', rating: 1 }, 70, 'There is nothing with the id 17'],
  ['setRating', { id: 'tr-t0', rating: 6 }, 10, 'Parameter rating must be 0 to 5'],
  ...[-1, 'x', '0x1', '1,5', 'Infinity', '1e999', '1 2', 'e1', '.'].flatMap(value => [
    ['setRating', { id: 'tr-t0', rating: value }, 10, 'Parameter rating must be a number of 0 or more'],
    ['createBookmark', { id: 'tr-t0', position: value }, 10, 'Parameter position must be a number of 0 or more']
  ]),
  ...['size', 'offset', 'limit', 'fromYear', 'toYear'].map(name =>
    ['getAlbumList2', { type: 'newest', [name]: 'x' }, 10, `Parameter ${name} must be a number of 0 or more`]),
  ['getIndexes', { ifModifiedSince: 'x' }, 10, 'Parameter ifModifiedSince must be a number of 0 or more'],
  ['search3', { query: '', songOffset: -1 }, 10, 'Parameter songOffset must be a number of 0 or more'],
  ['savePlayQueueByIndex', { id: ['tr-1', 'tr-2'], currentIndex: 'x' }, 10,
    'Parameter currentIndex must be a number of 0 or more'],
  ...[2, 60, undefined].map(currentIndex => ['savePlayQueueByIndex', { id: ['tr-1', 'tr-2'], currentIndex }, 10,
    'Parameter currentIndex must be the index of one of the 2 songs']),
  ['createBookmark', { id: 'tr-t0' }, 10, 'Required parameter is missing: position'],
  ['createBookmark', { id: 'al-b0', position: 1 }, 70, 'This is not the id of a track: al-b0'],
  ['createBookmark', { id: 'tr-none', position: 1 }, 70, /./],
  ['deleteBookmark', {}, 10, 'Required parameter is missing: id'],
  ['savePlayQueue', { id: 'al-b0' }, 70, 'This is not the id of a track: al-b0'],
  ['getUser', { username: 'eve' }, 50, 'Only the own user can be looked at'],
  ['getVideoInfo', {}, 70, 'There are no videos'],
  ...['getUsers', 'jukeboxControl', 'createShare'].map(method => [method, {}, 0, 'This server does not offer that']),
  ['getArtist', { id: 'al-b0' }, 70, 'This is not the id of an artist: al-b0'],
  ['getAlbum', { id: 'ar-a0' }, 70, 'This is not the id of an album: ar-a0'],
  ['getMusicDirectory', { id: 'tr-t0' }, 70, 'This is not the id of a folder'],
  ['getMusicDirectory', {}, 10, 'Required parameter is missing: id'],
  ['getAlbumInfo2', { id: 'ar-a0' }, 70, 'This is not the id of an album'],
  ['getArtistInfo2', { id: 'pl-p0' }, 70, 'There is no such artist'],
  ['getSimilarSongs', { id: 'pl-p0' }, 70, 'This is not the id of an artist, an album or a track'],
  ['getPlaylist', { id: 'sp-other' }, 70, 'There is no such playlist'],
  ['getPlaylist', { id: 'al-b0' }, 70, 'There is no such playlist'],
  ['updatePlaylist', {}, 10, 'Required parameter is missing: playlistId'],
  ...['ar-a0', 'al-b0', 'tr-t0'].map(playlistId =>
    ['updatePlaylist', { playlistId }, 70, 'This is not the id of a playlist']),
  ...['tl-c0', 'sp-daily', 'pl-p0'].map(playlistId =>
    ['updatePlaylist', { playlistId }, 50, 'This playlist cannot be changed']),
  ['createPlaylist', {}, 10, 'Required parameter is missing: name'],
  ['createPlaylist', { name: 'x', songId: 'al-b0' }, 70, 'This is not the id of a track: al-b0'],
  ['getAlbumList2', {}, 10, 'Required parameter is missing: type'],
  ['getAlbumList2', {
    type: 'loud'
  }, 10, 'Parameter type must be one of newest, highest, byYear, recent, frequent, random, starred, ' +
      'alphabeticalByName, alphabeticalByArtist, byGenre'],
  ['getAlbumList2', { type: 'byGenre' }, 10, 'Required parameter is missing: genre'],
  ...[{}, { fromYear: 1 }, { toYear: 1 }].map(years =>
    ['getAlbumList2', { type: 'byYear', ...years }, 10, 'Required parameters are missing: fromYear and toYear']),
  ['getTopSongs', {}, 10, 'Required parameter is missing: artist'],
  ['getSongsByGenre', {}, 10, 'Required parameter is missing: genre'],
  ['nothing', {}, 0, 'Unknown method nothing']
] as [string, Query, number, string | RegExp][]) {
  t.test(`${method} with ${JSON.stringify(query)} is error ${code}: ${message}`, async t => {
    const { status, error } = await ask(await serve(t, { adapter }), method, query)
    t.equal(status, 'failed')
    t.equal(error.code, code)
    if (typeof message === 'string') t.equal(error.message, message)
  })
}

for (const [method, id, message] of [
  ['getArtist', 'ar-x', 'artist'], ['getAlbum', 'al-x', 'album'], ['getSong', 'tr-x', 'track']
] as const) {
  t.test(`${method} of a source without details says that there is no such ${message}`, async t => {
    t.strictSame((await ask(await serve(t, { library: wholeLibrary(2) }), method, { id })).error, {
      code: 70, message: `There is no such ${message}`
    })
  })
}

for (const [title, more, playlistRole] of [
  ['that can change playlists', {}, true],
  ['that cannot change playlists', { removeTrack: undefined }, false],
  ['without accounts', stateless, false]
] as [string, any, boolean][]) {
  t.test(`the roles of a user of a source ${title}`, async t => {
    const { context, ...methods } = more
    const app = await serve(t, { adapter: { ...adapter, ...methods }, ...(context && { context }) })
    t.strictSame((await ask(app, 'getUser')).user, {
      username: 'ada',
      scrobblingEnabled: true,
      adminRole: false,
      settingsRole: false,
      downloadRole: true,
      uploadRole: false,
      playlistRole,
      coverArtRole: false,
      commentRole: false,
      podcastRole: false,
      streamRole: true,
      jukeboxRole: false,
      shareRole: false,
      videoConversionRole: false,
      folder: [1]
    })
  })
}

t.test('what the server tells of itself', async t => {
  const app = await serve(t, { name: 'Mine', context: { accountName: 'Ada L' } })
  const { status, version, type, serverVersion, openSubsonic, ...rest } = await ask(app, 'getMusicFolders')
  t.strictSame([status, type, openSubsonic], ['ok', 'Mine', true])
  t.strictSame(rest, { musicFolders: { musicFolder: [{ id: 1, name: 'Mine' }] } })
  t.strictSame((await ask(app, 'getLicense')).license, { valid: true })
  t.strictSame((await ask(app, 'tokenInfo')).tokenInfo, { username: 'Ada L' })
  t.strictSame((await ask(await serve(t), 'tokenInfo')).tokenInfo, { username: 'ada' })
  const { openSubsonicExtensions } = await ask(app, 'getOpenSubsonicExtensions')
  t.strictSame(Object.fromEntries(openSubsonicExtensions.map(({ name, versions }: any) => [name, versions])),
    { formPost: [1], songLyrics: [1, 2], indexBasedQueue: [1], topSongsByArtistId: [1], apiKeyAuthentication: [1] })
  const { ignoredArticles, lastModified, ...indexes } = (await ask(app, 'getIndexes')).indexes
  t.strictSame(indexes, { shortcut: [], index: [], child: [] })
})

/** A source with one list of charts of so many tracks, that gives so many at once at most. */
function charts (count: number, trackCount: number | undefined, atOnce = 200) {
  const asked: number[][] = []
  const all = Array.from({ length: count }, (_empty, index) => trackOf(index, 0))
  const source: SourceAdapter = {
    getToplist: () =>
      [{ name: 'Charts', list: [{ id: 'c', name: 'C', coverUrl: '', updateFrequency: '', tracks: [] }] }],
    getToplistTracks: (id, offset, limit) => {
      asked.push([offset, limit])
      return {
        id,
        name: 'C',
        ...(trackCount !== undefined && { trackCount }),
        tracks: all.slice(offset, offset + Math.min(limit, atOnce))
      }
    }
  }
  return { asked, source }
}

for (const [title, list, count, pages] of [
  ['that tells its length is read up to it', charts(400, 400), 400, [[0, 200], [200, 200]]],
  ['that is one longer than a page has another page', charts(201, 201), 201, [[0, 200], [200, 200]]],
  ['of small pages is read up to its length', charts(300, 300, 150), 300, [[0, 200], [150, 200]]],
  ['that has less than it tells ends with an empty page', charts(150, 300), 150, [[0, 200], [150, 200]]],
  ['that tells no length ends with a page that is not full', charts(399, undefined), 399, [[0, 200], [200, 200]]],
  ['that tells no length and ends with a full page is asked once more', charts(400, undefined), 400,
    [[0, 200], [200, 200], [400, 200]]],
  ['whose length is 0 is read as if it told none', charts(150, 0), 150, [[0, 200]]],
  ['of more than 1000 songs is whole', charts(1200, 1200, 150), 1200,
    [[0, 200], [150, 200], [300, 200], [450, 200], [600, 200], [750, 200], [900, 200], [1050, 200]]]
] as const) {
  t.test(`a toplist ${title}`, async t => {
    const app = await serve(t, { adapter: list.source })
    const { entry, songCount } = (await ask(app, 'getPlaylist', { id: 'tl-c' })).playlist
    t.strictSame(list.asked, pages)
    t.equal(songCount, count)
    t.equal(new Set(ids(entry)).size, count)
  })
}

t.test('a playlist is listed once: own ones, then the tracks of the day, toplists, recommended ones', async t => {
  const page = (...names: string[]) => () =>
    ({ items: names.map(id => ({ id, name: `recommended ${id}` })), offset: 0, limit: 20, hasMore: false })
  const lists: SourceAdapter = {
    getUserPlaylist: () =>
      ['mine', 'both'].map(id => ({ id, name: `own ${id}`, creator: { id: 'e', name: 'Eve', avatarUrl: '' } })),
    getDailyTracks: () => [trackOf(1, 0), trackOf(1, 1)],
    getToplist: () => [
      { name: 'A', list: [{ id: 'x', name: 'X', coverUrl: 'https://x.example/x', updateFrequency: '', tracks: [] }] },
      { name: 'B', list: [{ id: 'y', name: 'Y', coverUrl: '', updateFrequency: '', tracks: [] }] }
    ],
    getRecommendedPlaylist: page('both', 'other'),
    getPlaylists: page('other', 'public')
  }
  const shown = async (options: Parameters<typeof serve>[1]) =>
    (await ask(await serve(t, options), 'getPlaylists')).playlists.playlist
  const all = await shown({ adapter: lists, name: 'Mine' })
  t.strictSame(all.map(({ id, name, owner, coverArt, songCount }: any) => [id, name, owner, coverArt, songCount]), [
    ['pl-mine', 'own mine', 'ada', undefined, 0], ['pl-both', 'own both', 'ada', undefined, 0],
    ['sp-daily', 'Tracks of the day', 'Mine', undefined, 2],
    ['tl-x', 'X', 'Mine', 'tl-x', 0], ['tl-y', 'Y', 'Mine', undefined, 0],
    ['pl-other', 'recommended other', 'Mine', undefined, 0]
  ])
  t.strictSame(
    ids(await shown({ adapter: lists, ...stateless })),
    ['sp-daily', 'tl-x', 'tl-y', 'pl-both', 'pl-other', 'pl-public'],
    'without accounts those of the source are there, too'
  )
  for (const [list, rest] of [
    ['daily', ['pl-mine', 'pl-both', 'tl-x', 'tl-y', 'pl-other']],
    ['toplists', ['pl-mine', 'pl-both', 'sp-daily', 'pl-other']],
    ['recommended', ['pl-mine', 'pl-both', 'sp-daily', 'tl-x', 'tl-y']]
  ] as const) t.strictSame(ids(await shown({ adapter: lists, lists: { [list]: false } })), rest)
  const only = { lists: { recommended: ({ id }: { id: string }) => id === 'other' }, title: 'The house' }
  t.strictSame(ids(await shown({ adapter: lists, ...stateless, ...only })).filter((id: string) => /^pl/.test(id)),
    ['pl-other'], 'those for which the option gives true')
  t.equal((await shown({ adapter: lists, ...only })).at(-1).owner, 'The house')
  t.strictSame(await shown({ adapter: {} }), [], 'a source without playlists has none')
  t.strictSame(
    ids(await shown({ adapter: { ...lists, getDailyTracks: () => [] } })).includes('sp-daily'), false,
    'a day without tracks is not listed'
  )
})

t.test('a toplist is what its first page says, and nobody\'s own', async t => {
  const app = await serve(t, {
    adapter: {
      getUserPlaylist: () => [{ id: 'c', name: 'Mine' }],
      getToplistTracks: (id: string, offset: number) =>
        ({ id, name: `from ${offset}`, trackCount: 2, coverUrl: 'https://x.example/c', tracks: [trackOf(offset, 0)] })
    } satisfies SourceAdapter
  })
  t.match((await ask(app, 'getPlaylist', { id: 'tl-c' })).playlist, {
    name: 'from 0',
    readonly: true,
    owner: 'fastify-source-origin',
    coverArt: 'tl-c',
    entry: [{ id: 'tr-t0-0' }, { id: 'tr-t1-0' }]
  })
})

t.test('a playlist with its tracks counts them, and adds up how long they are', async t => {
  const detail = {
    name: 'P',
    trackCount: 99,
    coverUrl: 'https://x.example/p',
    description: 'Words',
    createdAt: Date.UTC(2020, 0, 1),
    updatedAt: Date.UTC(2021, 0, 1)
  }
  const app = await serve(t, {
    adapter: {
      getUserPlaylist: () => [{ id: 'mine', name: 'P' }],
      getDailyTracks: () => [trackOf(1, 0)],
      getPlaylistDetail: (id: string) =>
        ({ id, ...detail, tracks: [{ ...trackOf(1, 0), durationMs: 1400 }, { ...trackOf(2, 0), durationMs: 1400 }] })
    } satisfies SourceAdapter
  })
  const playlist = async (id: string) => {
    const { entry, ...rest } = (await ask(app, 'getPlaylist', { id })).playlist
    return [rest, ids(entry)]
  }
  const common = {
    name: 'P',
    songCount: 2,
    duration: 3,
    created: '2020-01-01T00:00:00.000Z',
    changed: '2021-01-01T00:00:00.000Z',
    comment: 'Words'
  }
  t.strictSame(await playlist('pl-mine'), [
    { id: 'pl-mine', owner: 'ada', public: false, readonly: false, coverArt: 'pl-mine', ...common },
    ['tr-t1-0', 'tr-t2-0']
  ])
  t.strictSame(await playlist('pl-p'), [
    { id: 'pl-p', owner: 'fastify-source-origin', public: true, readonly: true, coverArt: 'pl-p', ...common },
    ['tr-t1-0', 'tr-t2-0']
  ])
  const epoch = '1970-01-01T00:00:00.000Z'
  t.strictSame(await playlist('sp-daily'), [
    {
      id: 'sp-daily',
      name: 'Tracks of the day',
      owner: 'fastify-source-origin',
      public: true,
      songCount: 1,
      duration: 60,
      created: epoch,
      changed: epoch,
      readonly: true
    }, ['tr-t1-0']
  ])
  t.match(await ask(app, 'getMusicDirectory', { id: 'sp-daily' }), {
    directory: { id: 'sp-daily', name: 'Tracks of the day', child: [{ id: 'tr-t1-0' }] }
  })
})

t.test('the albums of an artist without a list of them are those of the tracks, each once, if named', async t => {
  const album = (id: string, name = id) => ({ id, name, coverUrl: '' })
  const tracks = [album('x'), album('y'), album('x'), album('', 'No id'), album('z', '')].map((album, index) =>
    ({ ...trackOf(index, 0), album }))
  const limits: number[] = []
  const app = await serve(t, {
    adapter: {
      getArtistDetail: (id: string, limit: number) => {
        limits.push(limit)
        return { id, name: 'Ada', tracks: tracks.slice(0, limit === -1 ? 1 : limit) }
      }
    } satisfies SourceAdapter
  })
  const { albumCount, album: albums } = (await ask(app, 'getArtist', { id: 'ar-a' })).artist
  t.strictSame([albumCount, ids(albums)], [2, ['al-x', 'al-y']])
  t.strictSame(limits, [0, 1000])
})

t.test('the albums of an artist without details are those of the library', async t => {
  const library = await serve(t, { library: wholeLibrary(16) })
  const { albumCount, album } = (await ask(library, 'getArtist', { id: 'ar-a1' })).artist
  t.strictSame([albumCount, ids(album)], [3, ['al-b1', 'al-b8', 'al-b15']])
  t.strictSame(ids((await ask(library, 'getMusicDirectory', { id: 'ar-a1' })).directory.child), [
    'al-b1', 'al-b8', 'al-b15'
  ])
  const source = await serve(t, { adapter: { getNewTracks: () => [trackOf(1, 0), trackOf(2, 0)] }, ...stateless })
  t.strictSame(ids((await ask(source, 'getArtist', { id: 'ar-a1' })).artist.album), ['al-b1'])
})

t.test('an album without details counts the songs that are shown with it, and adds up how long they are', async t => {
  const album = { id: 'x', name: 'X', coverUrl: '' }
  const tracks = [trackOf(1, 0), trackOf(1, 1)].map(track => ({ ...track, album }))
  const app = await serve(t, { adapter: { getNewTracks: () => tracks }, ...stateless })
  t.match((await ask(app, 'getAlbum', { id: 'al-x' })).album, { songCount: 2, duration: 120, song: { length: 2 } })
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

t.test('all members of what is told about artists and albums', async t => {
  const none = { smallImageUrl: '', mediumImageUrl: '', largeImageUrl: '' }
  const all = (url: string) => ({ smallImageUrl: url, mediumImageUrl: url, largeImageUrl: url })
  const app = await serve(t, {
    adapter: {
      getArtistDetail: (id: string) => id === 'bare'
        ? { id, name: id, tracks: [] }
        : {
            id,
            name: id,
            coverUrl: 'https://x.example/c',
            avatarUrl: id === 'both'
              ? 'https://x.example/a'
              : '',
            description: 'Born.',
            tracks: []
          },
      getAlbumDetail: (id: string) =>
        ({ ...albumOf(1), id, coverUrl: 'https://x.example/b', description: 'Made.', tracks: [] }),
      getTrackDetail: (id: string) => ({
        ...trackOf(1, 0),
        artists: [{ id: '', name: 'No id' }, { id: 'both', name: 'Both', coverUrl: 'https://x.example/s' }],
        album: id === 'bare' ? albumOf(1) : { ...albumOf(1), coverUrl: 'https://x.example/t', description: 'Of it.' }
      })
    } satisfies SourceAdapter
  })
  const told = async (method: string, id: string) => Object.values<any>(await ask(app, method, { id })).at(-1)
  t.strictSame(await told('getArtistInfo', 'ar-bare'), { biography: '', ...none })
  t.strictSame(await told('getArtistInfo2', 'ar-both'), {
    biography: 'Born.', ...all('https://x.example/a')
  })
  t.strictSame(await told('getArtistInfo2', 'ar-cover'), {
    biography: 'Born.', ...all('https://x.example/c')
  })
  t.strictSame(
    await told('getArtistInfo', 'tr-t'), { biography: '', ...all('https://x.example/s') },
    'the first artist that has an id'
  )
  t.strictSame(
    [(await told('getArtist', 'ar-both')).artistImageUrl, (await told('getArtist', 'ar-bare')).artistImageUrl],
    ['https://x.example/c', undefined]
  )
  t.strictSame(await told('getAlbumInfo', 'al-b'), { notes: 'Made.', ...all('https://x.example/b') })
  t.strictSame(await told('getAlbumInfo2', 'tr-t'), { notes: 'Of it.', ...all('https://x.example/t') })
  t.strictSame(await told('getAlbumInfo2', 'tr-bare'), { notes: '', ...none })
})

t.test('genres in the order of their albums, with the songs that albums tell or that are known', async t => {
  const album = (id: string, genre: string | undefined, trackCount?: number) => ({
    id, name: id, coverUrl: '', ...(genre !== undefined && { genre }), ...(trackCount !== undefined && { trackCount })
  })
  const albums = [
    album('a', 'Rock', 3), album('b', 'Jazz'), album('c', 'Rock', 4), album('d', '', 9), album('e', undefined, 9)
  ]
  const tracks = albums.flatMap(album => ['1', '2'].map(id => ({ ...trackOf(1, 0), id: album.id + id, album })))
  const app = await serve(t, { library: () => ({ artists: [], albums, tracks }) })
  t.strictSame((await ask(app, 'getGenres')).genres.genre, [
    { value: 'Rock', songCount: 7, albumCount: 2 }, { value: 'Jazz', songCount: 2, albumCount: 1 }
  ])
})

t.test('the path of a song has its album\'s artist and its number in two digits, and no blank names', async t => {
  const track = (id: string, more: object) => ({ ...trackOf(1, 0), id, title: id, ...more })
  const tracks = [
    track('one', {
      artists: [{ id: '', name: '' }, { id: 'a', name: 'A\\d/a' }, { id: 'b', name: 'Bo' }],
      album: { id: 'x', name: 'X', coverUrl: '', artistName: 'Va/rious' }
    }),
    ...Array.from({ length: 9 }, (_empty, index) =>
      track(`t${index}`, { artists: [{ id: 'a', name: 'A\\d/a' }], album: { id: 'x', name: 'X', coverUrl: '' } })),
    track('dots', { artists: [{ id: 'd', name: '..' }], album: { id: 'y', name: '.', coverUrl: '' } }),
    track('none', { artists: [{ id: '', name: '' }], album: { id: '', name: '', coverUrl: '' } })
  ]
  const app = await serve(t, {
    adapter: { getTrackDetail: (id: string) => tracks.find(track => track.id === id)! },
    library: () => ({ artists: [], albums: [], tracks: tracks.slice(0, 10) })
  })
  await ask(app, 'getArtists')
  const song = async (id: string) => {
    const { path, artist, displayArtist, displayAlbumArtist, track, artists } = (await ask(app, 'getSong', { id })).song
    return [path, artist, displayArtist, displayAlbumArtist, track, ids(artists)]
  }
  t.strictSame(await song('tr-one'), [
    'Va_rious/X/01 - one.mp3', 'A\\d/a, Bo', 'A\\d/a, Bo', 'Va/rious', 1, ['ar-a', 'ar-b']
  ])
  t.strictSame(await song('tr-t8'), ['A_d_a/X/10 - t8.mp3', 'A\\d/a', 'A\\d/a', 'A\\d/a', 10, ['ar-a']])
  t.strictSame(await song('tr-dots'), ['_/_/dots.mp3', '..', '..', '..', undefined, ['ar-d']])
  t.strictSame(await song('tr-none'), [
    'Unknown Artist/Unknown Album/none.mp3', 'Unknown Artist', 'Unknown Artist', 'Unknown Artist', undefined, []
  ])
})

for (const [query, keyword] of [
  ['a b', 'a b'], [' a ', 'a'], ['"a b"', 'a b'], ['a*', 'a'], ['"a*"', 'a'], ['"a"*', 'a'], ['a*b', 'a*b'],
  ['"a', '"a'], ['a"b"', 'a"b"'], ['"a\nb"', 'a\nb']
] as const) {
  t.test(`a search for ${JSON.stringify(query)} is one for ${JSON.stringify(keyword)}`, async t => {
    const asked: string[] = []
    const searchTracks = (keyword: string, offset: number, limit: number) => {
      asked.push(keyword)
      return { items: [], offset, limit, hasMore: false }
    }
    const app = await serve(t, { adapter: { searchTracks, searchArtists: searchTracks, searchAlbums: searchTracks } })
    await ask(app, 'search3', { query, artistCount: 0, albumCount: 0 })
    await ask(app, 'search', { any: query })
    t.strictSame(asked, [keyword, keyword])
  })
}

for (const query of ['', '""', '*', '"*"', ' " " ']) {
  t.test(`a search for ${JSON.stringify(query)} lists the library, and asks the source nothing`, async t => {
    const no = () => { throw new Error('asked') }
    const app = await serve(t, {
      library: wholeLibrary(30), adapter: { searchTracks: no, searchArtists: no, searchAlbums: no, searchSuggest: no }
    })
    const { artist, album, song } = (await ask(app, 'search3', { query, songCount: 1000 })).searchResult3
    t.strictSame([artist.length, album.length, song.length], [7, 20, 60])
  })
}

t.test('a search of a library finds what has all words, in any order, without case and accents', async t => {
  const album = (id: string, name: string, artistName?: string) =>
    ({ id, name, coverUrl: '', ...(artistName && { artistName }) })
  const albums = [album('x', 'Grüne Äpfel', 'Zoë'), album('y', 'Gruene', 'Zoe'), album('z', 'Apfel')]
  const track = { ...trackOf(1, 0), title: 'Über Nacht', artists: [artistOf(1), { id: 'z', name: 'Zoë' }] }
  const app = await serve(t, { library: () => ({ artists: [{ id: 'z', name: 'Zoë Ä' }], albums, tracks: [track] }) })
  const found = async (query: string) => {
    const { artist, album, song } = (await ask(app, 'search3', { query })).searchResult3
    return ids([...artist, ...album, ...song])
  }
  t.strictSame(await found('apfel'), ['al-z', 'al-x'])
  t.strictSame(await found('ZOE  apf'), ['al-x'])
  t.strictSame(await found('zoe'), ['ar-z', 'al-y', 'al-x', 'tr-t1-0'])
  t.strictSame(await found('nacht zoe 1'), ['tr-t1-0'])
  t.strictSame(await found('zoe zoe nobody'), [])
})

t.test('how many are found: twenty of each, as many as are asked for, 500 at most, none if not wanted', async t => {
  const asked: string[] = []
  const of = <T>(kind: string, make: (index: number) => T) => (_keyword: string, offset: number, limit: number) => {
    asked.push(kind)
    return {
      items: Array.from({ length: limit }, (_empty, index) => make(offset + index)), offset, limit, hasMore: true
    }
  }
  const app = await serve(t, {
    adapter: {
      searchArtists: of('artist', artistOf),
      searchAlbums: of('album', albumOf),
      searchTracks: of('song', index => trackOf(index, 0))
    } satisfies SourceAdapter
  })
  const found = async (query: Query) => {
    const { artist, album, song } = (await ask(app, 'search2', { query: 'x', ...query })).searchResult2
    return [artist.length, album.length, song.length]
  }
  t.strictSame(await found({}), [20, 20, 20])
  t.strictSame(await found({ artistCount: 1, albumCount: 2, songCount: 501 }), [1, 2, 500])
  asked.length = 0
  t.strictSame(await found({ artistCount: 0, albumCount: 1, songCount: 0 }), [0, 1, 0])
  t.strictSame(asked, ['album'])
  t.strictSame(
    await ask(app, 'search', { any: 'x', offset: 3 }).then(({ searchResult: { offset, totalHits, match } }) =>
      [offset, totalHits, match.length, match[0].id]),
    [3, 23, 20, 'tr-t3-0']
  )
})

t.test('suggestions are one page, cut to what is asked for', async t => {
  const searchSuggest = () =>
    ({ songs: [trackOf(1, 0), trackOf(1, 1)], artists: [artistOf(1), artistOf(2)], albums: [albumOf(1), albumOf(2)] })
  const app = await serve(t, { adapter: { searchSuggest }, library: wholeLibrary(9) })
  const found = async (query: Query) =>
    Object.values<any[]>((await ask(app, 'search3', { query: 'album', ...query })).searchResult3).map(ids)
  t.strictSame(await found({ artistCount: 1, albumCount: 1, songCount: 1 }), [['ar-a1'], ['al-b1'], ['tr-t1-0']])
  t.strictSame(await found({ artistOffset: 1, albumOffset: 1, songOffset: 1 }), [[], [], []])
})

t.test('a list of albums has ten, as many as are asked for, 500 at most, and tells how many there are', async t => {
  const app = await serve(t, { library: wholeLibrary(600) })
  for (const [query, length] of [
    [{}, 10], [{ size: 0 }, 0], [{ size: 11 }, 11], [{ size: 501 }, 500], [{ size: 500, offset: 599 }, 1],
    [{ size: 500, offset: 600 }, 0], [{ limit: 7 }, 7], [{ limit: 7, size: 8 }, 8], [{ limit: 501 }, 500]
  ] as [Query, number][]) {
    const response = await get(app, 'getAlbumList2', { f: 'json', type: 'alphabeticalByName', ...query })
    t.equal(response.json()['subsonic-response'].albumList2.album.length, length, JSON.stringify(query))
    t.equal(response.headers['x-total-count'], '600')
  }
})

t.test('what an account has starred is a favourite, whatever the items say', async t => {
  const favorite = false
  const app = await serve(t, {
    adapter: {
      userArtists: () => [{ ...artistOf(1), favorite }],
      userAlbums: () => [{ ...albumOf(1), favorite }],
      userFavoriteTracks: () => [{ ...trackOf(1, 0), favorite }]
    }
  })
  for (const [method, member] of [['getStarred', 'starred'], ['getStarred2', 'starred2']] as const) {
    const { artist, album, song } = (await ask(app, method))[member]
    t.strictSame([artist, album, song].map(([{ id, starred, isDir }]) => [id, starred, isDir]), [
      ['ar-a1', '1970-01-01T00:00:00.000Z', undefined],
      ['al-b1', '1970-01-01T00:00:00.000Z', method === 'getStarred' ? true : undefined],
      ['tr-t1-0', '1970-01-01T00:00:00.000Z', false]
    ])
  }
  t.strictSame((await ask(await serve(t), 'getStarred2')).starred2, { artist: [], album: [], song: [] })
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
  const app = await serve(t, {
    library: wholeLibrary(5), adapter: { getNewTracks: () => [trackOf(2, 0), trackOf(9, 0), trackOf(2, 1)] }
  })
  t.strictSame(ids((await ask(app, 'getAlbumList2', { type: 'newest' })).albumList2.album), [
    'al-b2', 'al-b9', 'al-b4', 'al-b3', 'al-b1', 'al-b0'
  ])
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
  const roaming = [trackOf(7, 0), trackOf(7, 1)]
  const app =
    await serve(t, { library: () => { reads++; return wholeLibrary(1)() }, adapter: { getRoamTracks: () => roaming } })
  t.strictSame(ids((await ask(app, 'getRandomSongs', { size: 2 })).randomSongs.song), ['tr-t7-0', 'tr-t7-1'])
  t.equal(reads, 0)
  t.equal((await ask(app, 'getRandomSongs', { size: 3 })).randomSongs.song.length, 3)
  t.equal(reads, 1)
})

t.test('lyrics name all artists, and times of words may be longer than 99 minutes', async t => {
  const app = await serve(t, {
    adapter: {
      getTrackDetail: () => ({ ...trackOf(1, 0), artists: [artistOf(1), artistOf(2)] }),
      getTrackLyrics: () => ({ lyrics: '', wordLyrics: '[100:01.00]<100:01.00>One <100:02.5>two' }),
      searchTracks: () => { throw new Error('asked') }
    } satisfies SourceAdapter
  })
  t.strictSame((await ask(app, 'getLyricsBySongId', { id: 'tr-t1-0' })).lyricsList.structuredLyrics, [
    {
      displayArtist: 'Artist 1, Artist 2',
      displayTitle: 'Song 0 of 1',
      lang: 'und',
      synced: true,
      line: [
        { start: 6_001_000, value: 'One two' }
      ]
    }
  ])
  t.strictSame(
    (await ask(app, 'getLyrics', { artist: 'Artist 1' })).lyrics, { artist: 'Artist 1', title: '', value: '' },
    'without a title nothing is searched for'
  )
})

t.test('what of a playlist is not told stays as it is', async t => {
  const changes: unknown[] = []
  const app = await serve(t, {
    adapter: {
      getUserPlaylist: () => [{ id: 'p', name: 'P' }],
      getPlaylistDetail: (id: string) => ({ id, name: 'P', description: 'D', tracks: [trackOf(1, 0), trackOf(2, 0)] }),
      updatePlaylist: (...args: unknown[]) => { changes.push(args); return { id: 'p', name: 'P' } },
      removeTrack: (...args: unknown[]) => { changes.push(args); return { success: true } },
      addTrackToPlaylist: (...args: unknown[]) => { changes.push(args); return { success: true } }
    } satisfies SourceAdapter
  })
  const made = async (method: string, query: Query) => {
    t.equal((await ask(app, method, { playlistId: 'pl-p', ...query })).status, 'ok')
    return changes.splice(0)
  }
  t.strictSame(await made('updatePlaylist', {}), [])
  t.strictSame(await made('updatePlaylist', { name: 'Q' }), [['p', 'Q', 'D']])
  t.strictSame(await made('updatePlaylist', { comment: 'E' }), [['p', 'P', 'E']])
  for (const place of ['0x1', '-1', '2', '1.5']) {
    const failed = await ask(app, 'updatePlaylist', { playlistId: 'pl-p', name: 'Q', songIndexToRemove: [0, place] })
    t.match([failed, changes], [{ error: { code: 10 } }, []], `${place} is no place in it`)
  }
  t.strictSame(await made('updatePlaylist', { songIndexToRemove: [1, 1] }), [['p', 't2-0']])
  t.strictSame(
    await made('createPlaylist', { name: 'P', songId: ['tr-t1-0', 'tr-t2-0'] }), [], 'the same name and songs'
  )
  t.strictSame(await made('createPlaylist', { songId: ['tr-t2-0', 'tr-t1-0'] }), [
    ['p', 't1-0'], ['p', 't1-0']
  ])
})

t.test('an album counts the songs that are known of it, else those that it tells', async t => {
  const albums = [{ ...albumOf(1), trackCount: 9 }, { ...albumOf(2), trackCount: 9 }]
  const tracks = [0, 1].map(index => ({ ...trackOf(1, index), album: albums[0]!, durationMs: 1600 }))
  const app = await serve(t, { library: () => ({ artists: [], albums, tracks }) })
  const { album } = (await ask(app, 'getAlbumList2', { type: 'alphabeticalByName' })).albumList2
  t.strictSame(album.map(({ songCount, duration }: any) => [songCount, duration]), [[2, 3], [9, 0]])
})

t.test('an album and a folder with all their members, and with few', async t => {
  const full = { ...albumOf(1), coverUrl: 'https://x.example/c', publishTime: Date.UTC(2001, 5, 1), favorite: true }
  const bare = { id: 'c', name: 'Bare', coverUrl: '', favorite: false }
  const app = await serve(t, { library: () => ({ artists: [artistOf(1)], albums: [full, bare], tracks: [] }) })
  const list = async (method: string, query: Query = {}) =>
    Object.values<any>(await ask(app, method, { type: 'alphabeticalByName', ...query })).at(-1).album
  const epoch = '1970-01-01T00:00:00.000Z'
  const shown = {
    id: 'al-b1',
    name: 'Album 1',
    artist: 'Artist 1',
    artistId: 'ar-a1',
    coverArt: 'al-b1',
    songCount: 2,
    duration: 0,
    created: '2001-06-01T00:00:00.000Z',
    year: 2001,
    genre: 'Rock',
    starred: epoch
  }
  const open = {
    artists: [{ id: 'ar-a1', name: 'Artist 1' }],
    genres: [{ name: 'Rock' }],
    displayArtist: 'Artist 1',
    releaseDate: { year: 2001, month: 6 }
  }
  const less = {
    id: 'al-c', name: 'Bare', artist: 'Unknown Artist', coverArt: 'al-c', songCount: 0, duration: 0, created: epoch
  }
  t.strictSame(await list('getAlbumList2'), [
    { ...shown, ...open }, { ...less, artists: [], genres: [], displayArtist: 'Unknown Artist' }
  ])
  t.strictSame(await list('getAlbumList2', { v: '1.8.0' }), [shown, less])
  const withoutNames = ({ name, songCount, ...rest }: any) => rest
  t.strictSame(await list('getAlbumList', { v: '1.8.0' }), [
    { ...withoutNames(shown), title: 'Album 1', album: 'Album 1', parent: 'ar-a1', isDir: true },
    { ...withoutNames(less), title: 'Bare', album: 'Bare', isDir: true }
  ])
})

t.test('XML for old apps has only what the schema of 1.16.1 has', async t => {
  const app = await serve(t, { adapter: createReferenceAdapter(() => 'http://localhost') })
  for (const id of ['al-b0', 'ar-a0']) await ask(app, 'setRating', { id, rating: 4 })
  for (const [method, query, path] of [
    ['getAlbum', { id: 'al-b0' }, /<(?:album|song) [^>]*/g], ['getArtist', { id: 'ar-a0' }, /<(?:artist|album) [^>]*/g],
    ['getPlaylists', {}, /<playlist [^>]*/g], ['getMusicDirectory', { id: 'ar-a0' }, /<child [^>]*/g],
    ['getIndexes', {}, /<artist [^>]*/g]
  ] as const) {
    const elements = (await get(app, method, { ...query, v: '1.12.0' })).body.match(path)!
    t.notMatch(elements.join(), /\b(?:mediaType|display\w+|readonly|releaseDate|genres)=/, method)
    t.notMatch(elements.join(), /<child [^>]*\b(?:name|songCount)=/, method)
    if (method === 'getAlbum' || method === 'getArtist') t.notMatch(elements.join(), /\buserRating=/, method)
  }
  t.match((await get(app, 'getAlbum', { id: 'al-b0' })).body, /<album [^>]*\buserRating="4"/, 'newer apps know it')
})

t.test('charts and own lists have their numbers and lengths, and new ones after a change', async t => {
  const adapter = createReferenceAdapter(() => 'http://localhost')
  const app = await serve(t, { adapter })
  await ask(app, 'createPlaylist', { name: 'Mine', songId: ['tr-t0', 'tr-t1'] })
  const lists = async () => Object.fromEntries((await ask(app, 'getPlaylists')).playlists.playlist.map(
    ({ id, songCount, duration }: any) => [id, [songCount, duration > 0]]
  ))
  const before = await lists()
  t.strictSame(before['pl-own0'], [2, true])
  t.ok(Object.entries(before).filter(([id]) => id.startsWith('tl-')).every(([, totals]) => (totals as any)[0] > 0))
  await ask(app, 'updatePlaylist', { playlistId: 'pl-own0', songIndexToRemove: 0 })
  t.strictSame((await lists())['pl-own0'], [1, true])
})

t.test('blank texts are left out, and a list that was never changed is as old as its beginning', async t => {
  const app = await serve(t, {
    adapter: {
      getPlaylistDetail: (id: string) => ({
        id,
        name: 'P',
        description: '',
        coverUrl: '',
        createdAt: Date.UTC(2020, 0, 1),
        updatedAt: null,
        creator: { id: '', name: '', avatarUrl: '' },
        tracks: []
      }),
      getArtistDetail: (id: string) => ({ id, name: 'A', coverUrl: '', favorite: false, tracks: [] }),
      getArtistAlbums: () => ({ items: [], offset: 0, limit: 100, hasMore: false })
    } satisfies SourceAdapter
  })
  const made = '2020-01-01T00:00:00.000Z'
  t.strictSame((await ask(app, 'getPlaylist', { id: 'pl-p' })).playlist, {
    id: 'pl-p',
    name: 'P',
    owner: 'fastify-source-origin',
    public: true,
    songCount: 0,
    duration: 0,
    created: made,
    changed: made,
    readonly: true,
    entry: []
  })
  t.strictSame((await ask(app, 'getArtist', { id: 'ar-a' })).artist, {
    id: 'ar-a', name: 'A', coverArt: 'ar-a', albumCount: 0, album: []
  })
})
