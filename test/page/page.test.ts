import fastify, { type FastifyInstance } from 'fastify'
import fastifyHelmet from '@fastify/helmet'
import fastifySwagger from '@fastify/swagger'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import sourceOrigin, {
  extras, tokenMatches, UpstreamError, type LibraryQuery, type PlayEvent, type SourceAdapter, type SourceLibrary,
  type Track
} from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import sourcePage, { sourcePage as named, type SourcePageOptions } from 'fastify-source-origin/page'
import { logged } from '../helper.ts'
import { createReferenceAdapter, token } from '../reference-source.ts'

// Its types are not there where it is not installed, and then nothing is scaled.
const name = 'sharp'
const { default: sharp } = await import(name).catch(() => ({ default: undefined }))
const skip = !sharp && process.env.CI === undefined && 'sharp is not installed'

async function build (
  t: Test, options: SourcePageOptions = {}, prepare: (app: FastifyInstance) => unknown = () => {}, settings = {}
): Promise<FastifyInstance> {
  const app = fastify(settings)
  t.teardown(() => app.close())
  await prepare(app)
  const adapter = createReferenceAdapter(() => 'http://localhost')
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) => tokenMatches(authorization, token) ? { adapter, stateless: false } : null,
    ...(options.prefix && { prefix: options.prefix })
  })
  await app.register(sourcePage, options)
  return app
}

for (const name of ['plays', 'playlist', 'scan']) {
  t.test(`POST page/${name} with a body that cannot be read: 401 without authorisation, then what is wrong`, async t => {
    const app = await build(t)
    for (const [type, status] of [['application/json', 400], ['text/odd', 415]] as const) {
      const ask = async (authorization: string) => (await app.inject({
        method: 'POST', url: `/page/${name}`, payload: '{', headers: { 'content-type': type, authorization }
      })).json()
      t.strictSame(await ask(''), { code: 401, message: 'Unauthorized', data: null })
      t.match(await ask(token), { code: status, data: null })
    }
  })
}

const filesOf = (html: string) => [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, name]) => `/${name}`)

t.test('the document names files that are there, and nothing elsewhere', async t => {
  const app = await build(t)
  const { body, headers } = await app.inject('/')
  t.equal(headers['content-type'], 'text/html; charset=utf-8')
  t.equal(headers['cache-control'], 'no-cache')
  const files = filesOf(body)
  const types = []
  for (const file of files) {
    const { statusCode, headers } = await app.inject(file)
    t.equal(statusCode, 200, file)
    types.push(headers['content-type'])
    t.match(headers['cache-control'], file.endsWith('.webmanifest') ? 'no-cache' : 'immutable')
  }
  t.strictSame(types, [
    'image/svg+xml', 'image/png', 'application/manifest+json; charset=utf-8', 'text/css; charset=utf-8',
    'text/javascript; charset=utf-8'
  ])
  t.notMatch(body, /https?:\/\//)
})

t.test('what a browser loads at the start is small, all of it not much more, and compressed if it may be', async t => {
  const app = await build(t)
  const { body } = await app.inject('/')
  const [style, script] = filesOf(body).slice(-2)
  const [joiner] = /page\/joiner-\w+\.js/.exec(body)!
  const size = { start: 0, all: 0 }
  const seen = new Set<string>()
  const load = async (url: string, isStart = true) => {
    if (seen.has(url)) return
    seen.add(url)
    const plain = await app.inject(url)
    const zipped = await app.inject({ url, headers: { 'accept-encoding': 'br, gzip' } })
    t.equal(zipped.headers['content-encoding'], 'gzip')
    t.equal(gunzipSync(zipped.rawPayload).toString(), plain.body)
    const bytes = gzipSync(plain.rawPayload).length
    size.all += bytes
    if (isStart) size.start += bytes
    const names = (pattern: RegExp) => Array.from(plain.body.matchAll(pattern), ([, name]) => `/page/${name}`)
    for (const url of names(/(?:from|import)"\.\/([\w-]+\.js)"/g)) await load(url, isStart)
    later.push(...names(/import\("\.\/([\w-]+\.js)"\)/g))
  }
  const later: string[] = []
  await load(style!)
  await load(script!)
  for (const url of [`/${joiner}`, ...later]) await load(url, false)
  const { assets } = await import('../../lib/page/build-assets.ts')
  t.strictSame(seen.size, assets.size - 3, 'all but the icons and the worker')
  // About 9 kB of it are Preact and its signals.
  t.ok(size.start < 70_000, `${size.start} bytes at the start`)
  t.ok(size.all < 98_500, `${size.all} bytes in all`)
})

t.test('the service worker is of the document and its files, and may have what is beside its folder', async t => {
  const workerOf = async (options?: SourcePageOptions) => (await build(t, options)).inject('/page/worker.js')
  const { headers, body } = await workerOf()
  t.equal(headers['service-worker-allowed'], '../')
  t.equal(headers['cache-control'], 'no-cache')
  t.match(headers['content-type'], 'text/javascript')
  t.match(body, /^const version="[\w-]{16}",files=\[.*"main-\w+\.js"/)
  t.notMatch(body.split('\n')[0], 'worker-')
  t.equal((await workerOf()).body, body)
  t.not((await workerOf({ title: 'Another' })).body, body)
})

t.test('a scan is begun and told of where the source has one, for whoever it lets in', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const adapters: Record<string, SourceAdapter> = {
    none: {},
    blind: { startScan: () => ({ scanning: true, count: 1 }) },
    whole: {
      startScan: async () => ({ scanning: true, count: 1 }), getScanStatus: () => ({ scanning: false, count: 2 })
    },
    broken: { startScan: () => { throw new UpstreamError('down') } }
  }
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization = '' }) => authorization in adapters ? { adapter: adapters[authorization]! } : null
  })
  await app.register(sourcePage)
  const scan = async (authorization: string, method: 'GET' | 'POST') => {
    const answer = await app.inject({ url: '/page/scan', method, headers: { authorization } })
    t.match(answer.headers, { 'cache-control': 'no-store', vary: 'authorization' })
    return [answer.statusCode, answer.json().data]
  }
  t.strictSame(await scan('', 'POST'), [401, null])
  t.strictSame(await scan('none', 'GET'), [200, {}])
  t.strictSame(await scan('none', 'POST'), [501, null])
  t.strictSame(await scan('blind', 'GET'), [200, { scanning: false }])
  t.strictSame(await scan('whole', 'POST'), [200, { scanning: true, count: 1 }])
  t.strictSame(await scan('whole', 'GET'), [200, { scanning: false, count: 2 }])
  t.strictSame(await scan('broken', 'POST'), [502, null])
})

