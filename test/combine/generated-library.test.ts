import sourceOrigin, {
  NotFoundError, UnsupportedFeatureError, UpstreamError, type Album, type Track
} from 'fastify-source-origin'
import { combineSources, SourceStates, type CombinedSource } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { sourcePage } from 'fastify-source-origin/page'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import { storedId } from '../../lib/combine/combined-ids.ts'
import { times } from '../../lib/library/generated-library.ts'
import { mostItems } from '../../lib/library/parts-reader.ts'
import { writeId } from '../../lib/subsonic-server/ids.ts'
import { deferred } from '../helper.ts'
import { replace } from '../replace.ts'
import { ask, serve, token } from '../subsonic-server/helper.ts'
import { sourceOf } from './helper.ts'

// The generated library of a source is there while the source is not.

const albumOf = (name: string): Album =>
  ({ id: name, name: `Album ${name}`, coverUrl: '', artistName: `Artist ${name}` })
const trackOf = (name: string, number = 1): Track => ({
  id: `${name}${number}`,
  title: `Song ${name}${number}`,
  artists: [{ id: name, name: `Artist ${name}` }],
  album: albumOf(name),
  durationMs: 1000
})
const home = createLibrary({ artists: [], albums: [albumOf('h')], tracks: [trackOf('h')] })
const personal = { userFavoriteTracks: () => [], userAlbums: () => [], userArtists: () => [] }

/** A friend without a library whose adapter can be away. */
function friend (adapter: object = {}) {
  const state = { isAway: false, calls: [] as string[] }
  const all = {
    userAlbums: (): Album[] => [albumOf('f')],
    getAlbumDetail: (id: string) => ({ ...albumOf(id), tracks: [trackOf(id), trackOf(id, 2)] }),
    ...adapter
  }
  const guarded = Object.fromEntries(Object.entries(all).map(([name, method]) => [name, async (...args: unknown[]) => {
    state.calls.push(name)
    if (state.isAway) throw new UpstreamError()
    return Reflect.apply(method as () => unknown, all, args)
  }]))
  return { state, adapter: guarded }
}

interface Opened { adapter: object, more?: Partial<CombinedSource>, options?: object }

async function open (t: Test, { adapter, more = {}, options = {} }: Opened) {
  const states = new SourceStates()
  const app = await serve(t, {
    resolveContext: () => combineSources([
      sourceOf('home', { library: home, ...personal }, { account: 'a' }),
      sourceOf('friend', adapter, { account: 'a', ...more })
    ], { states, unprefixed: 'home', ...options })
  })
  return {
    app,
    albums: async (type = 'alphabeticalByName') => {
      const reply = await app.inject(`/rest/getAlbumList2?f=json&u=ada&p=${token}&c=test&type=${type}`)
      const { albumList2, error } = reply.json()['subsonic-response']
      return [
        error?.message ?? albumList2.album.map(({ name }: Album) => name).sort().join(), reply.headers['source-partial']
      ]
    },
    songs: async () => {
      const { searchResult3, error } = await ask(app, 'search3', { query: '', songCount: 50 })
      return error?.message ?? searchResult3.song.map(({ title }: Track) => title).join()
    },
    indexed: async () => (await ask(app, 'getIndexes')).indexes.lastModified
  }
}

t.test('lists have the albums of a source without a library, and still have them while it is away', async t => {
  const { state, adapter } = friend()
  const { app, albums, songs, indexed } = await open(t, { adapter })
  t.strictSame(await albums(), ['Album f,Album h', undefined])
  t.equal(await songs(), 'Song h1,Song f1,Song f2')
  const before = await indexed()
  state.isAway = true
  await ask(app, 'startScan')
  for (const type of ['alphabeticalByName', 'newest', 'random', 'alphabeticalByArtist']) {
    t.strictSame(await albums(type), ['Album f,Album h', undefined], type)
  }
  t.equal(await songs(), 'Song h1,Song f1,Song f2')
  t.equal(await indexed(), before, 'nothing has changed')
})

t.test('a source that was away from the start is left out of lists and named, until it is back', async t => {
  const { state, adapter } = friend()
  state.isAway = true
  const { albums, songs } = await open(t, { adapter })
  t.strictSame(await albums(), ['Album h', 'friend'])
  t.equal(await songs(), 'Song h1')
  state.isAway = false
  // The pause after a failure is over.
  t.strictSame(await (await open(t, { adapter })).albums(), ['Album f,Album h', undefined])
})

t.test('songs of a source that went away before they were read are those that came with its lists', async t => {
  const { state, adapter } = friend({ userFavoriteTracks: () => [trackOf('f', 2)] })
  const { albums, songs } = await open(t, { adapter })
  await albums()
  state.isAway = true
  t.equal(await songs(), 'Song h1,Song f2')
})

t.test('a source that is read for long is left out and named until it was read', async t => {
  const { promise, resolve } = deferred<Album[]>()
  const { adapter } = friend({ userAlbums: () => promise })
  const { albums } = await open(t, { adapter, more: { timeout: 1 } })
  t.strictSame(await Promise.all([albums(), albums()]), [['Album h', 'friend'], ['Album h', 'friend']])
  resolve([albumOf('f')])
  let found = await albums()
  while (found[1] !== undefined) found = await albums()
  t.strictSame(found, ['Album f,Album h', undefined])
})

t.test('a favourite is in the lists at once, and what the source shows to everybody stays', async t => {
  const favourites = [albumOf('f')]
  const { adapter } = friend({
    userAlbums: () => favourites,
    favoriteAlbum: () => { favourites.push(albumOf('g')); return { success: true, status: true } },
    getNewTracks: () => [trackOf('n')]
  })
  const { app, albums } = await open(t, { adapter })
  t.strictSame(await albums(), ['Album f,Album h,Album n', undefined])
  t.equal((await ask(app, 'star', { albumId: writeId('album', 'friend:g') })).status, 'ok')
  t.strictSame(await albums(), ['Album f,Album g,Album h,Album n', undefined])
})

