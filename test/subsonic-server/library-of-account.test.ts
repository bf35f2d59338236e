import { NotFoundError, type SourceAdapter } from 'fastify-source-origin'
import t from 'tap'
import { deferred, logged } from '../helper.ts'
import { createReferenceAdapter } from '../reference-source.ts'
import { ask, get, roomy, serve } from './helper.ts'
import { albumOf, artistOf, publicSource, trackOf, wholeLibrary } from './library.ts'
import { replace } from '../replace.ts'
import { pace } from '../../lib/library/parts-reader.ts'

const stateless = { stateless: true }
const names = (items: { name: string }[]) => items.map(({ name }) => name).sort()

t.test('artists and albums are sorted for people, and numbers come from the order of an album', async t => {
  const app = await serve(t, {
    library: () => ({
      artists: ['The Zebras', 'Älpler', 'abc', '9 Lives', 'Los Ángeles'].map((name, index) =>
        ({ id: String(index), name })),
      albums: ['b 10', 'B 2'].map((name, index) => ({ id: String(index), name, coverUrl: '' })),
      tracks: [trackOf(1, 0), trackOf(1, 1)]
    })
  })
  const { index } = (await ask(app, 'getArtists')).artists
  t.strictSame(index.map(({ name, artist }: any) => [name, artist.map(({ name }: any) => name)]),
    [['#', ['9 Lives']], ['A', ['abc', 'Älpler', 'Los Ángeles']], ['Z', ['The Zebras']]])
  t.strictSame((await ask(app, 'search3')).searchResult3.album.map(({ name }: any) => name), ['B 2', 'b 10'])
  t.strictSame(
    (await ask(app, 'search3')).searchResult3.song.map(({ track, discNumber }: any) => [track, discNumber]),
    [[1, 1], [2, 1]]
  )
})

t.test('indexes that have not changed are empty', async t => {
  const app = await serve(t, { library: wholeLibrary(3) })
  const { lastModified, index } = (await ask(app, 'getIndexes')).indexes
  t.equal(index.length, 1)
  t.strictSame((await ask(app, 'getIndexes', { ifModifiedSince: lastModified })).indexes.index, [])
  t.equal((await ask(app, 'getIndexes', { ifModifiedSince: lastModified - 1 })).indexes.index.length, 1)
})

t.test('a source without accounts has the albums of its top artists, its playlists and what is new', async t => {
  const { adapter, calls } = publicSource(3, 45)
  const app = await serve(t, {
    context: stateless,
    adapter: {
      ...adapter,
      getPlaylists: (offset: number, limit: number) =>
        ({ items: [{ id: 'p', name: 'P' }, { id: 'gone', name: 'Gone' }], offset, limit, hasMore: false }),
      getPlaylistDetail: (id: string) => {
        if (id === 'gone') throw new NotFoundError()
        return { id, name: 'P', tracks: [{ ...trackOf(90_001, 0), artists: [artistOf(90)] }] }
      },
      getNewTracks: () => [trackOf(90_002, 0)]
    } satisfies SourceAdapter
  })
  t.equal(
    (await get(app, 'getAlbumList2', { type: 'alphabeticalByName' })).headers['x-total-count'], String(3 * 45 + 2)
  )
  const artists = (await ask(app, 'getArtists')).artists.index.flatMap(({ artist }: any) => artist)
  t.strictSame(names(artists), ['Artist 0', 'Artist 1', 'Artist 2', 'Artist 3', 'Artist 90'])
  t.equal(artists.find(({ id }: any) => id === 'ar-a0').albumCount, 45)
  t.notOk(calls.some(call => call.startsWith('getAlbumDetail')), 'songs are read when songs are asked for')
  t.equal((await ask(app, 'search3', { songCount: 1000, albumCount: 0 })).searchResult3.song.length, 3 * 45 * 2 + 4)
  t.equal((await ask(app, 'getScanStatus')).scanStatus.count, 3 * 45 * 2 + 4)
})