t.test('plays are taken from whoever the source lets in, by the clock of the server, each once', async t => {
  const app = fastify()
  const events: PlayEvent[] = []
  const adapter = { onPlay: (event: PlayEvent) => { events.push(event) } }
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization = '' }) =>
      ({ ann: { adapter, account: 'ann' }, guest: { adapter } })[authorization] ?? null
  })
  await app.register(sourcePage)
  const clock = 1_000_000
  const play = {
    id: 'p', track: 't', length: 200_000, startedAt: clock - 150_000, position: 90_000, played: 90_000, state: 'playing'
  }
  const tell = async (plays: unknown, authorization = 'ann', now: unknown = clock) => (await app.inject({
    method: 'POST', url: '/page/plays', headers: { authorization }, payload: { now, plays }
  })).statusCode
  t.equal(await tell([play], ''), 401)
  for (const bad of [undefined, [{ ...play, played: -1 }], [{ ...play, id: '' }], [{ ...play, state: 'x' }]]) {
    t.equal(await tell(bad), 400)
  }
  t.equal(await tell([], 'ann', 'noon'), 400)
  const over = { ...play, played: 100_000, state: 'stopped' }
  for (const told of [play, over, over]) t.equal(await tell([told]), 200)
  t.equal(await tell([over], 'guest'), 200)
  t.equal((await app.inject({ method: 'POST', url: '/page/plays', payload: { now: 0, plays: [] } })).statusCode, 401)
  await app.close()
  t.match(events.map(({ account, state, counted }) => [account, state, counted]), [
    ['ann', 'playing', false], ['ann', 'stopped', true], ['ann', 'stopped', false], [undefined, 'stopped', true]
  ])
  const [{ startedAt, client }] = events as [PlayEvent]
  t.equal(client, 'page')
  t.ok(Math.abs(startedAt + 150_000 - Date.now()) < 60_000)
})

t.test('what the account has heard is listed page by page, the latest first, without tracks that are gone', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const base = createReferenceAdapter(() => 'https://music.example')
  const [{ id: one }, { id: two }] = await base.getDailyTracks() as [Track, Track]
  const gone = Array.from({ length: 120 }, (_empty, index) => ({ id: `gone ${index}`, plays: 1, last: 1000 + index }))
  const getTrackDetail = (id: string) => base.getTrackDetail(id === 'former' ? one : id)
  const adapters: Record<string, SourceAdapter> = {
    ann: {
      getTrackDetail,
      getPlays: () => [
        { id: two, plays: 9, last: 1 }, ...gone,
        { id: one, plays: 1, last: 5000 }, { id: 'former', plays: 1, last: 4000 }
      ]
    },
    nobody: { getTrackDetail, getPlays: () => [] },
    away: { getTrackDetail, getPlays () { throw new UpstreamError() } },
    none: { getTrackDetail },
    // A library is asked once for all tracks.
    listed: {
      library: createLibrary({ artists: [], albums: [], tracks: [await base.getTrackDetail(two) as Track] }),
      getTrackDetail () { throw new UpstreamError() },
      getPlays: () => [{ id: one, plays: 1, last: 2 }, { id: two, plays: 1, last: 1 }]
    },
    bare: { getPlays: () => [{ id: one, plays: 1, last: 1 }] }
  }
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization = '' }) => authorization in adapters ? { adapter: adapters[authorization]! } : null
  })
  await app.register(sourcePage)
  const history = async (authorization: string, query = '') => {
    const answer = await app.inject({ url: `/page/plays${query}`, headers: { authorization } })
    t.match(answer.headers, { 'cache-control': 'no-store', vary: 'authorization' })
    const { items = [], ...data } = answer.json().data ?? {}
    return [answer.statusCode, items.map(({ id }: Track) => id), data]
  }
  t.strictSame(await history('ann'), [200, [one], { limit: 50, hasMore: true }])
  t.strictSame(await history('ann', '?offset=50'), [200, [two], { limit: 100, hasMore: false }])
  t.strictSame(await history('ann', '?offset=1000'), [200, [], { limit: 0, hasMore: false }])
  t.strictSame(await history('ann', '?offset=-1'), [400, [], {}])
  // Of what is told of all times, what was not heard since is left out.
  t.strictSame(await history('ann', '?since=3000'), [200, [one], { limit: 50, hasMore: false }])
  t.strictSame(await history('ann', '?since=0'), [200, [two, one], { limit: 50, hasMore: true }], 'most often first')
  t.strictSame(await history('ann', '?since=-1'), [400, [], {}])
  t.strictSame(await history('nobody'), [200, [], { limit: 0, hasMore: false }])
  t.strictSame(await history('away'), [502, [], {}])
  t.strictSame(await history('listed'), [200, [two], { limit: 50, hasMore: false }])
  for (const without of ['none', 'bare']) t.strictSame(await history(without), [200, [], {}])
  t.strictSame(await history(''), [401, [], {}])
})

