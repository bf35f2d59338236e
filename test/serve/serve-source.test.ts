import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import { NotFoundError, type SourceAdapter } from 'fastify-source-origin'
import { createAccounts, memoryAccountStore, type TokenRecord } from 'fastify-source-origin/accounts'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createTranscoder } from 'fastify-source-origin/media'
import serveSource, {
  serverOptions, type ReadinessOptions, type ServeContextOptions, type ServeSourceOptions, type SourceCall
} from 'fastify-source-origin/serve'
import { until } from '../example/helper.ts'
import { fakeTime } from '../fake-time.ts'
import { deferred, logged } from '../helper.ts'
import { difference, open, read, song, startUpstream } from '../media/helper.ts'
import { fake, folder } from '../media/sound.ts'

const token = 'a token of more than 16 characters'
const headers = { authorization: token }
const accounts = createAccounts({ store: memoryAccountStore(), tokens: { ann: token } })
const track = { id: '1', title: 'One', artists: [], album: { id: '1', name: 'First', coverUrl: '' }, durationMs: 1000 }

async function build (t: Test, options: Partial<ServeSourceOptions> = {}) {
  const app = fastify()
  t.teardown(() => app.close())
  const calls: SourceCall[] = []
  const adapter = (call: SourceCall): SourceAdapter => {
    calls.push(call)
    return {
      getTrackDetail: async () => track,
      getTrackUrl: id => ({ url: call.mediaUrl('audio', { id }, { extension: 'mp3' }), quality: 'standard' })
    }
  }
  await app.register(serveSource, { accounts, adapter, ...options })
  const get = async (url: string, more = headers) => app.inject({ url, headers: more })
  return { app, get, calls }
}

t.test('one plugin serves the source, Subsonic and the page, for accounts, with a cache', async t => {
  const { get, calls } = await build(t, { title: 'My Source' })
  t.equal((await get('/v1/track?id=1', { authorization: 'another' })).statusCode, 401)
  const answer = await get('/v1/track?id=1')
  t.strictSame(answer.json().data.title, 'One')
  t.ok(answer.headers.etag, 'it is kept')
  t.match(calls[0], { account: 'ann', baseUrl: 'http://localhost:80' })
  t.match((await get('/')).body, '<title>My Source</title>')
  t.equal((await get(`/rest/ping?u=ann&p=${token}&c=test&v=1.16.1&f=json`, { authorization: '' }))
    .json()['subsonic-response'].status, 'ok')
})

