import { extras, type SourceAdapter, type Track } from 'fastify-source-origin'
import t from 'tap'
import { deferred } from '../../helper.ts'
import { createReferenceAdapter } from '../../reference-source.ts'
import { ask, callOnce, get, ids, serve, type Query } from '../helper.ts'
import { albumOf, artistOf, trackOf } from '../library.ts'

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
  const publishTime = Date.parse('2001-02-03')
  const created = '2026-01-02T03:04:05.000Z'
  const tracks = ['new', 'other'].map(id => ({
    id,
    title: id,
    artists: [],
    album: { id: 'b', name: 'B', coverUrl: '', publishTime },
    durationMs: 1,
    ...id === 'new' && { [extras]: { created } }
  }))
  const app = await serve(t, {
    adapter: {
      getAlbumDetail: (id: string) =>
        ({ id, name: 'B', coverUrl: '', publishTime, tracks, ...id === 'b' && { [extras]: { created } } })
    }
  })
  const { album } = await ask(app, 'getAlbum', { id: 'al-b' })
  t.equal(album.created, created)
  t.equal(album.year, 2001)
  t.strictSame(album.song.map((song: any) => song.created), [created, '2001-02-03T00:00:00.000Z'])
  t.equal((await ask(app, 'getAlbum', { id: 'al-old' })).album.created, '2001-02-03T00:00:00.000Z')
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
  const favourites = new Set(['t'])
  const plain = { id: 't', title: 'T', artists: [], album: albumOf(1), durationMs: 1 }
  const all: SourceAdapter = {
    getTrackDetail: id => ({ ...plain, id }),
    userFavoriteTracks: () => { calls++; return [...favourites].map(id => ({ ...plain, id })) },
    favoriteTrack: (id, status) => { favourites[status ? 'add' : 'delete'](id); return { success: true, status } }
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
  await app.listen({ port: 0, host: '127.0.0.1' })
  app.server.once('connection', socket => socket.once('close', () => closed.resolve()))
  const leaving = callOnce(app, 'getSong', { id: 'tr-early' })
  await asked.promise
  const staying = ask(app, 'getSong', { id: 'tr-late' })
  await seen.promise
  leaving.destroy()
  await closed.promise
  answered.resolve()
  t.equal((await staying).status, 'ok')
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
    adapter: {
      getTrackDetail: (id: string) => tracks.find(track => track.id === id)!,
      getAlbumDetail: (id: string) => ({ id, name: 'X', coverUrl: '', tracks: tracks.slice(0, 10) })
    }
  })
  await ask(app, 'getAlbum', { id: 'al-x' })
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
    id: 'ar-a', name: 'A', coverArt: 'ar-a', albumCount: 0, disambiguation: '', album: []
  })
})