t.test('several tracks of a playlist are changed at once, by whoever the source lets in', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const adapter = createReferenceAdapter(() => 'https://music.example')
  const known = await adapter.getDailyTracks()
  const [one, two, three] = known.map(track => track.id) as [string, string, string]
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) => tokenMatches(authorization, token)
      ? { adapter, stateless: false }
      : tokenMatches(authorization, 'bare') ? { adapter: {} } : null
  })
  await app.register(sourcePage)
  const edit = async (payload: object, authorization = token) => {
    const answer = await app.inject({ url: '/page/playlist', method: 'POST', headers: { authorization }, payload })
    t.match(answer.headers, { 'cache-control': 'no-store', vary: 'authorization' })
    return { status: answer.statusCode, ...answer.json() }
  }
  const tracksOf = async (id: string) => (await adapter.getPlaylistDetail(id, -1)).tracks.map(track => track.id)
  t.match(await edit({ name: 'x' }, 'other'), { status: 401 })
  const { data: { id } } = await edit({ name: 'Mine', add: [one, two, three] })
  t.strictSame(await tracksOf(id), [one, two, three])
  t.match(await edit({ id, add: ['gone'], remove: [one] }), { status: 404, message: /gone/ })
  t.strictSame(await tracksOf(id), [one, two, three])
  t.match(await edit({ id, tracks: [three, one, two] }), { status: 200, data: { id } })
  t.strictSame(await tracksOf(id), [three, one, two])
  t.match(await edit({ id, remove: [three, one, 'gone'] }), { status: 200, data: { id } })
  t.strictSame(await tracksOf(id), [two])
  t.match(await edit({ id, add: [one, two, two, one] }), { status: 200 })
  t.strictSame(await tracksOf(id), [two, one, two, two, one])
  t.match(await edit({ id, remove: [two, one] }), { status: 200 })
  t.strictSame(await tracksOf(id), [two, one, two], 'of each its last copy goes')
  t.match(await edit({ id, tracks: [one, two, two], remove: [two] }), { status: 200 })
  t.strictSame(await tracksOf(id), [one, two])
  t.match(await edit({ id, remove: [one] }), { status: 200 })
  t.match(await edit({ id: 'gone', remove: [one] }), { status: 404 })
  const whole = async (query: string, authorization = token) =>
    (await app.inject({ url: `/page/playlist?${query}`, headers: { authorization } })).json()
  t.match(await whole(`id=${id}`), { code: 200, data: { id, tracks: [{ id: two }] } })
  t.match(await whole(`id=${id}&sort=title&order=desc`), { code: 200, data: { id } })
  t.match(await whole('id=gone'), { code: 404 })
  t.match(await whole('id=p0', 'bare'), { code: 501 })
  t.match(await whole(''), { code: 400, message: /^Parameter id/ })
  t.match(await whole(`id=${id}`, 'other'), { code: 401 })
  for (const bad of [
    {}, { name: ' ' }, { name: 1 }, { id: '' }, { id: 1, name: 'x' }, { id: 'x'.repeat(1025) },
    { id, add: [''] }, { id, add: 'x' }, { id, remove: [1] }, { id, tracks: two }, { name: 'x', description: 1 }
  ]) {
    t.match(await edit(bad), { status: 400, message: /^Parameter/ }, JSON.stringify(bad).slice(0, 50))
  }
})

