import t from 'tap'
import fastify from 'fastify'
import { createSourceCache } from 'fastify-source-origin/cache'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { sourcePage } from 'fastify-source-origin/page'
import { serveSource } from 'fastify-source-origin/serve'
import { writeId } from '../../lib/subsonic-server/ids.ts'
import { ask, get, serve, token } from '../subsonic-server/helper.ts'
import { pageOf, sourceOf, trackOf } from './helper.ts'

const away = () => { throw new Error('away') }
const one = [trackOf('1', 'One')]
const none = () => pageOf([], 0, 20)
const found = {
  searchTracks: () => pageOf(one, 0, 20), searchArtists: none, searchAlbums: none, userFavoriteTracks: () => one
}
const sources = [
  sourceOf('home', found, { account: 'a' }),
  sourceOf('nav', { searchTracks: away, userFavoriteTracks: away }, { account: 'a' })
]

t.test('an app gets search results and favourites of the sources that respond, and the others are named', async t => {
  const plain = await serve(t, { resolveContext: () => combineSources(sources) })
  const cached = fastify()
  t.teardown(() => cached.close())
  await cached.register(serveSource, {
    resolveContext: ({ authorization }) => authorization === token ? combineSources(sources) : null,
    subsonic: { resolveLogin: ({ verify }) => verify(token) ? token : null },
    cache: createSourceCache()
  })
  for (const app of [plain, cached]) {
    t.match(await ask(app, 'search3', { query: 'one' }), { searchResult3: { song: [{ title: 'One' }] } })
    const reply = await get(app, 'getStarred2', { f: 'json' })
    t.match(reply.json()['subsonic-response'], { starred2: { song: [{ title: 'One' }] } })
    t.equal(reply.headers['source-partial'], 'nav')
  }
})

t.test('plays of a source that keeps none are kept beside those of one that does', async t => {
  const plays = [{ id: '1', plays: 3, last: 1_700_000_000_000 }]
  const details = { getTrackDetail: (id: string) => trackOf(id, id) }
  const app = await serve(t, {
    resolveContext: ({ authorization }) => authorization === token && {
      ...combineSources([
        sourceOf('home', { ...details, getPlays: () => plays, onPlay: () => {} }, { account: 'a' }),
        sourceOf('nav', details, { account: 'a' })
      ]),
      account: 'a'
    }
  })
  await app.register(sourcePage)
  for (const id of ['nav:2', 'home:1']) {
    await ask(app, 'scrobble', { id: writeId('track', id), time: '1700000001000' })
  }
  const countOf = async (id: string) => (await ask(app, 'getSong', { id: writeId('track', id) })).song.playCount
  t.strictSame(await Promise.all(['home:1', 'nav:2', 'nav:3'].map(countOf)), [3, 1, 0])
  const history = await app.inject({ url: '/page/plays?offset=0', headers: { authorization: token } })
  t.strictSame(history.json().data.items.map(({ id }: { id: string }) => id), ['nav:2', 'home:1'])
  const bare = fastify()
  t.teardown(() => bare.close())
  await bare.register(serveSource, {
    resolveContext: () => combineSources([
      sourceOf('home', { ...details, getPlays: () => plays }), sourceOf('nav', details)
    ]),
    subsonic: false
  })
  const alone = await bare.inject({ url: '/page/plays?offset=0', headers: { authorization: token } })
  t.strictSame(alone.json().data.items.map(({ id }: { id: string }) => id), ['home:1'], 'without Subsonic apps')
})

t.test('a source without a library is not asked again for what its operations have told', async t => {
  let asked = 0
  const userFavoriteTracks = () => { asked++; return one }
  const library = createLibrary({ artists: [], albums: [], tracks: [trackOf('2', 'Two')] })
  const inner = combineSources([
    sourceOf('friend', { ...found, userFavoriteTracks }), sourceOf('home', { library, searchTracks: none })
  ])
  const app = await serve(t, { resolveContext: () => combineSources([sourceOf('all', inner.adapter)]), adapter: {} })
  t.match(await ask(app, 'search3', { query: 'one' }), { searchResult3: { song: [{ title: 'One' }] } })
  t.ok(asked < 2, 'once for what is a favourite')
})

t.test('a song of several sources is there while one of these is not responding', async t => {
  let isAway = false
  const of = (mayBeAway: boolean) => ({
    searchTracks: (_keyword: string, offset: number, limit: number) => pageOf(one, offset, limit),
    getTrackDetail: () => mayBeAway && isAway ? away() : one[0]
  })
  const app = await serve(t, {
    resolveContext: () => combineSources(
      [sourceOf('home', of(false)), sourceOf('nav', of(true))], { duplicates: 'merge' }
    )
  })
  const { searchResult3: { song: [song] } } = await ask(app, 'search3', { query: 'one' })
  isAway = true
  t.match(await ask(app, 'getSong', { id: song.id }), { status: 'ok', song: { title: 'One' } })
})

t.test('an app that fills a list again with merged songs keeps the songs that it had', async t => {
  let list = ['a', 'b']
  const tracks = ['a', 'b', 'c'].map(id => trackOf(id, `Song ${id}`))
  const adapter = {
    library: createLibrary({ artists: [], albums: [], tracks }),
    searchTracks: () => pageOf(tracks, 0, 20),
    getTrackDetail: (id: string) => tracks.find(track => track.id === id),
    getUserPlaylist: () => [{ id: 'p', name: 'P' }],
    getPlaylistDetail: () => ({
      id: 'p', name: 'P', trackCount: list.length, tracks: list.map(id => trackOf(id, `Song ${id}`))
    }),
    createPlaylist: away,
    updatePlaylist: away,
    deletePlaylist: away,
    addTrackToPlaylist (_playlist: string, id: string) { list.push(id); return { success: true } },
    removeTrack (_playlist: string, id: string) { list = list.filter(track => track !== id); return { success: true } }
  }
  const merged = ['home', 'nav'].map(id => sourceOf(id, adapter, { account: 'a' }))
  const app = await serve(t, { resolveContext: () => combineSources(merged, { duplicates: 'merge' }) })
  const { searchResult3 } = await ask(app, 'search3', { query: 'song' })
  const [a, b, c] = searchResult3.song.map(({ id }: { id: string }) => id)
  t.equal(searchResult3.song.length, 3)
  const playlistId = writeId('playlist', 'home:p')
  t.match(await ask(app, 'createPlaylist', { playlistId, songId: [c, b, c, a] }), { status: 'ok' })
  t.strictSame(list, ['c', 'b', 'c', 'a'])
  t.match(await ask(app, 'updatePlaylist', { playlistId, songIdToAdd: [b, b], songIndexToRemove: 0 }), { status: 'ok' })
  t.strictSame(list, ['b', 'c', 'a', 'b', 'b'])
})
