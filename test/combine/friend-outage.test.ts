import fastify from 'fastify'
import type { SourceAdapter } from 'fastify-source-origin'
import { createSourceClient, type Status } from 'fastify-source-origin/client'
import { combineSources, createSourceLibrary, pathThrough, SourceStates } from 'fastify-source-origin/combine'
import serveSource from 'fastify-source-origin/serve'
import t, { type Test } from 'tap'
import { stored, type OrderedLibrary } from '../../lib/contract/ordered-library.ts'
import { waits } from '../../lib/library/mirrored-library.ts'
import { pauses } from '../../lib/library/suspicion.ts'
import { ask, serve, token } from '../subsonic-server/helper.ts'
import { replace } from '../replace.ts'
import { wholeList } from '../whole-list.ts'
import { albumOf, artistOf, call, libraryOf, readBy, startFriend, trackOf, until, visit } from './friend.ts'
import { sourceOf } from './helper.ts'

// A combination whose friend is down from the start, goes down after it was read, and comes back.

const lists = { userFavoriteTracks: () => [], userAlbums: () => [], userArtists: () => [] }

/** A folder with the source of a friend that was read or not. */
async function open (t: Test, { isRead = true } = {}) {
  replace(t, pauses, 'look', 0)
  const host = await startFriend(t, {
    library: libraryOf(['n']),
    userFavoriteTracks: () => [trackOf('n', 2)],
    userAlbums: () => [albumOf('n')],
    userArtists: () => [],
    getTrackUrl: (id: string) => ({ url: `http://friend.example/${id}.mp3`, quality: 'standard' }),
    getArtistDetail: () => ({ ...artistOf('n'), tracks: [] }),
    getArtistAlbums: (_id: string, offset: number, limit: number) =>
      ({ items: [albumOf('n')], offset, limit, hasMore: false }),
    getAlbumDetail: () => ({ ...albumOf('n'), tracks: [1, 2, 3].map(number => trackOf('n', number)) }),
    getTrackDetail: (id: string) => trackOf('n', Number(id.slice(1)))
  })
  const { status } = await visit(t, host)
  host.friend.isDown = !isRead
  const home = await visit(t, host, { status, background: true })
  if (isRead) {
    await readBy(home)
    const { adapter } = await home.source()
    await adapter.library!.items('tracks', ['n1'], call)
  }
  const states = new SourceStates()
  const folder = libraryOf(['h'])
  const resolveContext = async () => combineSources([
    sourceOf('home', { library: folder, ...lists }, { account: 'a' }),
    { id: 'friend', name: 'FRIEND', account: 'b', ...await home.source() }
  ], { states, unprefixed: 'home' })
  const app = await serve(t, { resolveContext })
  const adapter = async () => (await resolveContext()).adapter as Required<SourceAdapter>
  return { app, friend: host.friend, home, adapter, states }
}

const albums = async (app: Awaited<ReturnType<typeof open>>['app']) =>
  (await ask(app, 'getAlbumList2', { type: 'alphabeticalByName' })).albumList2.album

t.test('a friend that is down from the start is not part of the lists, which name it', async t => {
  const { app } = await open(t, { isRead: false })
  for (const method of ['getAlbumList2', 'getArtists', 'getIndexes']) {
    const reply = await app.inject(`/rest/${method}?type=newest&f=json&u=ada&p=${token}&c=test`)
    t.equal(reply.headers['source-partial'], 'friend', method)
    t.match(reply.json()['subsonic-response'], { status: 'ok' })
  }
  t.strictSame((await albums(app)).map(({ name }: any) => name), ['Album h'])
})

t.test('a friend that comes back for the first time is read, and its lists are there', async t => {
  const { app, friend, home } = await open(t, { isRead: false })
  friend.isDown = false
  await readBy(home)
  t.strictSame((await albums(app)).map(({ name }: any) => name), ['Album h', 'Album n'])
})