t.test('of a playlist of more tracks than a call names, tracks are removed by their positions', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const [track] = await createReferenceAdapter(() => 'https://music.example').getDailyTracks() as [Track]
  const tracks = Array.from({ length: 20_001 }, (_empty, at) => ({ ...track, id: at % 2 === 0 ? 'even' : `odd ${at}` }))
  const edits: object[] = []
  const adapter: SourceAdapter = {
    getPlaylistDetail: id => ({ id, name: 'Long', trackCount: tracks.length, tracks }),
    editPlaylist: edit => { edits.push(edit); return { id: 'long', name: 'Long' } }
  }
  await app.register(sourceOrigin, { resolveContext: () => ({ adapter, stateless: false }) })
  await app.register(sourcePage)
  const payload = { id: 'long', remove: ['even', 'odd 3', 'even'] }
  t.match(await app.inject({ url: '/page/playlist', method: 'POST', payload }), { statusCode: 200 })
  t.match(edits, [{ id: 'long', tracks: undefined, base: undefined, remove: [20_000, 19_998, 3] }])
})

t.test('extras of an album or of tracks are for whoever the source lets in, and cost what was asked for', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const base = createReferenceAdapter(() => 'https://music.example')
  const calls: string[] = []
  const [{ id: one }, { id: two }] = await base.getDailyTracks() as [Track, Track]
  const adapter: SourceAdapter = {
    async getTrackDetail (id) {
      calls.push(id)
      const track = await base.getTrackDetail(id)
      return id === one ? { ...track, [extras]: { discNumber: 2, track: 1, replayGain: { trackGain: -7 } } } : track
    },
    async getAlbumDetail (id) {
      calls.push(id)
      const album = await base.getAlbumDetail(id, -1)
      const tracks = album.tracks.map((track, index) => index > 0 ? track : { ...track, [extras]: { track: 4 } })
      return { ...album, tracks, [extras]: { discTitles: [{ disc: 2, title: 'Live' }] } }
    }
  }
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) => tokenMatches(authorization, token)
      ? { adapter }
      : tokenMatches(authorization, 'bare') ? { adapter: {} } : null
  })
  await app.register(sourcePage)
  const ask = async (query: string, authorization = token) => {
    const { headers, ...answer } = await app.inject({ url: `/page/extras?${query}`, headers: { authorization } })
    t.match(headers, { 'cache-control': 'no-store', vary: 'authorization' })
    return answer.json()
  }
  const { album: { id: album } } = await base.getTrackDetail(one)
  const { tracks: [first] } = await base.getAlbumDetail(album, -1)
  t.strictSame(await ask(`album=${album}`), {
    code: 200, data: { album: { discTitles: [{ disc: 2, title: 'Live' }] }, tracks: { [first!.id]: { track: 4 } } }
  })
  t.strictSame(await ask(`track=${one}&track=${two}&track=gone&track=${one}`), {
    code: 200, data: { tracks: { [one]: { discNumber: 2, track: 1, replayGain: { trackGain: -7 } } } }
  })
  t.strictSame(calls, [album, one, two, 'gone'])
  t.strictSame((await ask('album=gone')).data, { tracks: {} })
  t.strictSame((await ask(`album=${album}`, 'bare')).data, { tracks: {} })
  t.strictSame((await ask(`track=${one}`, 'bare')).data, { tracks: {} })
  t.match(await ask(`track=${one}`, 'other'), { code: 401 })
  const many = Array.from({ length: 51 }, (_empty, index) => `track=${index}`).join('&')
  for (const bad of ['', 'album=', 'track=', `album=${album}&track=${one}`, many, `track=${'x'.repeat(1025)}`]) {
    t.match(await ask(bad), { code: 400, message: /^(Parameter track|Either the parameter album)/ }, bad.slice(0, 50))
  }
})

t.test('covers of this server are sent in the size that is asked for, and nothing else', { skip }, async t => {
  const app = fastify({ logger: { level: 'silent' } })
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { prefix: '/music', resolveContext: () => null })
  await app.register(sourcePage, { prefix: '/music', path: '/player' })
  const picture = await sharp({ create: { width: 400, height: 400, channels: 3, background: '#a52' } }).png().toBuffer()
  const pictures: Record<string, [string, Buffer]> = {
    'a.png': ['image/png', picture], sound: ['audio/mpeg', picture], large: ['image/png', Buffer.alloc(17 * 2 ** 20)]
  }
  app.get<{ Params: { name: string } }>('/music/covers/:name', (request, reply) => {
    const [type, bytes] = pictures[request.params.name] ?? ['', undefined]
    if (bytes === undefined) return reply.code(403).send('expired')
    // Without a length, as a stream of an upstream has none.
    return reply.type(type).send(Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]))
  })
  const get = (of: string, size: string | number = 100, accept = 'image/webp,*/*') => app.inject({
    url: `/music/player/page/cover?${new URLSearchParams({ of, size: String(size) })}`, headers: { accept }
  })
  for (const [accept, format] of [['image/avif,image/webp,*/*', 'webp'], ['*/*', 'png']] as const) {
    const { headers, rawPayload } = await get('/covers/a.png?expires=1', 100, accept)
    t.match(headers, {
      'content-type': `image/${format}`, 'cache-control': 'private, max-age=86400', vary: 'accept'
    })
    t.match(await sharp(rawPayload).metadata(), { width: 100, height: 100, format })
  }
  t.match(await sharp((await get('/covers/a.png', 768)).rawPayload).metadata(), { width: 400, format: 'png' })
  for (const name of ['gone.png', 'sound', 'large']) t.equal((await get(`/covers/${name}`)).statusCode, 404, name)
  for (const [of, size] of [
    ['/covers/a.png', 0], ['/covers/a.png', 1025], ['/covers/a.png', 'x'], ['//other.example/a.png', 9],
    ['/\\other.example', 9], ['http://other.example/a.png', 9], ['', 9]
  ] as const) t.equal((await get(of, size)).statusCode, 400, `${of} ${size}`)
  const bare = await app.inject({
    url: `/music/player/page/cover?${new URLSearchParams({ of: '/covers/a.png', size: '50' })}`,
    headers: { 'user-agent': undefined }
  })
  t.equal(bare.headers['content-type'], 'image/png', 'without Accept and User-Agent')
  // However it is written, it would wait for itself.
  const nested = (of: string) => `/player/page/%63over?${new URLSearchParams({ of, size: '9' })}`
  t.equal((await get(nested(nested(nested('/covers/a.png'))))).statusCode, 404)
  t.equal((await get('/covers/a.png?expires=2')).statusCode, 200)
})

