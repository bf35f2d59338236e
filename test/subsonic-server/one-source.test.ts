import fastify from 'fastify'
import sourceOrigin,
{
  NotFoundError, type SourceAdapter, type SourceContext, type SourceLibrary, type SourceOriginOptions
} from 'fastify-source-origin'
import { createSourceCache, type SourceCacheOptions } from 'fastify-source-origin/cache'
import { createLibrary } from 'fastify-source-origin/library'
import sourcePage from 'fastify-source-origin/page'
import subsonic, { type SubsonicOptions } from 'fastify-source-origin/subsonic'
import t, { type Test } from 'tap'
import { fakeTime } from '../fake-time.ts'
import { authorized, deferred, logged, settled, token } from '../helper.ts'
import { stopClock } from '../cache/helper.ts'
import { ask, callOnce, get, libraryOf, login, queryOf, registerSource, roomy, serve, type Query } from './helper.ts'
import { albumOf, artistOf, trackOf } from './library.ts'

interface Served {
  adapter?: SourceAdapter
  context?: Partial<SourceContext>
  cache?: SourceCacheOptions | undefined
  options?: Partial<SubsonicOptions>
  plugin?: Partial<SourceOriginOptions>
  host?: object
}

/** A source with a cache, and Subsonic behind it. Accounts are the words after the token. */
async function serveBoth (
  t: Test, { adapter = {}, context = {}, cache, options = {}, plugin = {}, host = {} }: Served = {}
) {
  const calls: string[] = []
  const counted = new Proxy(adapter, {
    get: (target, name: keyof SourceAdapter) => target[name] === undefined
      ? undefined
      : (...args: unknown[]) => {
          calls.push(`${name} ${args.join()}`.trim())
          return (target[name] as Function).apply(target, args)
        }
  })
  const app = fastify({ ...roomy, ...host })
  t.teardown(() => app.close())
  await app.register(sourceOrigin, {
    ...cache && { cache: createSourceCache(cache) },
    resolveContext: ({ authorization = '' }) => authorization.startsWith(token)
      ? { adapter: counted, stateless: false, account: authorization.slice(token.length) || 'ada', ...context }
      : null,
    ...plugin
  })
  await app.register(subsonic, {
    resolveLogin: ({ verify, username }) => verify(token) ? token + (username === 'ada' ? '' : username) : null,
    ...options
  })
  const v1 = (url: string, payload?: object) => app.inject({
    url, headers: authorized, method: payload === undefined ? 'GET' : 'POST', ...payload && { payload }
  })
  return { app, calls, v1 }
}

const album = { ...albumOf(1), trackCount: 1, tracks: [trackOf(1, 0)] }
const withAlbum = { getAlbumDetail: async () => album }

t.test('a list of more than 5,000 is kept for who asks for its bytes only, and is the same for all', async t => {
  const tracks = Array.from({ length: 5001 }, (_empty, at) => ({ ...trackOf(1, 0), id: `t${at}` }))
  const answer = deferred<void>()
  const { app, calls, v1 } = await serveBoth(t, {
    adapter: {
      async getAlbumDetail () {
        await answer.promise
        return { ...album, trackCount: 5001, tracks }
      },
      userFavoriteTracks: () => tracks
    },
    cache: { operations: { userFavoriteTracks: false } }
  })
  const rest = async () => (await ask(app, 'getAlbum', { id: 'al-b1' })).album.song.length
  const bytes = async () => (await v1('/v1/album/detail?id=b1')).json().data.tracks.length
  t.equal((await ask(app, 'getStarred2')).starred2.song.length, 5001)
  calls.length = 0
  const first = rest()
  while (calls.length === 0) await settled()
  const second = bytes()
  await settled()
  answer.resolve()
  t.strictSame(await Promise.all([first, second]), [5001, 5001])
  t.equal(calls.length, 1, 'two at once are one call')
  t.strictSame([await rest(), await bytes(), await bytes(), await rest()], [5001, 5001, 5001, 5001])
  t.equal(calls.length, 3, 'bytes are kept')
})

