import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import crypto, { type Hash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createLibrary } from 'fastify-source-origin/library'
import serveSource, { type ServeContextOptions, type ServeSourceOptions } from 'fastify-source-origin/serve'
import { bounds } from '../../lib/protection/shed-load.ts'
import { fakeTime } from '../fake-time.ts'
import { logged } from '../helper.ts'
import { replaceExports } from '../replace.ts'

// A machine that is busy with other tests is no overload of the source.
bounds.maxEventLoopDelay = Infinity

const token = 'a token of more than 16 characters'
const artists = Array.from({ length: 200 }, (_empty, i) => ({ id: `${i}`, name: `Artist ${i}` }))
const adapter = { getTopArtists: () => artists }

async function build (t: Test, options: Partial<ServeSourceOptions> = {}, host: FastifyServerOptions = {}) {
  const app = fastify(host)
  t.teardown(() => app.close())
  const accounts = createAccounts({ store: memoryAccountStore(), tokens: { ann: token } })
  await app.register(serveSource, { accounts, adapter: () => adapter, protection: {}, ...options })
  return app
}

const ask = (app: FastifyInstance, authorization: string, remoteAddress = '10.0.0.1') =>
  app.inject({ url: '/v1/artist/top', remoteAddress, headers: { authorization, 'accept-encoding': 'gzip' } })

/** Calls a function before each update of a hash. */
function replaceUpdate (hash: Hash, before: (data: unknown) => void): Hash {
  const update = hash.update.bind(hash)
  return Object.assign(hash, { update: (data: string) => { before(data); return update(data) } })
}

async function logIn (app: FastifyInstance, p: string, remoteAddress = '10.0.0.1') {
  const query = new URLSearchParams({ u: 'ann', p, f: 'json', v: '1.16.1', c: 'test' })
  return (await app.inject({ url: `/rest/ping?${query}`, remoteAddress })).json()['subsonic-response'].error?.code
}

t.test('the protection sets headers for browsers and compresses, for routes of the host too', async t => {
  const app = await build(t, { protection: { hstsSeconds: 60 } })
  app.get('/mine', () => 'mine')
  const answer = await ask(app, token)
  t.equal(JSON.parse(gunzipSync(answer.rawPayload).toString()).data.length, 200)
  for (const { headers } of [answer, await app.inject('/mine'), await app.inject('/nothing')]) {
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.equal(headers['strict-transport-security'], 'max-age=60')
    t.equal(headers['access-control-allow-origin'], undefined)
  }
  t.equal((await app.inject('/nothing')).headers['cache-control'], 'no-store')
})

t.test('sites that are named may call, and read when to come again', async t => {
  const app = await build(t, { protection: { origins: ['https://app.example'] } })
  for (const [origin, allowed] of [['https://app.example', 'https://app.example'], ['https://b.example', undefined]]) {
    const { headers } = await app.inject({ url: '/v1/status', headers: { authorization: token, origin } })
    t.equal(headers['access-control-allow-origin'], allowed)
    t.match(headers['access-control-expose-headers'], 'Retry-After')
    t.equal(headers['strict-transport-security'], undefined)
  }
})

t.test('without protection there are no headers, limits and compression', async t => {
  const app = await build(t, { protection: false })
  const { headers } = await ask(app, token)
  t.strictSame(['content-encoding', 'x-content-type-options'].filter(name => name in headers), [])
  for (let i = 0; i < 12; i++) t.equal((await ask(app, `wrong ${i}`)).statusCode, 401)
  t.notOk(app.hasDecorator('loginLimiter'))
})

t.test('after 10 wrong tokens an address gets 429 for others, and what is right is answered', async t => {
  const app = await build(t)
  t.equal((await ask(app, token, '10.0.0.9')).statusCode, 200)
  for (let i = 0; i < 10; i++) {
    for (const address of ['10.0.0.1', '10.0.0.9']) t.equal((await ask(app, `wrong ${i}`, address)).statusCode, 401)
  }
  t.equal((await ask(app, 'wrong')).statusCode, 429)
  t.equal(await logIn(app, 'wrong'), 40)
  t.equal((await ask(app, token)).statusCode, 200)
  t.equal(await logIn(app, token), undefined)
  t.equal((await ask(app, token, '10.0.0.2')).statusCode, 200)
})