t.test('a cover that the source scales is requested in its size, as the browser takes it', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { prefix: '/music', resolveContext: () => null })
  await app.register(sourcePage, { prefix: '/music', resizeCover: (url, pixels) => `${url}&size=${pixels}` })
  app.get('/music/cover', ({ url, headers: { accept } }, reply) => reply.type('image/png').send(`${url} ${accept}`))
  const query = new URLSearchParams({ of: '/cover?expires=1', size: '100' })
  const { body } = await app.inject({ url: `/music/page/cover?${query}`, headers: { accept: 'image/webp' } })
  t.equal(body, '/music/cover?expires=1&size=100 image/webp')
})

t.test('a promise of resizeCover is an error, and its rejection does not end the process', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { resolveContext: () => null })
  await app.register(sourcePage, { resizeCover: (async () => { throw new Error('secret') }) as never })
  const { statusCode, body } = await app.inject('/page/cover?of=/cover&size=100')
  t.equal(statusCode, 500)
  t.notMatch(body, 'secret')
})

const secretInputs = {
  services: { service: 'one', token: 'a-secret-token' },
  'household/run': { operation: 'connect', values: ['kim', 'one'], input: 'kim\na-secret-token' }
}
for (const [path, payload] of Object.entries(secretInputs)) {
  t.test(`a secret that POST page/${path} connects with is not in the log when that fails`, async t => {
    const { lines, logger } = logged()
    const app = fastify({ logger })
    t.teardown(() => app.close())
    const connect = async () => { throw new Error('rejected: a-secret-token') }
    const services = { list: () => [], connect, disconnect: connect }
    await app.register(sourceOrigin, { resolveContext: () => ({ adapter: {}, accountName: 'ada' }) })
    const methods = ['list', 'add', 'link', 'limit', 'revoke', 'count', 'remove', 'details', 'run', 'server']
    const household: any = { ...Object.fromEntries(methods.map(name => [name, connect])), isManagedBy: () => true }
    await app.register(sourcePage, { services, household })
    const { statusCode, body } = await app.inject({ url: `/page/${path}`, method: 'POST', payload })
    t.equal(statusCode, 500)
    t.notMatch(body, 'rejected')
    t.match(JSON.stringify(lines), 'rejected')
    t.notMatch(JSON.stringify(lines), 'a-secret-token')
  })
}

t.test('the account name is on every line of the log of a route of the page', async t => {
  const { lines, logger } = logged()
  const app = fastify({ logger })
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { resolveContext: () => ({ adapter: {}, accountName: 'ada' }) })
  await app.register(sourcePage)
  await app.inject({ url: '/page/scan', method: 'POST' })
  const named = lines.filter(({ msg }) => msg === 'request rejected' || msg === 'request completed')
  t.strictSame(named.map(({ accountName }) => accountName), ['ada', 'ada'])
})

t.test('a file that is not there is a 404', async t => {
  const { statusCode, headers, body } = await (await build(t)).inject('/page/other.js')
  t.equal(statusCode, 404)
  t.equal(headers['cache-control'], 'no-store')
  t.strictSame(JSON.parse(body), { code: 404, message: 'File not found', data: null })
})

t.test('its headers allow no inline script or style, and its policy wins over that of the host', async t => {
  const app = await build(t, {}, async app => app.register(fastifyHelmet))
  const { headers } = await app.inject('/')
  t.match(headers['content-security-policy'], /default-src 'none'; script-src 'self'; style-src 'self';/)
  t.notMatch(headers['content-security-policy'], /unsafe|upgrade-insecure/)
  t.match(headers['strict-transport-security'], 'max-age', 'what holds for the whole host is left to it')
  t.match(
    (await app.inject('/status')).headers['content-security-policy'], 'upgrade-insecure',
    'other routes keep those of the host'
  )
})