t.test('getAlbum twice, 60 times at once, and /v1 are one call of the adapter', async t => {
  const answer = deferred<typeof album>()
  const { app, calls, v1 } = await serveBoth(t, { cache: {}, adapter: { getAlbumDetail: () => answer.promise } })
  const asked = Array.from({ length: 60 }, (_empty, index) =>
    index % 2 === 0 ? ask(app, 'getAlbum', { id: 'al-b1' }) : v1('/v1/album/detail?id=b1'))
  answer.resolve(album)
  const answers = await Promise.all(asked)
  t.equal(answers[0].album.song[0].id, 'tr-t1-0')
  t.equal(answers[1].json().data.tracks[0].id, 't1-0')
  await ask(app, 'getAlbum', { id: 'al-b1' })
  await v1('/v1/album/detail?id=b1')
  t.strictSame(calls, ['getAlbumDetail b1,-1'])
})

t.test('an answer of another account is never given', async t => {
  const { app, calls } = await serveBoth(t, { cache: {}, adapter: withAlbum })
  for (const u of ['ada', 'eve', 'ada', 'eve']) await ask(app, 'getAlbum', { id: 'al-b1', u })
  t.strictSame(calls, ['getAlbumDetail b1,-1', 'getAlbumDetail b1,-1'])
})

/** A source whose favourite albums and playlists can be changed. */
function changing () {
  const favourites = new Map<string, ReturnType<typeof albumOf>>()
  const playlists = new Map<string, { id: string, name: string, tracks: ReturnType<typeof trackOf>[] }>()
  const adapter: SourceAdapter = {
    userAlbums: async () => [...favourites.values()],
    userArtists: async () => [],
    userFavoriteTracks: async () => [],
    getAlbumDetail: async id => ({ ...albumOf(Number(id.slice(1))), trackCount: 0, tracks: [] }),
    favoriteAlbum: async (id, status) => {
      if (status) favourites.set(id, albumOf(Number(id.slice(1))))
      else favourites.delete(id)
      return { success: true, status }
    },
    getUserPlaylist: async () => [...playlists.values()].map(({ tracks, ...playlist }) => playlist),
    getPlaylistDetail: async id => {
      const playlist = playlists.get(id)
      if (playlist === undefined) throw new NotFoundError()
      return { ...playlist, tracks: [...playlist.tracks] }
    },
    createPlaylist: async name => {
      const playlist = { id: `p${playlists.size}`, name, tracks: [] }
      playlists.set(playlist.id, playlist)
      return { id: playlist.id, name }
    },
    updatePlaylist: async (id, name) => {
      playlists.get(id)!.name = name
      return { id, name }
    },
    addTrackToPlaylist: async (id, trackId) => {
      playlists.get(id)!.tracks.push({ ...trackOf(1, 0), id: trackId })
      return { success: true }
    },
    removeTrack: async (id, trackId) => {
      const playlist = playlists.get(id)!
      playlist.tracks = playlist.tracks.filter(track => track.id !== trackId)
      return { success: true }
    }
  }
  return adapter
}

for (const cache of [{}, undefined]) {
  const title = cache === undefined ? 'without a cache' : 'with a cache'
  t.test(`a star by /rest is in the next answer of /v1, and the reverse, ${title}`, async t => {
    const { app, v1 } = await serveBoth(t, { cache, adapter: changing() })
    const ofV1 = async () => (await v1('/v1/user/album/list')).json().data.map(({ id }: { id: string }) => id)
    const listed = async () =>
      (await ask(app, 'getAlbumList2', { type: 'alphabeticalByName' })).albumList2.album.map(({ id }: any) => id)
    const isStarred = async () => (await ask(app, 'getAlbum', { id: 'al-b1' })).album.starred !== undefined
    t.strictSame([await ofV1(), await listed(), await isStarred()], [[], [], false])
    await ask(app, 'star', { albumId: 'al-b1' })
    t.strictSame([await ofV1(), await listed(), await isStarred()], [['b1'], ['al-b1'], true])
    await v1('/v1/album/favorite', { id: 'b1', status: false })
    t.strictSame([await ofV1(), await listed(), await isStarred()], [[], [], false])
    await v1('/v1/album/favorite', { id: 'b2', status: true })
    t.strictSame([await ofV1(), await listed()], [['b2'], ['al-b2']])
  })
}