t.test('lists, albums, artists, genres, tracks, favourites and the revision stay while the friend is down', async t => {
  const { app, friend, adapter } = await open(t)
  const state = async () => {
    const all = await albums(app)
    const { album } = await ask(app, 'getAlbum', { id: all[1].id })
    const { artist } = await ask(app, 'getArtist', { id: album.artistId })
    const library = (await adapter()).library!
    return {
      albums: all.map(({ name }: any) => name),
      songs: album.song.map(({ title, starred }: any) => [title, starred !== undefined]),
      artist: [artist.name, artist.album.length],
      artists: (await ask(app, 'getArtists')).artists.index.flatMap(({ artist }: any) => artist)
        .map(({ name }: any) => name),
      genres: (await ask(app, 'getGenres')).genres.genre,
      byGenre: (await ask(app, 'getSongsByGenre', { genre: 'Folk' })).songsByGenre.song.length,
      track: (await ask(app, 'getSong', { id: album.song[0].id })).song.title,
      favourites: (await ask(app, 'getStarred2')).starred2.song.map(({ title }: any) => title),
      revision: library.revision,
      ids: await wholeList(library.ids({ kind: 'tracks' }, call))
    }
  }
  const before = await state()
  t.match(before, {
    albums: ['Album h', 'Album n'],
    songs: [['Song n1', false], ['Song n2', true], ['Song n3', false]],
    byGenre: 6,
    favourites: ['Song n2']
  })
  friend.isDown = true
  t.strictSame(await state(), before)
  await t.rejects(async () => (await adapter()).getTrackUrl('friend:n1'),
    { status: 502, message: /friend\.example|FRIEND/ })
  friend.isDown = false
  replace(t, waits, 'failed', 0)
  t.strictSame(await state(), before)
})

t.test('details that the friend cannot send come from its library', async t => {
  const { friend, adapter } = await open(t)
  friend.isDown = true
  const { getAlbumDetail, getArtistAlbums, getTrackDetail } = await adapter()
  t.match(await getAlbumDetail('friend:al-n', -1), { name: 'Album n', tracks: { length: 3 } })
  t.match(await getArtistAlbums('friend:ar-n', 0, 10), { items: [{ id: 'friend:al-n' }] })
  t.match(await getTrackDetail('friend:n3'), { title: 'Song n3' })
})

t.test('two friends that have each other read what the other has, and nothing that it has read', async t => {
  replace(t, pauses, 'look', 0)
  const names = ['ann', 'ben'] as const
  const apps = { ann: fastify(), ben: fastify() }
  const opened = names.map((name, at) => {
    const other = names[1 - at]!
    const fetch = async (input: string, { method, headers }: any) => {
      const { pathname, search } = new URL(input)
      const reply = await apps[other].inject({ method, url: pathname + search, headers })
      return new Response(reply.body, { status: reply.statusCode })
    }
    const client = createSourceClient({
      baseUrl: `http://${other}.example`, authorization: 'good', fetch: fetch as unknown as typeof globalThis.fetch
    })
    const library = createSourceLibrary(client, { path: pathThrough({}, name)! })
    const own = libraryOf([name])
    const resolveContext = async ({ request }: any) => {
      const path = pathThrough(request.headers, name)
      const sources = [sourceOf('home', { library: own }, { account: 'a', stateless: true })]
      if (path !== undefined) {
        const status: Status = {
          type: 'wow', version: '', stateless: true, capabilities: [], qualityMap: [], playlistSortOptions: []
        }
        sources.push({
          id: other, name: other, account: 'b', ...library.addTo(await client.offered({ status, path }))
        })
      }
      return { ...combineSources(sources, { unprefixed: 'home' }), stateless: true }
    }
    t.teardown(async () => {
      await library.close()
      await apps[name].close()
    })
    return { name, resolveContext, own }
  })
  for (const { name, resolveContext } of opened) await apps[name].register(serveSource, { resolveContext, page: {} })
  const listed = async (at: number, headers = {}) => {
    const { adapter } = await opened[at]!.resolveContext({ request: { headers } })
    const library = adapter!.library as OrderedLibrary
    return { ids: await wholeList(library.ids({ kind: 'albums' }, call)), isRead: library[stored], library }
  }
  for (const at of [0, 1]) await until(async () => (await listed(at)).ids.length > 1)
  const both = async () => [(await listed(0)).ids, (await listed(1)).ids]
  t.strictSame(await both(), [['al-ann', 'ben:al-ben'], ['ann:al-ann', 'al-ben']])
  const revisions = async () => [(await listed(0)).library.revision, (await listed(1)).library.revision]
  const before = await revisions()
  for (let time = 0; time < 20; time++) await listed(time % 2)
  t.strictSame(await revisions(), before)
  t.strictSame((await listed(0, { 'source-path': 'ben' })).ids, ['al-ann'])
})