t.test('a request from the cache hashes its token, makes its context and reads the cache once', async t => {
  const counts = { hashes: 0, contexts: 0, reads: 0 }
  const cache = createSourceCache()
  const library = createLibrary({ artists: [], albums: [{ id: '1', name: 'First', coverUrl: '' }], tracks: [] })
  const app = await build(t, { cache, adapter: () => { counts.contexts++; return { ...adapter, library } } })
  const { createHash } = crypto
  replaceExports(t, crypto, {
    createHash: (...args) => {
      const hash = createHash(...args)
      return replaceUpdate(hash, data => { if (String(data).includes(token)) counts.hashes++ })
    }
  })
  const countsOf = async (request: () => Promise<unknown>) => {
    await request()
    const { hits, misses } = cache.stats()
    Object.assign(counts, { hashes: 0, contexts: 0 })
    await request()
    const after = cache.stats()
    return { ...counts, reads: after.hits - hits + after.misses - misses }
  }
  const albums = `/rest/getAlbumList2?type=newest&u=ann&p=${encodeURIComponent(token)}&v=1.16.1&c=test`
  t.strictSame(await countsOf(() => ask(app, token)), { hashes: 1, contexts: 1, reads: 1 })
  t.strictSame(await countsOf(() => ask(app, `Bearer ${token}`)), { hashes: 1, contexts: 1, reads: 1 })
  t.match(await countsOf(() => app.inject(albums)), { hashes: 1, contexts: 1 })
})

t.test('a source that finds its callers itself has the same limits, and who sends no token has not tried', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const options: ServeContextOptions = {
    protection: {},
    resolveContext: ({ authorization }) => (authorization ?? token) === token ? { adapter } : undefined
  }
  await app.register(serveSource, options)
  for (let i = 0; i < 10; i++) t.equal((await ask(app, `wrong ${i}`)).statusCode, 401)
  t.equal((await ask(app, 'wrong')).statusCode, 429)
  t.equal((await ask(app, token)).statusCode, 200)
  t.equal((await app.inject({ url: '/v1/artist/top', remoteAddress: '10.0.0.1' })).statusCode, 200)
})

t.test('a login that takes something else says so, and counts as a wrong one', async t => {
  const app = await build(t, { subsonic: { resolveLogin: () => { throw new Error('away') } } })
  for (let i = 0; i < 11; i++) t.equal(await logIn(app, `wrong ${i}`), 0)
  t.equal((await ask(app, token)).statusCode, 200, 'what failed was not wrong')
})

t.test('a digest that is repeated counts once for its address, and others count each', async t => {
  const app = await build(t)
  // Of each account so few that none of them waits.
  const digest = async (s: string, u = s) =>
    (await app.inject({ url: `/rest/ping?u=${u}&t=00&s=${s}&f=json`, remoteAddress: '10.0.0.1' }))
      .json()['subsonic-response'].error.code
  for (let i = 0; i < 12; i++) t.equal(await digest('the same salt', `account ${i % 2}`), 40)
  for (let i = 0; i < 9; i++) t.equal(await digest(`salt ${i}`), 40)
  t.equal((await ask(app, 'wrong')).statusCode, 429)
  t.equal(await digest('the same salt'), 40)
  t.equal(await digest('another salt'), 40)
})

for (const [accounts, code, message] of [
  [{ secret: Buffer.alloc(32, 1) }, 40, /^Wrong username or password\. This app needs an app password/],
  [{ tokens: { ann: token } }, 40, /^Wrong username or password\. This server has no app passwords/],
  [{}, 41, /^This server cannot check digests: send the password/]
] as const) {
  const by = Object.keys(accounts)[0] ?? 'nothing'
  t.test(`accounts with ${by}: each login keeps its error after 10 wrong ones, for every name`, async t => {
    const { lines, logger } = logged()
    const store = memoryAccountStore()
    const app = await build(t, { accounts: createAccounts({ store, ...accounts }) }, { logger })
    const answer = async (login: Record<string, string>) =>
      (await app.inject({ url: `/rest/ping?${new URLSearchParams({ f: 'json', ...login })}`, remoteAddress: '10.0.0.1' }))
    const errorOf = async (login: Record<string, string>) => (await answer(login)).json()['subsonic-response'].error
    const digestOf = (i: number) => errorOf({ u: `ann ${i}`, t: '00', s: `salt ${i}` })
    for (let i = 0; i < 10; i++) t.match(await digestOf(i), { code, message })
    t.equal(lines.filter(({ msg }) => msg === 'login rejected').length, code === 40 ? 10 : 0)
    for (let i = 10; i < 12; i++) t.match(await digestOf(i), { code, message: 'Too many wrong tokens' })
    t.match(await digestOf(0), { code, message }, 'it was told before')
    t.match(await errorOf({ u: 'ann', p: 'wrong' }), { code: 40, message: 'Too many wrong tokens' })
    const refused = await answer({ apiKey: 'wrong' })
    t.match(refused.json()['subsonic-response'].error, { code: 44, message: 'Too many wrong tokens' })
    t.match(refused.headers['retry-after'], /^[1-6]?\d$/)
  })
}