for (const [options, url, location] of [
  [{ path: '/player' }, '/player?x=1', './player/?x=1'],
  [{ prefix: '/music' }, '/music', './music/'],
  [{ prefix: '/music', path: '/a/b/' }, '/music/a/b', './b/']
] as const) {
  t.test(`${url} leads to the page, with a path relative to it`, async t => {
    const app = await build(t, options)
    const { statusCode, headers } = await app.inject(url)
    t.equal(statusCode, 308)
    t.equal(headers.location, location)
    t.equal((await app.inject(`${url.split('?')[0]}/`)).statusCode, 200)
  })
}

t.test('a host that ignores slashes at the end has the page too', async t => {
  const app = await build(t, { path: '/player' }, undefined, { routerOptions: { ignoreTrailingSlash: true } })
  t.equal((await app.inject('/player')).statusCode, 308)
  t.equal((await app.inject('/player/')).statusCode, 200)
})

t.test('the log level of the page is its own', async t => {
  const { lines, logger } = logged()
  const app = await build(t, { logLevel: 'silent' }, () => {}, { logger })
  t.equal((await app.inject('/')).statusCode, 200)
  t.equal((await app.inject('/v1/status')).statusCode, 401)
  t.strictSame(lines.filter(({ msg }) => msg === 'incoming request').map(({ req }) => req.url), ['/v1/status'])
})

t.test('the source is where the page says, relative to it', async t => {
  for (const [path, source] of [['/', './'], ['/player', '../'], ['/a/b', '../../']]) {
    const { body } = await (await build(t, { path })).inject(`${path!.replace(/\/$/, '')}/`)
    t.match(body, `&quot;source&quot;:&quot;${source}&quot;`)
  }
})

for (const [name, options, message, code] of [
  ['a blank title', { title: ' ' }, 'Option "title" must be a text that is not blank', 'INVALID_OPTION'],
  ['a path without a slash', { path: 'player' },
    'Option "path" must be a path that starts with /, of letters, digits and . _ ~ - between the slashes',
    'INVALID_OPTION'],
  ['a path with parameters', { path: '/:name' },
    'Option "path" must be a path that starts with /, of letters, digits and . _ ~ - between the slashes',
    'INVALID_OPTION'],
  ['no boolean for the inspector', { inspector: 'yes' }, 'Option "inspector" must be a boolean', 'INVALID_OPTION'],
  ['no function for covers', { resizeCover: 'x' }, 'Option "resizeCover" must be a function', 'INVALID_OPTION'],
  ['no function for the progress', { progress: {} }, 'Option "progress" must be a function', 'INVALID_OPTION'],
  ['no boolean for the API reference', { docs: 1 }, 'Option "docs" must be a boolean', 'INVALID_OPTION'],
  ['a prefix that is no text', { prefix: 1 },
    'Option "prefix" must be a path that starts with / and does not end with it', 'INVALID_OPTION'],
  ['a log level that is no text', { logLevel: 1 }, 'Option "logLevel" must be a string', 'INVALID_OPTION'],
  ['an unknown option', { titel: 'x' }, 'Unknown option "titel": did you mean "title"?', 'UNKNOWN_OPTION']
] as const) {
  t.test(`${name} is refused at registration`, async t => {
    const app = fastify()
    await t.rejects(Promise.resolve(app.register(sourcePage, options as never)), {
      message, code: `SOURCE_ORIGIN_ERR_${code}`
    })
  })
}

t.test('the tab for authors is off in production, unless it is asked for', async t => {
  const before = process.env.NODE_ENV
  t.teardown(() => { if (before === undefined) delete process.env.NODE_ENV; else process.env.NODE_ENV = before })
  process.env.NODE_ENV = 'production'
  t.equal((await (await build(t)).inject('/page/operations.json')).statusCode, 404)
  t.equal((await (await build(t, { inspector: true })).inject('/page/operations.json')).statusCode, 200)
})

t.test('the check is for who has the token', async t => {
  const app = await build(t)
  const check = (headers = {}) => app.inject({ method: 'POST', url: '/page/check', headers })
  t.strictSame((await check()).json(), { code: 401, message: 'Unauthorized', data: null })
  t.equal((await check({ authorization: 'wrong' })).statusCode, 401)
  t.equal((await check({ authorization: token })).json().data.source, 'http://localhost')
})

t.test('the check asks the source that the page stands beside', async t => {
  const app = await build(t, { prefix: '/music', path: '/player' })
  const { data } =
    (await app.inject({ method: 'POST', url: '/music/player/page/check', headers: { authorization: token } })).json()
  t.equal(data.source, 'http://localhost/music')
})

t.test('the check asks the same source by a path in other case, with a slash at the end', async t => {
  const routerOptions = { caseSensitive: false, ignoreTrailingSlash: true }
  const app = await build(t, { prefix: '/music' }, undefined, { routerOptions })
  for (const url of ['/music/page/check/', '/music/PAGE/Check', '/music/page/check/?a=/page/check']) {
    const { data } = (await app.inject({ method: 'POST', url, headers: { authorization: token } })).json()
    t.equal(data.source, 'http://localhost/music', url)
  }
})