t.test('an account has its favourites and playlists, and without any what everybody is shown', async t => {
  const { adapter } = publicSource(2, 3)
  let favourites = true
  const all: SourceAdapter = {
    ...adapter,
    userArtists: () => favourites ? [artistOf(5)] : [],
    userAlbums: () => favourites ? [albumOf(60_000)] : [],
    userFavoriteTracks: () => favourites ? [trackOf(70_000, 0)] : [],
    getUserPlaylist: () => favourites ? [{ id: 'p', name: 'Mine' }] : [],
    getPlaylistDetail: id => ({ id, name: 'Mine', tracks: [trackOf(80_000, 0)] })
  }
  const albums = async () =>
    (await ask(await serve(t, { adapter: all }), 'search3', { albumCount: 100 })).searchResult3.album
  t.strictSame(names(await albums()), [
    'Album 5000', 'Album 5001', 'Album 5002', 'Album 60000', 'Album 70000', 'Album 80000'
  ])
  favourites = false
  t.equal((await albums()).length, 6)
})

t.test('who waits too long is told to come again, and the building goes on', async t => {
  const { promise, resolve } = deferred<ReturnType<typeof artistOf>[]>()
  let calls = 0
  const app = await serve(t, {
    context: stateless, adapter: { getTopArtists: () => { calls++; return promise } }, limits: { maxWait: 10 }
  })
  t.match(await ask(app, 'getArtists'), { error: { code: 0, message: 'The library is still being read, try again' } })
  t.match(await ask(app, 'getScanStatus'), { scanStatus: { scanning: true, count: 0 } })
  resolve([artistOf(1)])
  await t.resolves(promise)
  let artists = await ask(app, 'getArtists')
  while (artists.status !== 'ok') artists = await ask(app, 'getArtists')
  t.equal(artists.artists.index.length, 1)
  t.equal(calls, 1)
})

t.test('a library is read again after its time, and an older one stays when a new one cannot be had', async t => {
  const { lines, logger } = logged()
  let calls = 0
  let fails = false
  const now = Date.now()
  let later = 0
  replace(t, Date, 'now', () => now + later)
  const app = await serve(t, {
    context: stateless,
    limits: { ttl: 600_000 },
    adapter: { getTopArtists: () => { calls++; if (fails) throw new Error('no'); return [artistOf(calls)] } }
  }, { ...roomy, logger })
  const artist = async () => (await ask(app, 'getArtists')).artists?.index[0].artist[0].name
  t.strictSame([await artist(), await artist()], ['Artist 1', 'Artist 1'])
  later = 601_000
  t.equal(await artist(), 'Artist 2')
  fails = true
  later += 3_600_000
  t.equal(await artist(), 'Artist 2')
  later += 10 * 86_400_000
  t.equal(await artist(), 'Artist 2')
  t.ok(lines.some(({ msg }) => msg === 'library not read'))
})

t.test('a library that takes more calls than are made without a pause is whole', async t => {
  replace(t, pace, 'calls', 5)
  replace(t, pace, 'between', 0)
  const { adapter, calls } = publicSource(5, 30)
  const app = await serve(t, { context: stateless, adapter })
  const { album, song } = (await ask(app, 'search3', { albumCount: 500, songCount: 500 })).searchResult3
  t.strictSame([album.length, song.length], [150, 300])
  t.ok(calls.length > 5)
})

t.test('a closed server ends the read of a library', async t => {
  replace(t, pace, 'calls', 1)
  replace(t, pace, 'between', 3_600_000)
  const { adapter, calls } = publicSource(5, 30)
  const app = await serve(t, { context: stateless, adapter, limits: { maxWait: 10 } })
  t.match(await ask(app, 'getArtists'), { error: { message: 'The library is still being read, try again' } })
  await app.close()
  t.ok(calls.length <= 1)
})

t.test('a client that hangs up ends nothing that others wait for', async t => {
  const { promise, resolve } = deferred<ReturnType<typeof artistOf>[]>()
  let signal!: AbortSignal
  const app = await serve(t, {
    limits: { maxWait: 10 },
    resolveContext: context => { signal ??= context.signal; return { adapter: { getTopArtists: () => promise } } }
  })
  await ask(app, 'getArtists')
  resolve([])
  t.equal(signal.aborted, false)
})

t.test('a scan that is asked for reads everything anew', async t => {
  let calls = 0
  const app = await serve(t, { context: stateless, adapter: { getTopArtists: () => [artistOf(++calls)] } })
  await ask(app, 'getArtists')
  t.match(await ask(app, 'startScan'), { scanStatus: { scanning: true, count: 0 } })
  t.match((await ask(app, 'getArtists')).artists.index[0].artist, [{ id: 'ar-a2' }])
})