t.test('a source that finds its callers itself keeps the error of a login after 10 wrong tokens', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const options: ServeContextOptions = {
    protection: {}, resolveContext: ({ authorization }) => authorization === token && { adapter }
  }
  await app.register(serveSource, options)
  for (let i = 0; i < 12; i++) t.equal(await logIn(app, `wrong ${i}`), 40)
  t.equal(await logIn(app, token), undefined)
  const digest = await app.inject({ url: '/rest/ping?u=ann&t=00&s=salt&f=json', remoteAddress: '10.0.0.1' })
  t.equal(digest.json()['subsonic-response'].error.code, 41)
})

t.test('the eleventh wrong login of an account waits two seconds', async t => {
  const app = await build(t)
  const time = fakeTime(t)
  for (let i = 0; i < 10; i++) t.equal(await logIn(app, 'wrong', `10.0.0.${i}`), 40)
  const late = logIn(app, 'wrong', '10.0.1.1')
  await time.awaited(2000)
  t.equal(await logIn(app, token, '10.0.1.2'), undefined)
  time.advance(2000)
  t.equal(await late, 40)
})

t.test('a full process answers /status, /ready and what says so; the rest is a 503 that pages may read', async t => {
  const time = fakeTime(t)
  const maxHeapUsedBytes = bounds.maxHeapUsedBytes
  bounds.maxHeapUsedBytes = 1
  t.teardown(() => { bounds.maxHeapUsedBytes = maxHeapUsedBytes })
  const app = await build(t, {
    protection: { origins: '*' }, prefix: '/music', readiness: { checks: {} }, shutdown: {}
  })
  app.get('/mine', { config: { shedLoad: false } }, () => 'mine')
  const call = (url: string) =>
    app.inject({ url, headers: { authorization: token, origin: 'https://any.example.com' } })
  t.equal((await call('/music/v1/artist/top')).statusCode, 200)
  time.advance(1000)
  t.match(await call('/music/v1/artist/top'), {
    statusCode: 503,
    headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': /Retry-After/ }
  })
  for (const url of ['/music/status', '/ready', '/mine']) t.equal((await call(url)).statusCode, 200, url)
})

t.test('limits of connections hold for all addresses of localhost', async t => {
  const app = await build(t)
  await app.listen({ port: 0, host: 'localhost' })
  const answers = await Promise.all((app.addresses() as AddressInfo[]).map(({ address, port }) =>
    fetch(`http://${address.includes(':') ? `[${address}]` : address}:${port}/status`)))
  t.ok(answers.every(({ ok }) => ok))
})

const must =
  '* or a list of origins in lower case without a path or a slash at the end, such as https://app.example.com'

for (const [door, message] of [
  [{ origins: 'https://a.example' }, `Option "protection.origins" must be ${must}`],
  ...['https://a.example/', 'https://a.example/app', 'https://A.example', 'a.example', '*'].map(origin =>
    [{ origins: [origin] }, `Option "protection.origins" must be ${must}`] as const),
  [{ hstsSeconds: -1 }, 'Option "protection.hstsSeconds" must be a whole number from 0'],
  [{ redis: {} }, 'Option "protection.redis" must be a client of ioredis'],
  [{ origin: '*' }, 'Unknown option "protection.origin": did you mean "origins"?']
] as const) {
  t.test(`refused: ${message}`, async t => {
    await t.rejects(build(t, { protection: door as never }), { message: new RegExp(message.replace(/[?*.]/g, '\\$&')) })
  })
}