t.test('a check leaves nothing on its connection', async t => {
  const listeners: number[] = []
  const app = await build(t, {}, app => app.addHook('onRequest', async request => {
    if (request.url === '/page/check') listeners.push(request.raw.socket.listenerCount('close'))
  }))
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/page/check`
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const check = () => new Promise<void>((resolve, reject) => {
    request(
      url, { method: 'POST', agent, headers: { authorization: token } }, answer => answer.resume().once('end', resolve)
    ).once('error', reject).end()
  })
  await check()
  await check()
  t.equal(listeners[0], listeners[1])
})

t.test('an error that nobody foresaw says nothing of itself', async t => {
  const app = await build(t, {}, app => app.addHook('preHandler', async request => {
    if (request.url === '/page/operations.json') throw new Error('secret')
  }))
  const { statusCode, body } = await app.inject('/page/operations.json')
  t.equal(statusCode, 500)
  t.notMatch(body, 'secret')
})

t.test('the API reference describes the source, beside a description of the host too', async t => {
  for (const prepare of [() => {}, async (app: FastifyInstance) => app.register(fastifySwagger)]) {
    const app = await build(t, { docs: true, prefix: '/music' }, prepare)
    t.match(await app.inject('/music/docs'), { statusCode: 308, headers: { location: './docs/' } })
    const { statusCode, headers } = await app.inject('/music/docs/')
    t.equal(statusCode, 200)
    t.notMatch(headers['content-security-policy'], /unsafe|upgrade-insecure/)
    t.ok((await app.inject('/music/docs/json')).json().paths['/music/v1/track/url'])
  }
})

t.test('the plugin has a name too', async t => t.equal(named, sourcePage))

const albumsOf = (count: number) =>
  Array.from({ length: count }, (_empty, at) => ({ id: `${at}`, name: `Album ${at}`, coverUrl: '' }))

/** What a library was asked for, and what the page's own route answered. */
async function browse (
  t: Test, query: string, { albums = albumsOf(3), authorization = token, hasLibrary = true, methods = {} } = {}
) {
  const asked: { query: LibraryQuery, isAborted: boolean }[] = []
  const listed = createLibrary({ artists: [], albums, tracks: [] })
  const library: SourceLibrary = {
    ids (query, { signal }) {
      asked.push({ query, isAborted: signal.aborted })
      return listed.ids(query, { signal })
    },
    items: (...args) => listed.items(...args),
    facets: (...args) => listed.facets(...args),
    revision: '1',
    changedAt: 1
  }
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) =>
      tokenMatches(authorization, token) ? { adapter: hasLibrary ? { library } : methods, stateless: false } : null
  })
  await app.register(sourcePage, { path: '/player' })
  const ask = async (url: string) => app.inject({ url: `/player/page/${url}`, headers: { authorization } })
  const { statusCode, headers, body } = await ask(`browse${query}`)
  return { statusCode, headers, body: JSON.parse(body), asked, ask }
}

t.test('a list is asked for with everything that is filtered and sorted by', async t => {
  const { asked, headers } =
    await browse(t, '?kind=albums&sort=added&order=desc&letter=%C3%84&year=1999&genre=Jazz%20&offset=20&limit=10')
  t.strictSame(asked, [{
    query: { kind: 'albums', order: 'desc', letter: 'Ä', years: [1999, 1999], genre: 'Jazz', sort: 'added' },
    isAborted: false
  }])
  t.match(headers, { 'cache-control': 'no-store', vary: 'authorization' })
})

t.test('a list without filters begins at its start, by names; so does one by what no source knows', async t => {
  const query = { kind: 'albums', order: 'asc', letter: undefined, years: undefined, genre: undefined }
  for (const sort of ['', '?sort=plays']) t.strictSame((await browse(t, sort)).asked[0]!.query, query)
})

t.test('a list says whether there is more of it, and what it can be sorted by', async t => {
  const { data } = (await browse(t, '?limit=1')).body
  t.match(data, { items: [{ id: '0' }], total: 3, offset: 0, limit: 1, hasMore: true, letters: ['A'] })
  t.strictSame(data.sorts, ['name', 'artist', 'year', 'added', 'random'])
  t.equal((await browse(t, '?offset=2&limit=1')).body.data.hasMore, false)
})

t.test('a source that does not tell its composers has none', async t => {
  for (const hasLibrary of [true, false]) {
    const { ask } = await browse(t, '', { hasLibrary })
    t.strictSame((await ask('composers')).json().data, { items: [] })
  }
})

t.test('a random list has one page, in which each comes once', async t => {
  const { data } = (await browse(t, '?sort=random&limit=5', { albums: albumsOf(9) })).body
  t.match(data, { total: 5, hasMore: false })
  t.equal(new Set(data.items.map(({ id }: { id: string }) => id)).size, 5)
})

t.test('who is authorised learns whether there are lists, and a source without them has none', async t => {
  for (const hasLibrary of [true, false]) {
    const { ask, body } = await browse(t, '', { hasLibrary })
    t.strictSame((await ask('offers')).json(), { code: 200, data: { library: hasLibrary, recommended: false } })
    t.equal('items' in body.data, hasLibrary)
  }
})

t.test('a source without a library has the lists that are generated of its operations', async t => {
  const album = { id: '1', name: 'First', coverUrl: '' }
  const getNewTracks = () => [{ id: '1', title: 'One', artists: [], album, durationMs: 1000 }]
  const { ask, body } = await browse(t, '', { hasLibrary: false, methods: { getNewTracks } })
  t.strictSame((await ask('offers')).json(), { code: 200, data: { library: true, recommended: false } })
  t.match(body.data, { items: [{ name: 'First' }], total: 1, hasMore: false })
  t.strictSame((await ask('browse?sort=played')).json().data, {}, 'plays are not known')
})

t.test('who is not authorised gets a 401 whatever else is wrong', async t => {
  const { body, asked, ask } = await browse(t, '?kind=tracks', { authorization: 'wrong' })
  t.strictSame(body, { code: 401, message: 'Unauthorized', data: null })
  t.strictSame(asked, [])
  t.equal((await ask('offers')).statusCode, 401)
})

for (const [query, message] of [
  ['?kind=tracks', 'Parameter kind must be albums or artists'],
  ['?order=up', 'Parameter order must be asc or desc'],
  ['?limit=0', 'Parameter limit must be an integer from 1 to 200'],
  ['?limit=201', 'Parameter limit must be an integer from 1 to 200'],
  ['?offset=-1', 'Parameter offset must be an integer from 0 to 1000000000'],
  ['?year=MCMXCIX', 'Parameter year must be an integer from 0 to 9999']
] as const) {
  t.test(`a list with ${query} is refused with a sentence`, async t => {
    const { statusCode, body, asked } = await browse(t, query)
    t.equal(statusCode, 400)
    t.strictSame(body, { code: 400, message, data: null })
    t.strictSame(asked, [])
  })
}

t.test('who is authorised learns how far the source is with its files, and what is not known is left out', async t => {
  let progress: { done: number, total?: number } | undefined = { done: 12_400, total: 50_000 }
  const app = await build(t, { path: '/player', progress: () => progress })
  const ask = (authorization = token) => app.inject({ url: '/player/page/progress', headers: { authorization } })
  const { headers, body } = await ask()
  t.strictSame(JSON.parse(body), { code: 200, data: { done: 12_400, total: 50_000 } })
  t.match(headers, { 'cache-control': 'no-store', vary: 'authorization' })
  progress = { done: 3 }
  t.strictSame((await ask()).json(), { code: 200, data: { done: 3 } })
  progress = undefined
  t.strictSame((await ask()).json(), { code: 200, data: {} })
  t.equal((await ask('wrong')).statusCode, 401)
  t.equal((await (await build(t)).inject('/page/progress')).statusCode, 404)
})

t.test('who is authorised learns where something is saved from, for the context of the call', async t => {
  const asked: unknown[] = []
  const app = await build(t, {
    path: '/player',
    downloadUrl: (kind, id, { stateless }) => {
      asked.push([kind, id, stateless])
      return ['none', 't1'].includes(id) ? undefined : `https://files.example/${id}`
    }
  })
  const ask = async (query: string, authorization = token) => {
    const { statusCode, headers, body } =
      await app.inject({ url: `/player/page/download${query}`, headers: { authorization } })
    t.match(headers, { 'cache-control': 'no-store', vary: 'authorization' })
    return [statusCode, JSON.parse(body)]
  }
  const data = { url: 'https://files.example/Ä 1' }
  t.strictSame(await ask('?kind=album&id=%C3%84+1'), [200, { code: 200, data }])
  t.strictSame(asked, [['album', 'Ä 1', false]])
  for (const [query, code, message] of [
    ['?kind=album&id=none', 404, 'This cannot be downloaded'],
    ['?kind=toplist&id=1', 400, 'Parameter kind must be track or album or artist or playlist'],
    ['?kind=track&id=%20', 400, 'Parameter id must not be empty'],
    ['?kind=track', 400, 'Parameter id is required']
  ] as const) t.strictSame(await ask(query), [code, { code, message, data: null }])
  t.match(await ask('?kind=track&id=t1'), [200, { data: { url: /t1/ } }], 'a track is saved as it is played')
  t.equal((await ask('?kind=album&id=1', 'wrong'))[0], 401)
  t.equal((await (await build(t)).inject('/page/download')).statusCode, 404)
})

t.test('who gets no audio from the source is not told where something is saved from', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { resolveContext: () => ({ adapter: {}, stateless: true }) })
  await app.register(sourcePage, { downloadUrl: (_kind, id) => `https://files.example/${id}` })
  const { statusCode, body } = await app.inject('/page/download?kind=track&id=1')
  t.equal(statusCode, 501)
  t.notMatch(body, 'files.example')
})