t.test('a source that scans is told to, and tells how far it is', async t => {
  const app = await serve(t, {
    context: stateless,
    adapter: { startScan: () => ({ scanning: true, count: 1 }), getScanStatus: () => ({ scanning: false, count: 7.2 }) }
  })
  t.match(await ask(app, 'startScan'), { scanStatus: { scanning: true, count: 1 } })
  t.match(await ask(app, 'getScanStatus'), { scanStatus: { scanning: false, count: 7 } })
})

t.test('a scan that fails is logged', async t => {
  const { lines, logger } = logged()
  const app = await serve(t, { context: stateless, adapter: { getTopArtists: () => { throw new Error('no') } } }, {
    ...roomy, logger
  })
  await ask(app, 'startScan')
  await ask(app, 'getArtists')
  t.ok(lines.some(({ msg }) => msg === 'library not read'))
})

t.test('accounts have shelves of their own, and so has each place that media come from', async t => {
  const seen: string[] = []
  const app = await serve(t, {
    resolveLogin: ({ username }) => username ?? null,
    resolveContext: ({ authorization = '' }) => ({
      adapter: { getTopArtists: () => { seen.push(authorization); return [{ id: '1', name: authorization }] } },
      account: 'one',
      varyBy: authorization === 'c' ? 'https://other' : ''
    })
  })
  for (const u of ['a', 'b', 'c']) await ask(app, 'getArtists', { u })
  t.strictSame(seen, ['a', 'c'])
})

t.test('changes of favourites and playlists are in the library at once', async t => {
  const adapter = createReferenceAdapter(() => 'http://localhost')
  const app = await serve(t, { adapter })
  const albums = async () => names((await ask(app, 'search3', { songCount: 0 })).searchResult3.album)
  t.strictSame(await albums(), ['Noon Music'])
  await ask(app, 'star', { id: 'al-b3' })
  t.strictSame(await albums(), ['Night Music', 'Noon Music'])
  await ask(app, 'star', { artistId: 'ar-a2' })
  t.strictSame(await albums(), ['Evening Music', 'Night Music', 'Noon Music'])
  await ask(app, 'unstar', { id: 'al-b3' })
  t.strictSame(await albums(), ['Evening Music', 'Noon Music'])
  await ask(app, 'createPlaylist', { name: 'Mine', songId: 'tr-t0' })
  t.strictSame(await albums(), ['Evening Music', 'Morning Music', 'Noon Music'])
  await ask(app, 'deletePlaylist', { id: 'pl-own0' })
  t.equal((await ask(app, 'search3', { songCount: 100 })).searchResult3.song.length, 8)
})

t.test('a change while the library is read, or one whose result cannot be read, has it read again', async t => {
  const adapter = createReferenceAdapter(() => 'http://localhost')
  const { promise, resolve } = deferred<void>()
  let reads = 0
  let fails = false
  const app = await serve(t, {
    limits: { maxWait: 10 },
    adapter: {
      ...adapter,
      userAlbums: async () => {
        if (fails) throw new Error('no')
        if (++reads === 1) await promise
        return adapter.userAlbums!()
      }
    }
  })
  await ask(app, 'getArtists')
  await ask(app, 'star', { id: 'al-b0' })
  resolve()
  let found = await ask(app, 'search3', { songCount: 0 })
  while (found.searchResult3?.album.length !== 2) found = await ask(app, 'search3', { songCount: 0 })
  const before = reads
  fails = true
  t.equal((await ask(app, 'star', { id: 'al-b2' })).status, 'ok')
  fails = false
  t.equal((await ask(app, 'search3', { songCount: 0 })).searchResult3.album.length, 3)
  t.ok(reads > before)
})

/** A library as it is given, with nothing of what is left out. */
const given = (parts: { artists?: object[], albums?: object[], tracks?: object[] }): any => () =>
  ({ artists: [], albums: [], tracks: [], ...parts })
const list = async (app: Parameters<typeof ask>[0], type: string, query = {}) =>
  (await ask(app, 'getAlbumList2', { type, size: 100, ...query })).albumList2.album
const ids = (items: { id: string }[]) => items.map(({ id }) => id)

