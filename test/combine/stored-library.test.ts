import { UpstreamError, type Album, type Artist, type Track } from 'fastify-source-origin'
import { combineSources, SourceStates } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import t, { type Test } from 'tap'
import { lastFavourites, pauseCalls, stored } from '../../lib/contract/ordered-library.ts'
import { ask, get, serve, token } from '../subsonic-server/helper.ts'
import { sourceOf } from './helper.ts'

// The stored library of a source is there while the source is not.

const artistOf = (name: string): Artist => ({ id: name, name: `Artist ${name}` })
const albumOf = (name: string): Album =>
  ({ id: name, name: `Album ${name}`, coverUrl: '', artistName: `Artist ${name}` })
const tracksOf = (name: string): Track[] => [1, 2, 3].map(number => ({
  id: `${name}${number}`, title: `Song ${name}${number}`, artists: [artistOf(name)], album: albumOf(name), durationMs: 9
}))
const libraryOf = (name: string) =>
  createLibrary({ artists: [artistOf(name)], albums: [albumOf(name)], tracks: tracksOf(name) })

const none = () => []
const lists = {
  userFavoriteTracks: none,
  userAlbums: none,
  userArtists: none,
  getRoamTracks: none,
  getToplist: none,
  getUserPlaylist: () => [{ id: 'p', name: 'Mine', description: '', coverUrl: '', trackCount: 0 }]
}
const away = async () => { throw new UpstreamError('away') }
const awayMethods = Object.fromEntries([
  'getTrackDetail', 'getAlbumDetail', 'getArtistDetail', 'getArtistAlbums', 'userFavoriteTracks', 'userAlbums',
  'userArtists', 'getTrackUrl', 'getTrackLyrics', 'getUserPlaylist', 'getToplist'
].map(method => [method, away]))

interface Sources { isRead?: boolean, favourites?: string[] | null, onPause?: () => void }

/** A combination of a folder and a server that does not answer, whose library was read. */
function combination (
  { isRead = true, favourites = ['n1'], onPause = () => {} }: Sources = {}, states = new SourceStates()
) {
  const home = libraryOf('h')
  const nav = Object.assign(libraryOf('n'), {
    [stored]: isRead,
    [pauseCalls]: onPause,
    [lastFavourites]: (kind: string) => (kind === 'tracks' ? favourites : favourites && []) ?? undefined
  })
  return () => combineSources([
    sourceOf('home', { library: home, ...lists }, { account: 'a' }),
    sourceOf('nav', { library: nav, getRoamTracks: none, ...awayMethods }, { account: 'a' })
  ], { states, unprefixed: 'home' })
}

const open = async (t: Test, sources?: Sources, states?: SourceStates) =>
  serve(t, { resolveContext: combination(sources, states) })

t.test('lists, items and details of a source that does not answer come from its stored library', async t => {
  const app = await open(t)
  const albums = (await ask(app, 'getAlbumList2', { type: 'alphabeticalByName' })).albumList2.album
  t.strictSame(albums.map(({ name }: any) => name), ['Album h', 'Album n'])
  const { album } = await ask(app, 'getAlbum', { id: albums[1].id })
  t.strictSame(album.song.map(({ title }: any) => title), ['Song n1', 'Song n2', 'Song n3'])
  const { artist } = await ask(app, 'getArtist', { id: album.artistId })
  t.strictSame(artist.album.map(({ name }: any) => name), ['Album n'])
  t.match(await ask(app, 'getSong', { id: album.song[0].id }), { song: { title: 'Song n1' } })
  t.match(await ask(app, 'search3', { query: '', songCount: 10 }), { searchResult3: { song: { length: 6 } } })
  t.match(await ask(app, 'getStarred2'), { starred2: { song: [{ title: 'Song n1' }] } })
})

t.test('what a stored library does not have is the error of the source', async t => {
  const { adapter } = combination()()
  t.equal((await adapter!.getAlbumDetail!('nav:n', 1)).tracks.length, 1)
  t.strictSame((await adapter!.getArtistDetail!('nav:n', -1)).tracks, [])
  t.match(await adapter!.getArtistAlbums!('nav:n', 0, 10), { items: [{ name: 'Album n' }], hasMore: false })
  for (const call of [
    () => adapter!.getTrackDetail!('nav:gone'), () => adapter!.getAlbumDetail!('nav:gone', -1),
    () => adapter!.getArtistDetail!('nav:gone', -1), () => adapter!.getTrackLyrics!('nav:n1')
  ]) await t.rejects(async () => call(), { message: 'away' })
})

t.test('favourites that were never read are missing, and the response names the source', async t => {
  const reply = await get(await open(t, { favourites: null }), 'getStarred2', { f: 'json' })
  t.equal(reply.headers['source-partial'], 'nav')
  t.match(reply.json()['subsonic-response'], { status: 'ok' })
})

t.test('a source whose library was not read yet is not part of the library, and is named', async t => {
  const app = await open(t, { isRead: false })
  const reply = await app.inject(`/rest/getArtists?f=json&u=ada&p=${token}&c=test`)
  t.equal(reply.headers['source-partial'], 'nav')
  const { artists } = await ask(app, 'getArtists')
  t.strictSame(artists.index.map(({ name }: any) => name), ['A'])
  t.strictSame(artists.index[0].artist.map(({ name }: any) => name), ['Artist h'])
})

t.test('items of a source whose library was not read yet are there', async t => {
  const { adapter } = combination({ isRead: false })()
  const items = await adapter!.library!.items('tracks', ['nav:n1', 'h1'], { signal: new AbortController().signal })
  t.match(items, [{ title: 'Song n1' }, { title: 'Song h1' }])
})

t.test('playlists of the other sources are there, and the response names the source', async t => {
  const app = await open(t)
  const reply = await app.inject(`/rest/getPlaylists?f=json&u=ada&p=${token}&c=test`)
  t.equal(reply.headers['source-partial'], 'nav')
  t.match(reply.json()['subsonic-response'], { playlists: { playlist: [{ name: 'Mine' }] } })
})

t.test('albums by rating are there without the source, and its stored library then makes no calls', async t => {
  let pauses = 0
  const app = await open(t, { onPause: () => { pauses++ } })
  const reply = await get(app, 'getAlbumList2', { type: 'highest', f: 'json' })
  t.match(reply.json()['subsonic-response'], { albumList2: { album: { length: 2 } } })
  t.equal(reply.headers['source-partial'], 'nav')
  t.ok(pauses > 0)
})

t.test('random songs leave out a source that is not available', async t => {
  const states = new SourceStates()
  const app = await open(t, {}, states)
  const titles = async () => (await ask(app, 'getRandomSongs', { size: 6 })).randomSongs.song
    .map(({ title }: any) => title).sort()
  t.equal((await titles()).length, 6)
  states.of('nav', 'NAV', 'a').fail(new UpstreamError('away'))
  t.strictSame(await titles(), ['Song h1', 'Song h2', 'Song h3'])
})