t.test('a search does not read the lists of a source', async t => {
  const { state, adapter } = friend({
    getTopArtists: () => [],
    searchTracks: () => ({ items: [trackOf('f')], offset: 0, limit: 1, hasMore: false }),
    searchAlbums: () => ({ items: [], offset: 0, limit: 1, hasMore: false }),
    searchArtists: () => ({ items: [], offset: 0, limit: 1, hasMore: false })
  })
  const { app } = await open(t, { adapter })
  t.match(await ask(app, 'search3', { query: 'f1' }), { searchResult3: { song: [{ title: 'Song f1' }] } })
  t.notOk(state.calls.includes('getTopArtists'))
})

t.test('tracks of other sources in a playlist are not part of the source that has the playlist', async t => {
  const { adapter } = friend({
    userAlbums: () => [],
    getUserPlaylist: () => [{ id: 'p', name: 'P' }],
    getPlaylistDetail: () => ({
      id: 'p', name: 'P', tracks: [trackOf('f'), { ...trackOf('x'), id: storedId('h1') }]
    })
  })
  const { songs } = await open(t, { adapter, options: { playlistSource: 'friend' } })
  t.equal(await songs(), 'Song h1,Song f1,Song f2')
})

t.test('methods and items that are not there are left out', async t => {
  const { adapter } = friend({
    userArtists: () => [{ id: 'f', name: 'Artist f' }],
    getArtistAlbums: () => { throw new NotFoundError() },
    userFavoriteTracks: () => { throw new UnsupportedFeatureError() }
  })
  t.strictSame(await (await open(t, { adapter })).albums(), ['Album f,Album h', undefined])
})

t.test('a library that a source cannot read any more stays, and the log says so', async t => {
  const { adapter } = friend()
  let fails = false
  const all = { ...adapter, userAlbums: () => { if (fails) throw new TypeError('odd'); return [albumOf('f')] } }
  const events: string[] = []
  const { app, albums } = await open(t, {
    adapter: { ...all, favoriteAlbum: () => ({ success: true, status: true }) },
    options: { log: { warn: (_details: object, event: string) => { events.push(event) } } }
  })
  await albums()
  fails = true
  await ask(app, 'star', { albumId: writeId('album', 'friend:f') })
  t.equal((await albums())[0], 'Album f,Album h')
  t.ok(events.includes('library not read'))
})

t.test('the page of a source without a library has no unavailable sources', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { resolveContext: () => ({ adapter: {} }) })
  await app.register(sourcePage)
  t.strictSame((await app.inject('/page/unavailable')).json().data, { items: [] })
})

t.test('the page learns which sources are not available, those of a source too', async t => {
  const { state, adapter } = friend({ userArtists: () => [] })
  const states = new SourceStates()
  const two = (id: string, other: object) => combineSources([
    sourceOf('home', { library: home, ...personal }, { account: 'a' }), sourceOf(id, other, { account: 'a' })
  ], { states })
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { resolveContext: () => two('friend', two('far', adapter).adapter) })
  await app.register(sourcePage)
  const read = async (path: string) => (await app.inject(`/page/${path}`)).json().data
  t.match(await read('offers'), { library: true, sources: true })
  t.strictSame(await read('unavailable'), { items: [] })
  state.isAway = true
  await read('browse')
  t.strictSame(await read('unavailable'), { items: ['friend:far'] })
  states.of('friend', 'FRIEND', 'a').fail(new UpstreamError())
  t.strictSame(await read('unavailable'), { items: ['friend'] })
})

t.test('sources of a source have generated libraries of their own', async t => {
  const { state, adapter } = friend()
  const states = new SourceStates()
  const inner = () => combineSources([
    sourceOf('home', { library: home, ...personal }, { account: 'a' }), sourceOf('far', adapter, { account: 'a' })
  ], { states })
  const { albums } = await open(t, {
    get adapter () { return inner().adapter }
  })
  t.strictSame(await albums(), ['Album f,Album h,Album h', undefined])
  state.isAway = true
  t.strictSame(await albums(), ['Album f,Album h,Album h', undefined])
})

t.test('a list of songs that are read for long says so, and the source stays available', async t => {
  replace(t, times, 'maxWait', 10)
  const { promise, resolve } = deferred<object>()
  const { adapter } = friend({ getAlbumDetail: () => promise })
  const { albums, songs } = await open(t, { adapter })
  await albums()
  t.equal(await songs(), 'The library is still being read, try again')
  t.strictSame(await albums(), ['Album f,Album h', undefined])
  resolve({ ...albumOf('f'), tracks: [] })
})

t.test('songs of an album that is no favourite any more are left out', async t => {
  const favourites = [albumOf('f'), albumOf('g')]
  const { adapter } = friend({
    userAlbums: () => [...favourites],
    favoriteAlbum: () => { favourites.pop(); return { success: true, status: false } }
  })
  const { app, songs } = await open(t, { adapter })
  t.equal(await songs(), 'Song h1,Song f1,Song f2,Song g1,Song g2')
  await ask(app, 'unstar', { albumId: writeId('album', 'friend:g') })
  t.equal(await songs(), 'Song h1,Song f1,Song f2')
})

t.test('a library without a log is cut as any other', async t => {
  replace(t, mostItems, 'albums', 1)
  const { adapter } = friend({ userAlbums: () => [albumOf('f'), albumOf('g')] })
  t.strictSame(await (await open(t, { adapter })).albums(), ['Album f,Album h', undefined])
})