t.test('the library of a source with a warm cache asks the adapter nothing', async t => {
  const { app, calls, v1 } = await serveBoth(t, {
    cache: {},
    adapter: {
      ...changing(),
      userArtists: async () => [artistOf(1)],
      getArtistAlbums: async (_id, offset, limit) => ({ items: [albumOf(1)], offset, limit, hasMore: false })
    }
  })
  for (const url of [
    '/v1/user/favorite/tracks', '/v1/user/album/list', '/v1/user/artist/list', '/v1/user/playlist/list',
    '/v1/artist/albums?id=a1&limit=100', '/v1/album/detail?id=b1'
  ]) {
    t.equal((await v1(url)).statusCode, 200, url)
  }
  calls.length = 0
  t.equal((await ask(app, 'search3', { query: '' })).searchResult3.album.length, 1)
  t.strictSame(calls, [])
})

t.test('a kept answer is sent while the source fails', async t => {
  const advance = stopClock(t)
  let fails = false
  const { app, v1 } = await serveBoth(t, {
    cache: { operations: { getAlbumDetail: { ttl: 1000, staleWhileRevalidate: 0, staleIfError: 60_000 } } },
    adapter: { getAlbumDetail: async () => { if (fails) throw new Error('down'); return album } }
  })
  await ask(app, 'getAlbum', { id: 'al-b1' })
  fails = true
  advance(2)
  t.equal((await ask(app, 'getAlbum', { id: 'al-b1' })).status, 'ok')
  t.equal((await v1('/v1/album/detail?id=b1')).statusCode, 200)
})

t.test('createPlaylist and a new name answer the state after it, also if the context holds an older one', async t => {
  const now = changing()
  let snapshot: SourceAdapter = {}
  const app = fastify(roomy)
  t.teardown(() => app.close())
  let revision = 0
  await app.register(sourceOrigin, {
    cache: createSourceCache(),
    resolveContext: async () => {
      // An adapter that reads what there was when its request came.
      const playlists = await Promise.all((await now.getUserPlaylist!()).map(({ id }) =>
        now.getPlaylistDetail!(id, -1)))
      snapshot = {
        ...now,
        getUserPlaylist: () => playlists.map(({ tracks, ...playlist }) => playlist),
        getPlaylistDetail: id => playlists.find(playlist => playlist.id === id)!
      }
      for (const name of ['createPlaylist', 'updatePlaylist', 'addTrackToPlaylist', 'removeTrack'] as const) {
        snapshot[name] = (...args: any[]) => { revision++; return (now[name] as any)(...args) }
      }
      return { adapter: snapshot, stateless: false, account: 'ada', revision: String(revision) }
    }
  })
  await app.register(subsonic, { resolveLogin: () => token })
  const { playlist } = await ask(app, 'createPlaylist', { name: 'One', songId: ['tr-a', 'tr-b'] })
  t.match(playlist, { name: 'One', songCount: 2 })
  t.match((await ask(app, 'createPlaylist', { playlistId: playlist.id, name: 'Two', songId: 'tr-c' })).playlist, {
    name: 'Two', songCount: 1, entry: [{ id: 'tr-c' }]
  })
})