t.test('media has whole, signed URLs of this server', async t => {
  const content = song(1000)
  const upstream = await startUpstream(t, content)
  const resolve = ({ id }: Record<string, string>) => {
    if (id !== '1') throw new NotFoundError()
    return { url: `${upstream.origin}/song` }
  }
  const { get } = await build(t, {
    publicUrl: 'https://music.example',
    media: {
      keys: [Buffer.alloc(32, 1)],
      prefix: '/stream',
      kinds: { audio: { resolve, hosts: [upstream.host], allowPrivate: true } }
    }
  })
  const { url } = (await get('/v1/track/url?id=1')).json().data
  t.match(url, /^https:\/\/music\.example\/stream\/audio\//)
  const { rawPayload } = await get(url.slice('https://music.example'.length), { authorization: '' })
  t.ok(rawPayload.equals(content))
  const left = Number(new URL(url).searchParams.get('expires')) - Date.now() / 1000
  t.ok(left > 21_500 && left < 21_602)
})

t.test('with transcoding, media and Subsonic apps get what is made of songs, of this server and of others', async t => {
  const upstream = await startUpstream(t, song(1000))
  const resolve = () => ({ url: `${upstream.origin}/song` })
  for (const publicUrl of [undefined, 'https://music.example/path']) {
    const ffmpeg = fake(t, 'wc -c')
    const log = { info () {}, warn () {} }
    const made = publicUrl === undefined ? undefined : await createTranscoder({ cacheDir: folder(t), ffmpeg, log })
    t.teardown(() => made?.close())
    const { app, get } = await build(t, {
      publicUrl,
      transcoding: made ?? { cacheDir: folder(t), ffmpeg },
      media: {
        keys: [Buffer.alloc(32, 1)], kinds: { audio: { resolve, hosts: [upstream.host], allowPrivate: true } }
      },
      subsonic: { allowPrivate: true }
    })
    const login = `u=ann&p=${encodeURIComponent(token)}&c=test&f=json&format=opus`
    const { location } = (await app.inject(`/rest/stream?${login}&id=tr-1`)).headers
    t.match(location, /media\/audio\/.*format=opus/)
    const { pathname, search } = new URL(String(location), 'http://localhost/rest/stream')
    t.match(await get(pathname + search), { statusCode: 200, body: /1000/ })
    const getTrackUrl = () => ({ url: `${upstream.origin}/song`, quality: 'standard' })
    const other = await build(t, {
      adapter: () => ({ getTrackDetail: () => track, getTrackUrl }),
      transcoding: made ?? { cacheDir: folder(t), ffmpeg },
      media: { keys: [Buffer.alloc(32, 1)], kinds: { audio: { root: '.', file: () => undefined } } },
      subsonic: { allowPrivate: true }
    })
    t.match(await other.app.inject(`/rest/stream?${login}&id=tr-1`), { statusCode: 200, body: /1000/ })
  }
})

t.test('songs that are sent while a server closes have the time of shutdown, not eight seconds', async t => {
  const content = song(200_000)
  const rest = deferred<void>()
  const upstream = await startUpstream(t, content, () => ({ gate: rest.promise }))
  const { app } = await build(t, {
    shutdown: { timeout: 60_000 },
    media: {
      keys: [Buffer.alloc(32, 1)],
      kinds: { audio: { resolve: () => ({ url: `${upstream.origin}/song` }), hosts: [upstream.host], allowPrivate: true } }
    },
    subsonic: { media: 'proxy' }
  })
  const closing = deferred<void>()
  // Hooks of plugins run in the order of registration.
  app.register(async last => last.addHook('preClose', async () => closing.resolve()))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const host = app.listeningOrigin.slice('http://'.length)
  const { url } = (await app.inject({ url: '/v1/track/url?id=1', headers: { ...headers, host } })).json().data
  const login = `u=ann&p=${encodeURIComponent(token)}&c=test&v=1.16.1&f=json`
  const songs = await Promise.all([open(url), open(`${app.listeningOrigin}/rest/download?${login}&id=tr-1`)])
  const time = fakeTime(t)
  const closed = app.close()
  await closing.promise
  time.advance(8000)
  rest.resolve()
  for (const response of songs) t.equal(difference((await read(response)).body, content), '')
  await closed
})

t.test('two sources in one server have paths, media, Subsonic and pages of their own', async t => {
  const [first, second] = [song(1000), song(2000)]
  const [one, two] = [await startUpstream(t, first), await startUpstream(t, second)]
  const app = fastify({ http: { maxHeaderSize: 262_144 } })
  t.teardown(() => app.close())
  const partsOf = (prefix: string, { origin, host }: typeof one): ServeSourceOptions => ({
    prefix,
    title: `Source ${prefix}`,
    accounts,
    adapter: call => ({
      getTrackDetail: async () => track,
      getTrackUrl: id => ({ url: call.mediaUrl('audio', { id }, { extension: 'mp3' }), quality: 'standard' })
    }),
    media: {
      keys: [Buffer.alloc(32, 1)],
      kinds: { audio: { resolve: () => ({ url: `${origin}/song` }), hosts: [host], allowPrivate: true } }
    },
    subsonic: { allowPrivate: true }
  })
  app.register(serveSource, partsOf('/one', one))
  app.register(serveSource, partsOf('/two', two))
  app.get('/', async () => 'mine')
  app.setErrorHandler((_error, _request, reply) => reply.code(418).send('mine'))
  app.setNotFoundHandler((_request, reply) => reply.code(418).send('mine'))
  await app.listen()
  const get = async (path: string, more: object = headers) =>
    fetch(app.listeningOrigin + path, { headers: { ...more } })

  for (const [prefix, content] of [['/one', first], ['/two', second]] as const) {
    const { data } = await (await get(`${prefix}/v1/track/url?id=1`)).json() as { data: { url: string } }
    t.ok(data.url.startsWith(`${app.listeningOrigin}${prefix}/media/audio/`), data.url)
    t.ok(content.equals(Buffer.from(await (await fetch(data.url)).arrayBuffer())))
    const login = `u=ann&p=${encodeURIComponent(token)}&c=test&v=1.16.1&f=json&id=tr-1`
    t.match(await (await get(`${prefix}/rest/ping?${login}`, {})).json(), { 'subsonic-response': { status: 'ok' } })
    t.match(await (await get(`${prefix}/`, {})).text(), `<title>Source ${prefix}</title>`)
    t.match(await (await get(`${prefix}/v1/none`)).json(), { code: 404 })
    t.equal((await get(`${prefix}/v1/track?id=1`, {})).status, 401)
  }
  t.equal(await (await get('/')).text(), 'mine')
  t.equal((await get('/v1/track?id=1')).status, 418, 'none is here')
})

t.test('a source at / and another below it, each with the decorators of its own', async t => {
  const { app, get } = await build(t, {
    media: { keys: [Buffer.alloc(32, 1)], kinds: { audio: { resolve: () => ({ url: '' }), hosts: ['a.example'] } } }
  })
  await app.register(serveSource, { prefix: '/more', logLevel: 'warn', accounts, adapter: () => ({}), subsonic: false })
  t.equal((await get('/v1/track?id=1')).statusCode, 200)
  t.equal((await get('/more/v1/track?id=1')).statusCode, 501)
  t.match(app.mediaUrl('audio', { id: '1' }, { extension: 'mp3' }), /^\/media\/audio\//)
  const { app: taken } = await build(t, { prefix: '/more' })
  await t.rejects(async () => taken.register(serveSource, { prefix: '/more', accounts, adapter: () => ({}) }), {
    message: 'already registered below /more: give this one another prefix'
  })
})

t.test('kept answers do not outlive half of the time of a media URL', async t => {
  const { get } = await build(t, {
    cache: { operations: { getTrackDetail: { scope: 'public' } } },
    media: {
      keys: [Buffer.alloc(32, 1)], ttl: 60_000, kinds: { audio: { resolve: () => ({ url: '' }), hosts: ['a.example'] } }
    }
  })
  t.match((await get('/v1/track?id=1')).headers['cache-control'], /^private, max-age=(30|29)$/)
  const { get: without } = await build(t, { cache: { operations: { getTrackDetail: { scope: 'public' } } } })
  t.match((await without('/v1/track?id=1')).headers['cache-control'], /max-age=3\d\d\d, stale-while-revalidate/)
})

t.test('Subsonic apps log in with a token as password, API key or, if it is a fixed one, by md5', async t => {
  const tokens = { bob: 'another fixed token', ann: `Bearer ${token}` }
  const accounts = createAccounts({ store: memoryAccountStore(), tokens })
  const issued = await accounts.issue('eve')
  const { get } = await build(t, { accounts })
  const md5 = (secret: string) => `u=x&s=salt&t=${createHash('md5').update(`${secret}salt`).digest('hex')}`
  const codeOf = async (login: string) => {
    const answer = (await get(`/rest/ping?c=test&v=1.16.1&f=json&${login}`)).json()
    return answer['subsonic-response'].error?.code
  }
  for (const login of [md5(token), `u=x&p=${token}`, `apiKey=${token}`, `u=x&p=${issued}`, `apiKey=${issued}`]) {
    t.equal(await codeOf(login), undefined, login)
  }
  t.equal(await codeOf(md5(issued)), 40, 'it has to send the password')
  t.equal(await codeOf('u=x&p=wrong'), 40)
  t.equal(await codeOf('apiKey=wrong'), 44)
  const { get: without } = await build(t, { accounts: { find: accounts.find } })
  t.equal((await without(`/rest/ping?${md5(token)}&c=test&v=1.16.1&f=json`)).json()['subsonic-response'].error.code, 41)
})

t.test('an app password logs in to /rest by md5 and as it is, and to nothing else', async t => {
  const store = memoryAccountStore()
  let isAway = false
  const accounts = createAccounts({
    secret: Buffer.alloc(32, 2),
    store: {
      ...store,
      async listTokens (account) {
        if (isAway) throw new Error('away')
        return store.listTokens(account)
      }
    }
  })
  const clock = fakeTime(t)
  const { get } = await build(t, { accounts })
  const md5 = (secret: string) => `s=salt&t=${createHash('md5').update(`${secret}salt`).digest('hex')}`
  const ping = async (login: string): Promise<number | string> => {
    const answer = (await get(`/rest/getUser?username=ann&c=test&v=1.16.1&f=json&${login}`)).json()['subsonic-response']
    return answer.error?.code ?? answer.user.username
  }
  t.equal(await ping(`u=ann&${md5('x')}`), 40, 'there is none yet')
  t.equal(await ping(`u=%00&${md5('x')}`), 40, 'no store has such a name')
  const password = await accounts.issueAppPassword('ann', { label: 'phone' })
  const other = await accounts.issueAppPassword('ann', { expiresAt: Date.now() + 60_000 })
  await accounts.issue('ann')
  t.match(password, /^(?:[2-9a-km-np-z]{5}-?){4}$/)
  for (const login of [md5(password), md5(other), `p=${password}`]) t.equal(await ping(`u=ann&${login}`), 'ann', login)
  t.equal(await ping(`u=ann&${md5('x')}`), 40)
  t.equal(await ping(`u=eve&${md5(password)}`), 40, 'it is of ann')
  t.equal(await ping(`apiKey=${password}`), 44, 'it needs a name')
  t.equal((await get('/v1/status', { authorization: password })).statusCode, 401)
  t.equal((await get('/v1/status', { authorization: 'App-password x' })).statusCode, 401)

  const [{ id, encrypted }, , token] = await accounts.list('ann') as [TokenRecord, TokenRecord, TokenRecord]
  t.notOk(Buffer.from(encrypted!).includes(password), 'it is not readable in the store')
  t.equal(token.encrypted, undefined)
  await t.rejects(accounts.rotate(id), { message: 'Token not found' }, 'no token is made of it')
  isAway = true
  clock.advance(11_000)
  t.equal(await ping(`u=ann&${md5(password)}`), 'ann', 'the store is away')
  t.equal(await ping(`u=bob&${md5(password)}`), 0)
  clock.advance(3_600_000)
  t.equal(await ping(`u=ann&${md5(password)}`), 0, 'for too long')
  isAway = false
  t.equal(await ping(`u=ann&${md5(other)}`), 40, 'it has expired')
  t.equal(await accounts.revoke(id), true)
  t.equal(await ping(`u=ann&${md5(password)}`), 40, 'it is revoked, and the other one has expired')
})

t.test('whoever has an account makes, lists and revokes app passwords on the page', async t => {
  const { lines, logger } = logged()
  const app = fastify({ logger })
  t.teardown(() => app.close())
  const store = memoryAccountStore()
  const accounts = createAccounts({ store, secret: Buffer.alloc(32, 2), tokens: { owner: token } })
  const [ann, bob] = [await accounts.issue('ann', { label: 'of the page' }), await accounts.issue('bob')]
  const bytes = Buffer.alloc(32)
  await store.saveToken({ id: 'over', account: 'ann', hash: bytes, encrypted: bytes, createdAt: 0, expiresAt: 1 })
  await app.register(serveSource, { accounts, adapter: () => ({}), prefix: '/music' })
  const url = '/music/page/app-passwords'
  const send = async (authorization: string, payload?: object, path = '') => {
    const method = payload === undefined ? 'GET' : 'POST'
    const { statusCode, headers, body } = await app.inject(
      { url: url + path, method, headers: { authorization }, ...payload && { payload } }
    )
    t.equal(headers['cache-control'], 'no-store')
    return { statusCode, ...JSON.parse(body) }
  }
  const listOf = async (authorization: string) => (await send(authorization)).data.items
  const ping = async (u: string, password: string): Promise<number | string> => {
    const digest = createHash('md5').update(`${password}salt`).digest('hex')
    const { json } = await app.inject(`/music/rest/ping?u=${u}&t=${digest}&s=salt&c=test&v=1.16.1&f=json`)
    return json()['subsonic-response'].error?.code ?? 'ok'
  }
  for (const [authorization, payload, path] of [
    ['', undefined], ['', { name: 'x' }], ['so_x', { id: 'x' }, '/revoke']
  ] as const) {
    t.match(await send(authorization, payload, path), { statusCode: 401, data: null })
  }
  t.strictSame((await send(token)).data, {}, 'apps log in with a fixed token as it is')
  t.match(await send(token, { name: 'x' }), { statusCode: 403 })
  for (const payload of [{}, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 'a\nb' }, { name: 1 }, []]) {
    t.match(await send(ann, payload), { statusCode: 400, message: /^(Parameter name|The body) (must|is required)/ })
  }
  t.match((await send(ann)).data, { username: 'ann', items: [], devices: [{ name: 'of the page', isThis: true }] })

  const [first, second] = await Promise.all([send(ann, { name: ' phone ' }), send(ann, { name: '车'.repeat(100) })])
  t.match(first, { statusCode: 200, code: 200, data: { username: 'ann', password: /^(?:[2-9a-km-np-z]{5}-?){4}$/ } })
  t.not(first.data.password, second.data.password)
  const items = await listOf(ann)
  t.strictSame(new Set(items.map(({ name }: { name: string }) => name)), new Set(['phone', '车'.repeat(100)]))
  t.ok(items.every((item: object) => Object.keys(item).join() === 'id,name,createdAt'), 'nothing else of them is told')
  t.equal(await ping('ann', first.data.password), 'ok')
  const status = { url: '/music/v1/status', headers: { authorization: first.data.password } }
  t.equal((await app.inject(status)).statusCode, 401)
  const stored = (await store.listTokens('ann')).map(({ encrypted = [] }) => Buffer.from(encrypted))
  t.notOk(stored.some(bytes => bytes.includes(first.data.password)))

  const { id } = items.find(({ name }: { name: string }) => name === 'phone')
  for (const [who, gone] of [[bob, id], [ann, 'gone']] as const) {
    t.match(await send(who, { id: gone }, '/revoke'), { statusCode: 404, message: /^App password or device not found/ })
  }
  const both = await Promise.all([send(ann, { id }, '/revoke'), send(ann, { id }, '/revoke')])
  t.strictSame(both.map(({ statusCode }) => statusCode).sort(), [200, 404])
  t.equal(await ping('ann', first.data.password), 40)
  t.equal(await ping('ann', second.data.password), 'ok')
  for (let count = 1; count < 50; count++) t.equal((await send(ann, { name: `${count}` })).statusCode, 200)
  t.match(await send(ann, { name: 'one more' }), { statusCode: 400, message: /^An account has 50 app passwords/ })
  t.notMatch(JSON.stringify(lines), new RegExp(`${first.data.password}|${second.data.password}`))
  t.match((await app.inject('/music/')).body, '&quot;appPasswords&quot;:true')
})

t.test('the page offers no app passwords where no app can log in with them', async t => {
  const secret = Buffer.alloc(32, 2)
  const whole = createAccounts({ store: memoryAccountStore(), secret })
  const { logIn, ...without } = whole
  for (const options of [
    {}, { accounts: without }, { accounts: whole, subsonic: false }, { accounts: whole, page: { appPasswords: false } },
    { accounts: whole, subsonic: { resolveLogin: () => null } }
  ] as const) {
    const { get } = await build(t, options)
    t.match((await get('/')).body, '&quot;appPasswords&quot;:false')
    t.equal((await get('/page/app-passwords')).statusCode, 404)
  }
  await t.rejects(build(t, { accounts: whole, page: { appPasswords: accounts } }), {
    message: 'Option "page.appPasswords" must be accounts made by createAccounts with the option secret, or false'
  })
})

t.test('app passwords need a secret, and only its holder can open them', async t => {
  const store = memoryAccountStore()
  await t.rejects(createAccounts({ store }).issueAppPassword('ann'), { code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION' })
  const password = await createAccounts({ store, secret: Buffer.alloc(32, 1) }).issueAppPassword('ann')
  const verify = (secret: string) => secret === password
  const accounts = createAccounts({ store, secret: Buffer.alloc(32, 3) })
  for (const login of [{ username: 'ann', verify }, { verify }]) {
    await t.rejects(accounts.logIn(login), { code: 40, message: /^Wrong username or password. This app needs an app pass/ })
  }
})

t.test('a resolveContext of its own is in the place of accounts and adapter', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  let asked = 0
  await app.register(serveSource, {
    accounts: undefined,
    qualityMap: [{ key: 'high', label: 'High' }],
    resolveContext: ({ authorization }) => authorization === token && {
      adapter: { getTrackDetail: id => ({ ...track, title: `${id} of ${++asked}` }) }, account: 'ann', stateless: false
    }
  } as ServeContextOptions)
  const get = async (url: string, more: object = headers) => app.inject({ url, headers: { ...more } })
  t.equal((await get('/v1/track?id=1', {})).statusCode, 401)
  t.match((await get('/v1/status')).json().data, { stateless: false, qualityMap: [{ key: 'high' }] })
  const titles = []
  for (const host of ['a.example', 'a.example', 'b.example']) {
    titles.push((await get('/v1/track?id=1', { ...headers, host })).json().data.title)
  }
  t.strictSame(titles, ['1 of 1', '1 of 1', '1 of 2'], 'answers are kept by the host')
  t.equal((await get('/v1/track?id=1', { ...headers, host: 'a'.repeat(261) })).statusCode, 400)
  t.equal((await get('/v1/track?id=1', { host: 'a'.repeat(261) })).statusCode, 401)
  t.equal((await get(`/rest/ping?u=x&p=${token}&c=test&v=1.16.1&f=json`)).json()['subsonic-response'].status, 'ok')
})

t.test('what a whole server needs are parts too: log, ids, readiness, the end, the note, and hooks before', async t => {
  const dataDir = t.testdir({})
  const { lines, logger } = logged()
  const app = fastify({ ...serverOptions, logger })
  t.teardown(() => app.close())
  await app.register(serveSource, {
    prefix: '/music',
    accounts,
    adapter: () => ({ getTrackDetail: () => track }),
    withoutQueries: true,
    requestIds: true,
    readiness: { checks: { database: () => true } },
    shutdown: { timeout: 5000 },
    runtimeFile: { token, dataDir },
    before: part => part.addHook('onSend', async (_request, reply) => { reply.header('x-before', '1') })
  })
  app.get('/other', async () => 'mine')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = await app.inject({ url: '/music/v1/track?id=1', headers })
  t.match(answer.headers, { 'x-request-id': /^[\w-]{36}$/, 'x-before': '1' })
  t.notOk((await app.inject('/other')).headers['x-before'], 'it is for the source')
  t.strictSame((await app.inject('/ready')).json(), { status: 'ready', checks: { database: 'ok' } })
  t.notMatch(JSON.stringify(lines), 'id=1')
  const running = join(dataDir, 'running.json')
  // The note is written while the server listens already.
  await until(() => existsSync(running) && readFileSync(running, 'utf8') !== '')
  t.match(JSON.parse(readFileSync(running, 'utf8')), { token, url: /\/music$/ })
  await app.close()
  t.notOk(existsSync(running))
  t.ok(lines.some(({ msg }) => msg === 'requests finished'))
})

t.test('each part is off with false', async t => {
  const { get } = await build(t, { cache: false, media: false, subsonic: false, page: false })
  t.equal((await get('/v1/track?id=1')).headers.etag, undefined)
  t.equal((await get('/')).statusCode, 404)
  t.equal((await get('/rest/ping')).statusCode, 404)
  t.equal((await get('/v1/track/url?id=1')).statusCode, 500, 'mediaUrl needs media')
})

t.test('without the page Subsonic apps find their server at /', async t => {
  const { get } = await build(t, { page: false })
  t.equal((await get('/')).statusCode, 200)
})

t.test('a part has its own options, a cache may be made before, and the context has what it says', async t => {
  const cache = createSourceCache({})
  const { get } = await build(t, {
    cache,
    stateless: false,
    sharesPlaying: () => true,
    qualityMap: [{ key: 'high', label: 'High' }],
    source: { exposeOpenApi: false },
    page: { path: '/player' },
    subsonic: { title: 'mine' }
  })
  await get('/v1/track?id=1')
  t.equal(cache.stats().entries, 1)
  t.match((await get('/v1/status')).json().data, { stateless: false, qualityMap: [{ key: 'high' }] })
  t.equal((await get('/openapi.json')).statusCode, 404)
  t.equal((await get('/player/')).statusCode, 200)
  t.match((await get(`/rest/getMusicFolders?f=json&u=a&p=${token}&c=t&v=1.16.1`)).body, 'mine')
})

for (const [name, value] of Object.entries({
  accounts: {},
  adapter: {},
  stateless: 1,
  qualityMap: {},
  sharesPlaying: 'yes',
  title: 1,
  prefix: '/a/',
  publicUrl: 'https://a/',
  source: false,
  media: true
})) {
  t.test(`the option ${name} is refused when it is wrong`, async t => {
    await t.rejects(build(t, { [name]: value }), { code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: `"${name}"` })
  })
}

t.test('an unknown option is refused with a near name', async t => {
  await t.rejects(build(t, { subsonics: {} } as object), {
    code: 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION', message: 'did you mean "subsonic"'
  })
})

t.test('the option of a part is named as a whole, and one of the page where the server has its own /', async t => {
  const kinds = { audio: { resolve: () => ({ url: '' }), hosts: ['a.example'] } }
  for (const [options, message] of [
    [{ media: { keys: [Buffer.alloc(3)], kinds } }, 'Option "media.keys" must be'],
    [{ media: { keys: [Buffer.alloc(32)], kinds: { audio: {} } } }, 'Option "media.kinds.audio.resolve" must be'],
    [{ cache: { tll: 1 } }, 'Unknown option "cache.tll"'],
    [{ source: { adapterTimeout: -1 } }, 'Option "source.adapterTimeout" must be'],
    [{ subsonic: { title: '' } }, 'Option "subsonic.title" must be'],
    [{ page: { path: 'x' } }, 'Option "page.path" must be'],
    [{ shutdown: { timeout: -1 } }, 'Option "shutdown.timeout" must be'],
    [{ runtimeFile: { token: '', dataDir: '' } }, 'Option "runtimeFile.token" must be'],
    [{ readiness: {} as ReadinessOptions }, 'Option "readiness.checks" must be'],
    [{ resolveContext: () => null } as object, 'Option "resolveContext" must be omitted if accounts or adapter is set']
  ] as [Partial<ServeSourceOptions>, string][]) await t.rejects(build(t, options), { message })
  const app = fastify()
  app.register(serveSource, { accounts, adapter: () => ({}), subsonic: false })
  app.get('/', async () => 'mine')
  await t.rejects(async () => app.ready(), {
    message: 'Option "page.path" must be another one, such as /player/: this server has its own /'
  })
})
