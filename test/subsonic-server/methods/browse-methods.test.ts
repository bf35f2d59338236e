import type { SourceAdapter } from 'fastify-source-origin'
import t from 'tap'
import { adapter, ask, ids, serve } from '../helper.ts'
import { albumOf, artistOf, trackOf, wholeLibrary } from '../library.ts'

const stateless = { context: { stateless: true } }

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

t.test('the index has letters that are on keyboards', async t => {
  const artist = (name: string) => ({ id: name, name, coverUrl: '' })
  const artists = ['한강', '가수', 'Éva', '1999', 'The Who'].map(artist)
  const app = await serve(t, { adapter: {}, library: () => ({ artists, albums: [], tracks: [] }), title: 'Home' })
  const { index } = (await ask(app, 'getArtists')).artists
  t.strictSame(index.map(({ name }: { name: string }) => name).sort(), ['#', 'E', 'W', 'ㄱ', 'ㅎ'])
  t.strictSame((await ask(app, 'getMusicFolders')).musicFolders.musicFolder, [{ id: 1, name: 'Home' }])
  t.equal((await ask(app, 'getMusicDirectory', { id: 1 })).directory.name, 'Home')
})

for (const [method, id, message] of [
  ['getArtist', 'ar-x', 'artist'], ['getAlbum', 'al-x', 'album'], ['getSong', 'tr-x', 'track']
] as const) {
  t.test(`${method} of a source without details says that there is no such ${message}`, async t => {
    t.strictSame((await ask(await serve(t, { library: wholeLibrary(2) }), method, { id })).error, {
      code: 70, message: `${message.charAt(0).toUpperCase()}${message.slice(1)} not found`
    })
  })
}

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

t.test('genres by name, with the songs that albums tell or that are known', async t => {
  const album = (id: string, genre: string | undefined, trackCount?: number) => ({
    id, name: id, coverUrl: '', ...(genre !== undefined && { genre }), ...(trackCount !== undefined && { trackCount })
  })
  const albums = [
    album('a', 'Rock', 3), album('b', 'Jazz'), album('c', 'Rock', 4), album('d', '', 9), album('e', undefined, 9)
  ]
  const tracks = albums.flatMap(album => ['1', '2'].map(id => ({ ...trackOf(1, 0), id: album.id + id, album })))
  const app = await serve(t, { adapter: { userAlbums: () => albums, userFavoriteTracks: () => tracks } })
  t.strictSame((await ask(app, 'getGenres')).genres.genre, [
    { value: 'Jazz', songCount: 2, albumCount: 1 }, { value: 'Rock', songCount: 7, albumCount: 2 }
  ])
})