t.test('a new revision of an account asks for its favourites again, and for nothing that all share', async t => {
  let revision = 1
  const favourites = new Set<string>()
  let libraries = 0
  const library = libraryOf(() => { libraries++; return { albums: [albumOf(1)], tracks: [trackOf(1, 0)] } })
  const app = fastify(roomy)
  t.teardown(() => app.close())
  await app.register(sourceOrigin, {
    resolveContext: () => ({
      adapter: { library, userAlbums: () => [...favourites].map(() => albumOf(1)) },
      stateless: false,
      account: 'ada',
      revision: String(revision)
    })
  })
  await app.register(subsonic, { resolveLogin: () => token })
  const first = async () => (await ask(app, 'getAlbumList2', { type: 'newest' })).albumList2.album[0]
  t.equal((await first()).starred, undefined)
  favourites.add('b1')
  revision = 2
  t.equal((await first()).starred, '1970-01-01T00:00:00.000Z')
  t.equal((await ask(app, 'search3', {})).searchResult3.song[0].track, 1)
  t.equal(libraries, 1)
})

t.test('the pages of a list that was begun repeat and lose nothing while the account changes', async t => {
  let revision = 0
  const albums = Array.from({ length: 60 }, (_empty, index) => albumOf(index))
  const library = libraryOf(() => ({ albums, tracks: albums.map((_album, index) => trackOf(index, 0)) }))
  const adapter = { ...changing(), library }
  const app = fastify(roomy)
  t.teardown(() => app.close())
  await app.register(sourceOrigin, {
    resolveContext: () => ({ adapter, stateless: false, account: 'ada', revision: String(revision) })
  })
  await app.register(subsonic, { resolveLogin: () => token })
  for (const type of ['random', 'newest']) {
    const ids: string[] = []
    for (let offset = 0; offset < albums.length; offset += 20) {
      const { album } = (await ask(app, 'getAlbumList2', { type, size: 20, offset })).albumList2
      ids.push(...album.map(({ id }: { id: string }) => id))
      await ask(app, 'star', { albumId: album[0].id })
      revision++
    }
    t.strictSame(ids.sort(), albums.map(({ id }) => `al-${id}`).sort(), type)
  }
})

t.test('a token of the login is in no message of an error that others get', async t => {
  const { lines, logger } = logged()
  const secret = `${token}eve`
  const { app } = await serveBoth(t, {
    cache: {},
    host: { logger },
    adapter: { getAlbumDetail: async () => { throw Object.assign(new Error(`no ${secret}`), { status: 404 }) } }
  })
  t.notMatch(JSON.stringify(await ask(app, 'getAlbum', { id: 'al-b1', u: 'eve' })), secret)
  t.notMatch(JSON.stringify(lines), secret)
})