t.test('what is read first of an album wins, and its blanks are filled from what comes later', async t => {
  const full = {
    id: 'b',
    name: 'Later',
    coverUrl: 'https://x.example/c',
    artistName: 'Ada',
    genre: 'Pop',
    trackCount: 9,
    publishTime: Date.UTC(2001, 5, 1)
  }
  for (const [first, shown] of [
    [{ id: 'b', name: 'First', coverUrl: '', artistName: '', genre: '', publishTime: null },
      { name: 'First', artist: 'Ada', genre: 'Pop', songCount: 9, year: 2001 }],
    [{ id: 'b', name: 'First', coverUrl: '', trackCount: undefined, genre: undefined },
      { name: 'First', artist: 'Ada', genre: 'Pop', songCount: 9, year: 2001 }],
    [{ id: 'b', name: 'First', coverUrl: '', artistName: 'Bo', genre: 'Folk', trackCount: 0, publishTime: 0 },
      { name: 'First', artist: 'Bo', genre: 'Folk', songCount: 0, year: 1970 }]
  ] as [object, object][]) {
    const app = await serve(t, {
      media: 'redirect',
      adapter: { userFavoriteTracks: () => [{ ...trackOf(1, 0), album: first }], userAlbums: () => [full] }
    })
    const [{ name, artist, genre, songCount, year }, ...more] = await list(app, 'alphabeticalByName')
    t.strictSame({ name, artist, genre, songCount, year }, shown)
    t.strictSame(more, [])
    t.equal((await get(app, 'getCoverArt', { id: 'al-b' })).headers.location, 'https://x.example/c')
  }
})

t.test('what is read first of an artist wins, and its blanks are filled from what comes later', async t => {
  const app = await serve(t, {
    adapter: {
      userFavoriteTracks: () => [{ ...trackOf(1, 0), artists: [{ id: 'a', name: 'First', coverUrl: '' }] }],
      userArtists: () => [{ id: 'a', name: 'Later', coverUrl: 'https://x.example/a' }]
    }
  })
  const [{ artist: [{ name, artistImageUrl }, ...more] }] = (await ask(app, 'getArtists')).artists.index
  t.strictSame([name, artistImageUrl, more], ['First', 'https://x.example/a', []])
})

t.test('artists and albums without a name or an id are not listed', async t => {
  const track = {
    ...trackOf(1, 0),
    artists: [{ id: '', name: 'No id' }, { id: 'x', name: '' }, artistOf(1)],
    album: { id: '', name: 'No id', coverUrl: '' }
  }
  const app = await serve(t, {
    adapter: {
      userFavoriteTracks: () => [track, { ...track, id: 'u', album: { id: 'y', name: '', coverUrl: '' } }],
      userAlbums: () => [albumOf(1), { ...albumOf(2), name: '' }]
    }
  })
  t.strictSame(ids(await list(app, 'alphabeticalByName')), ['al-b1'])
  t.strictSame(ids((await ask(app, 'search3', { albumCount: 0, songCount: 0 })).searchResult3.artist), ['ar-a1'])
})

t.test('the newest albums are first, those without a time last, and among equals the name decides', async t => {
  const albums = [['z', undefined], ['d', 2000], ['b', 1990], ['a', undefined], ['c', 2000], ['e', 2010], ['n', null]]
    .map(([id, year]) =>
      ({ id, name: id, coverUrl: '', publishTime: typeof year === 'number' ? Date.UTC(year, 5, 1) : year }))
  const app = await serve(t, { library: given({ albums }) })
  t.strictSame(ids(await list(app, 'newest')), ['al-e', 'al-c', 'al-d', 'al-b', 'al-a', 'al-n', 'al-z'])
  t.strictSame(ids(await list(app, 'byYear', { fromYear: 2010, toYear: 1990 })), ['al-e', 'al-c', 'al-d', 'al-b'])
  t.strictSame(ids(await list(app, 'byYear', { fromYear: 2000, toYear: 2000 })), ['al-c', 'al-d'])
  t.strictSame(ids(await list(app, 'byYear', { fromYear: 1991, toYear: 1999 })), [])
})