t.test('a call whose client leaves during the login starts nothing', async t => {
  const [asked, left, loggedIn, answered] = [deferred<void>(), deferred<void>(), deferred<void>(), deferred<void>()]
  let calls = 0
  const app = fastify(roomy)
  t.teardown(() => app.close())
  app.addHook('onRequest', async (_request, reply) => { reply.raw.once('close', left.resolve) })
  app.addHook('onSend', async () => answered.resolve())
  registerSource(app, { resolveContext: () => ({ adapter: { getTopArtists: () => { calls++; return [] } } }) })
  await app.register(subsonic, {
    resolveLogin: async () => { asked.resolve(); await loggedIn.promise; return token }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const leaving = callOnce(app, 'getArtists')
  await asked.promise
  leaving.destroy()
  await left.promise
  loggedIn.resolve()
  await answered.promise
  t.equal(calls, 0)
})

const hangs = () => new Promise<never>(() => {})
const albums = [{ id: 'b', name: 'B', coverUrl: '' }]
const library = createLibrary({ artists: [], albums, tracks: [] })
const parts: SourceLibrary = {
  ids: (...query) => library.ids(...query),
  items: (...query) => library.items(...query),
  facets: (...query) => library.facets(...query),
  revision: '1',
  changedAt: 1
}
const resolveContext = () => ({ adapter: {} })
for (const [title, options] of [
  ['resolveContext', { resolveContext: hangs }],
  ['resolveLogin', { resolveLogin: hangs }],
  ['the list of a library', { resolveContext: () => ({ adapter: { library: { ...parts, ids: hangs } } }) }],
  ['an item of a library', { resolveContext: () => ({ adapter: { library: { ...parts, items: hangs } } }) }]
] as [string, Parameters<typeof serve>[1]][]) {
  t.test(`${title} that hangs is an error after the time limit, and the next call tries again`, async t => {
    const time = fakeTime(t)
    const app = await serve(t, { resolveContext, ...options, adapterTimeout: 1000 })
    for (let call = 0; call < 2; call++) {
      const answer = ask(app, 'getAlbumList2', { type: 'newest' })
      await time.passUntil(answer)
      t.match(await answer, { status: 'failed', error: { code: 0 } })
    }
  })
}

for (const member of ['ids', 'items'] as const) {
  t.test(`a library whose ${member} hung once is read by the next call, without a restart`, async t => {
    const time = fakeTime(t)
    let isFirst = true
    const ofPart = (...args: any[]) => {
      if (!isFirst) return (parts[member] as (...args: any[]) => any)(...args)
      isFirst = false
      return hangs()
    }
    const adapter = { library: { ...parts, [member]: ofPart } }
    const app = await serve(t, { resolveContext: () => ({ adapter }), adapterTimeout: 1000 })
    const first = ask(app, 'getAlbumList2', { type: 'newest' })
    await time.passUntil(first)
    t.match(await first, { status: 'failed', error: { code: 0 } })
    const second = ask(app, 'getAlbumList2', { type: 'newest' })
    await time.passUntil(second)
    t.match(await second, { status: 'ok', albumList2: { album: [{ id: 'al-b' }] } })
  })
}

/** A source, Subsonic and a page below one prefix, in an order. */
async function serveAll (t: Test, ...order: any[]) {
  const app = fastify(roomy)
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { resolveContext: () => null, prefix: '/music' })
  for (const plugin of order) await app.register(plugin, { prefix: '/music' })
  return app
}

for (const [first, order] of [['Subsonic', [subsonic, sourcePage]], ['the page', [sourcePage, subsonic]]] as const) {
  t.test(`the page answers the address itself where ${first} is registered first`, async t => {
    const app = await serveAll(t, ...order)
    t.match((await app.inject('/music/')).headers['content-type'], 'text/html')
    t.match((await app.inject('/music/page/nothing')).json(), { code: 404 })
    t.match((await app.inject('/music/rest/getOpenSubsonicExtensions?f=json')).json(), {
      'subsonic-response': { status: 'ok' }
    })
  })
}

for (const [plugin, name] of [
  [sourceOrigin, 'fastify-source-origin'], [subsonic, 'subsonic'], [sourcePage, 'sourcePage']
] as [any, string][]) {
  t.test(`a second ${name} below one prefix is refused in words`, async t => {
    const app = await serveAll(t, subsonic, sourcePage)
    await t.rejects(async () => {
      await app.register(plugin, { prefix: '/music', ...plugin === sourceOrigin && { resolveContext: () => null } })
    },
    {
      code: 'SOURCE_ORIGIN_ERR_ALREADY_REGISTERED',
      message: `${name} is already registered below /music: give this one another prefix`
    })
  })
}

t.test('a second source at the root is refused in words', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { resolveContext: () => null })
  await t.rejects(async () => { await app.register(sourceOrigin, { resolveContext: () => null }) },
    { message: 'fastify-source-origin is already registered below /: give this one another prefix' })
})

for (const [name, plugin] of [['subsonic', subsonic], ['sourcePage', sourcePage]] as [string, any][]) {
  t.test(`${name} without a source below its prefix says what to do`, async t => {
    const app = fastify()
    t.teardown(() => app.close())
    await app.register(sourceOrigin, { resolveContext: () => null, prefix: '/music' })
    await t.rejects(async () => { await app.register(plugin) }, {
      code: 'SOURCE_ORIGIN_ERR_NO_SOURCE',
      message: `There is no source below /: register fastify-source-origin with this prefix before ${name}`
    })
  })
}