t.test('albums by artist: in the order of artists without articles, of nobody first, of one by name', async t => {
  const albums = [
    ['1', 'b', 'The Yes'], ['2', 'c', 'Abba'], ['3', 'a', 'the yes'], ['4', 'd', ''], ['5', 'a', 'Abba'],
    ['6', 'e', 'Theatre'], ['7', 'f', 'La'], ['8', 'g', undefined]
  ]
    .map(([id, name, artistName]) => ({ id, name, coverUrl: '', artistName }))
  const app = await serve(t, { library: given({ albums }) })
  t.strictSame(ids(await list(app, 'alphabeticalByArtist')), ['4', '8', '5', '2', '7', '6', '3', '1'].map(id =>
    `al-${id}`))
  t.strictSame(ids(await list(app, 'alphabeticalByName')), ['3', '5', '1', '2', '4', '6', '7', '8'].map(id =>
    `al-${id}`))
})

t.test('an index has the first letter without article, case and accent, and # for what begins with none', async t => {
  const artists = [
    'The', 'The The', 'La', 'LA  Guns', 'éclair', 'Ørsted', '!!!', '1999', 'Яблоко', 'Das Boot', ' Le Mans'
  ].map((name, index) => ({ id: String(index), name }))
  const app = await serve(t, { library: given({ artists }) })
  const { index, ignoredArticles } = (await ask(app, 'getArtists')).artists
  t.strictSame(Object.fromEntries(index.map(({ name, artist }: any) => [name, artist.map(({ name }: any) => name)])), {
    '#': ['!!!', '1999'],
    D: ['Das Boot'],
    E: ['éclair'],
    G: ['LA  Guns'],
    L: ['La'],
    M: [' Le Mans'],
    Ø: ['Ørsted'],
    T: ['The', 'The The'],
    Я: ['Яблоко']
  })
  t.equal(ignoredArticles, 'The El La Los Las Le Les')
})

t.test('an album without an artist has the first one of its first track, unless the album names another', async t => {
  const [ada, bo] = [{ id: 'ada', name: 'Ada' }, { id: 'bo', name: 'Bo' }]
  const album = (id: string, artistName?: string) => ({ id, name: id, coverUrl: '', artistName })
  const track = (id: string, artists: object[], album: object) => ({ id, title: id, artists, album, durationMs: 1 })
  const tracks = [
    track('1', [ada, bo], album('x')), track('2', [bo], album('x')), track('3', [ada], album('y', 'Various')),
    track('4', [{ id: 'di', name: 'Di' }], album('z', 'Di')), track('5', [], album('w')),
    track('6', [{ id: '', name: 'Cy' }], album('v'))
  ]
  const app = await serve(t, { library: given({ albums: tracks.map(({ album }) => album), tracks }) })
  t.strictSame((await list(app, 'alphabeticalByName')).map(({ id, artist, artistId }: any) => [id, artist, artistId]), [
    ['al-v', 'Unknown Artist', undefined], ['al-w', 'Unknown Artist', undefined], ['al-x', 'Ada', 'ar-ada'],
    ['al-y', 'Various', undefined], ['al-z', 'Di', 'ar-di']
  ])
})

t.test('albums of a discography that are by somebody else are not the artist\'s', async t => {
  const of = (id: string, artistName?: string) => ({ id, name: id, coverUrl: '', artistName })
  const app = await serve(t, {
    context: stateless,
    adapter: {
      getTopArtists: () => [artistOf(1)],
      getArtistAlbums: () =>
        ({ items: [of('x'), of('y', 'Artist 1'), of('z', 'Various')], offset: 0, limit: 100, hasMore: false })
    }
  })
  t.equal((await ask(app, 'getArtists')).artists.index[0].artist[0].albumCount, 2)
  t.strictSame((await list(app, 'alphabeticalByName')).map(({ artist, artistId }: any) => [artist, artistId]), [
    ['Artist 1', 'ar-a1'], ['Artist 1', 'ar-a1'], ['Various', undefined]
  ])
})

t.test('songs of albums are read once, and after a change those of new albums only', async t => {
  const { adapter, calls } = publicSource(2, 2)
  const favourites = [albumOf(100)]
  const app = await serve(t, {
    adapter: {
      ...adapter,
      userAlbums: () => favourites,
      favoriteAlbum: () => { favourites.push(albumOf(200)); return { success: true, status: true } }
    }
  })
  const songs = async () => ids((await ask(app, 'search3', { songCount: 100 })).searchResult3.song)
  t.strictSame(await songs(), ['tr-t100-0', 'tr-t100-1'])
  t.strictSame(calls.splice(0), ['getAlbumDetail b100'])
  await ask(app, 'star', { albumId: 'al-b200' })
  t.strictSame(await songs(), ['tr-t100-0', 'tr-t100-1', 'tr-t200-0', 'tr-t200-1'])
  t.strictSame(calls, ['getAlbumDetail b200'])
})

t.test('two artists of one name have their own albums', async t => {
  const app = await serve(t, {
    context: stateless,
    adapter: {
      getTopArtists: () => ['x', 'y'].map(id => ({ id, name: 'Twin' })),
      getArtistAlbums: (id: string) => ({
        items: [{ id: `of-${id}`, name: id, coverUrl: '', artistName: 'Twin' }], offset: 0, limit: 100, hasMore: false
      })
    } satisfies SourceAdapter
  })
  t.strictSame((await list(app, 'alphabeticalByName')).map(({ id, artistId }: any) => [id, artistId]), [
    ['al-of-x', 'ar-x'], ['al-of-y', 'ar-y']
  ])
  t.strictSame(
    (await ask(app, 'getArtists')).artists.index[0].artist.map(({ id, albumCount }: any) => [id, albumCount]),
    [['ar-x', 1], ['ar-y', 1]]
  )
})

t.test('a song of several lists is there once, as it was read first', async t => {
  const app = await serve(t, {
    adapter: {
      userFavoriteTracks: () => [{ ...trackOf(1, 0), title: 'Favourite' }],
      getUserPlaylist: () => [{ id: 'p', name: 'P' }],
      getPlaylistDetail: (id: string) =>
        ({ id, name: 'P', tracks: [{ ...trackOf(1, 0), title: 'Listed' }, trackOf(2, 0)] })
    } satisfies SourceAdapter
  })
  t.strictSame((await ask(app, 'search3', { songCount: 100 })).searchResult3.song.map(({ title }: any) => title), [
    'Favourite', 'Song 0 of 2'
  ])
})

t.test('artists and pictures of the library are known before they were shown', async t => {
  const coverUrl = 'https://x.example/c'
  const no = () => { throw new Error('asked') }
  const app = await serve(t, {
    media: 'redirect',
    adapter: {
      userArtists: () => [{ ...artistOf(5), coverUrl }],
      userAlbums: () => [{ ...albumOf(1), artistName: '', coverUrl }],
      getAlbumDetail: no,
      getArtistDetail: no,
      searchArtists: no,
      getArtistTracks: (id: string) => ({ items: [{ ...trackOf(1, 0), id }], offset: 0, limit: 1, hasMore: false })
    } satisfies SourceAdapter
  })
  await ask(app, 'getAlbumList2', { type: 'newest', size: 0 })
  t.strictSame(ids((await ask(app, 'getTopSongs', { artist: 'Artist 5' })).topSongs.song), ['tr-a5'])
  for (const id of ['ar-a5', 'al-b1']) t.equal((await get(app, 'getCoverArt', { id })).headers.location, coverUrl, id)
})

for (const [limits, left] of [
  [{ artists: 7, albums: 8, tracks: 16 }, undefined],
  [{ artists: 7, albums: 7, tracks: 16 }, ['albums']],
  [{ artists: 6, albums: 7, tracks: 16 }, ['artists', 'albums']],
  [{ artists: 7, albums: 8, tracks: 15 }, ['tracks']]
] as const) {
  t.test(`a library of 7 artists, 8 albums and 16 songs within ${JSON.stringify(limits)}`, async t => {
    const { lines, logger } = logged()
    const all = wholeLibrary(8)
    const albums = Array.from({ length: 8 }, (_empty, index) => albumOf(index))
    const app = await serve(t, {
      limits,
      adapter: { userArtists: () => all().artists, userAlbums: () => albums, userFavoriteTracks: () => all().tracks() }
    }, { ...roomy, logger })
    const { artist, album, song } =
      (await ask(app, 'search3', { artistCount: 100, albumCount: 100, songCount: 100 })).searchResult3
    t.strictSame([artist.length, album.length, song.length], [limits.artists, limits.albums, limits.tracks])
    t.strictSame(lines.find(({ msg }) => msg === 'library too large')?.kinds, left)
  })
}