t.test('a source in a plugin of the host is found by what is registered there', async t => {
  const app = fastify(roomy)
  t.teardown(() => app.close())
  await app.register(async child => {
    await child.register(sourceOrigin, { resolveContext: () => ({ adapter: withAlbum }) })
    await child.register(subsonic, { resolveLogin: () => token })
  }, { prefix: '/a' })
  const query = queryOf({ ...login, f: 'json', id: 'al-b1' } satisfies Query)
  t.equal((await app.inject(`/a/rest/getAlbum?${query}`)).json()['subsonic-response'].status, 'ok')
})

t.test('a quality that the source does not offer is not asked for', async t => {
  const asked: unknown[] = []
  const { app } = await serveBoth(t, {
    context: { qualityMap: [{ key: 'high', label: 'High' }] },
    options: { media: 'redirect' },
    adapter: {
      getTrackDetail: async id => ({ ...trackOf(1, 0), id, qualities: [{ key: id, label: '', size: 1 }] }),
      getTrackUrl: async (_id, quality) => { asked.push(quality); return { url: 'https://x.example/a', quality: '' } }
    }
  })
  for (const id of ['high', 'low']) t.equal((await get(app, 'stream', { id: `tr-${id}` })).statusCode, 302)
  t.strictSame(asked, ['high', undefined])
})

t.test('a list that is no list is an error, with a cache too', async t => {
  const { app } = await serveBoth(t, {
    cache: {},
    plugin: { validateResponses: false },
    host: { logger: logged().logger },
    adapter: {
      getArtistAlbums: async () => ({ offset: 0, limit: 1, hasMore: false }) as never,
      getArtistDetail: async () => ({ ...artistOf(1), tracks: [] })
    }
  })
  t.match(await ask(app, 'getArtist', { id: 'ar-a1' }), { status: 'failed', error: { code: 0 } })
})

t.test('what the cache is told to forget is read again, of that account only', async t => {
  const cache = createSourceCache()
  const { app, calls } = await serveBoth(t, { plugin: { cache }, adapter: { userAlbums: async () => [albumOf(1)] } })
  const list = async (u: string) => { t.equal((await ask(app, 'getAlbumList2', { type: 'newest', u })).status, 'ok') }
  for (const u of ['ada', 'eve']) await list(u)
  for (const [forget, count] of [[{ account: 'eve' }, 1], [{}, 2]] as const) {
    calls.length = 0
    await cache.invalidate(forget)
    for (const u of ['ada', 'eve']) await list(u)
    t.equal(calls.length, count)
  }
})

for (const isFirst of [true, false]) {
  t.test(`a change while ${isFirst ? 'the first call of an account' : 'a later call'} reads the library is in the next answers`, async t => {
    const now = changing()
    const [reading, goOn] = [deferred<void>(), deferred<void>()]
    let waits = isFirst
    const { app, v1 } = await serveBoth(t, {
      adapter: {
        ...now,
        userAlbums: async () => {
          const albums = await now.userAlbums!()
          if (!waits) return albums
          waits = false
          reading.resolve()
          await goOn.promise
          return albums
        }
      }
    })
    const listed = async () =>
      (await ask(app, 'getAlbumList2', { type: 'alphabeticalByName' })).albumList2.album.map(({ id }: any) => id)
    if (!isFirst) {
      t.strictSame(await listed(), [])
      await ask(app, 'star', { albumId: 'al-b2' })
      waits = true
    }
    const before = listed()
    await reading.promise
    await v1('/v1/album/favorite', { id: 'b1', status: true })
    const after = isFirst ? undefined : listed()
    goOn.resolve()
    await before
    const expected = isFirst ? ['al-b1'] : ['al-b1', 'al-b2']
    t.strictSame([await (after ?? listed()), await listed()], [expected, expected])
  })
}
