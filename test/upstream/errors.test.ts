import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer } from 'node:net'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { NotFoundError, RateLimitedError, UnplayableError } from 'fastify-source-origin'
import { createUpstream } from 'fastify-source-origin/upstream'
import {
  answer, dieAt, fail, gzipBomb, hang, hangInBody, hangUp, limit, rawAnswer, redirect, sendRaw, type Behaviour
} from '../faulty-upstream.ts'
import { fakeTime } from '../fake-time.ts'
import { authorized, build as buildHost, logged } from '../helper.ts'
import { build } from './helper.ts'

const statuses: [number, string, number][] = [
  [300, 'UpstreamError', 502], [302, 'UpstreamError', 502], [304, 'UpstreamError', 502], [400, 'UpstreamError', 502],
  [401, 'UnauthorizedError', 401], [402, 'UnplayableError', 422], [403, 'UpstreamError', 502],
  [404, 'NotFoundError', 404],
  [408, 'TimeoutError', 504], [409, 'UpstreamError', 502], [410, 'NotFoundError', 404], [422, 'UpstreamError', 502],
  [425, 'UpstreamError', 502], [429, 'RateLimitedError', 429], [451, 'UnplayableError', 422],
  [500, 'UpstreamError', 502],
  [501, 'UpstreamError', 502], [503, 'UpstreamError', 502], [504, 'TimeoutError', 504], [599, 'UpstreamError', 502]
]
/** What listeners read: where the call went is in the cause. */
const listeners: Record<string, string> = {
  NotFoundError: 'The music service does not have this',
  RateLimitedError: 'The music service is asked too often',
  TimeoutError: 'The music service did not answer in time',
  UnauthorizedError: 'The music service refused the login',
  UnplayableError: 'The music service does not play this',
  UpstreamError: 'The music service failed'
}
for (const [status, name, ours] of statuses) {
  t.test(`${status} becomes ${name}; method, host and path are in its cause`, async t => {
    const { server, upstream, host } = await build(t, { retries: 0 })
    server.plan(fail(status))
    await t.rejects(upstream.json('/songs?key=secret', { query: { token: 'secret' } }),
      {
        name,
        status: ours,
        message: new RegExp(`^${listeners[name]}$`),
        cause: { message: new RegExp(`^GET ${host}/v3/songs: ${status}$`) }
      })
  })
}

const gzipHeader = { 'content-encoding': 'gzip' }
const unusable: [string, Behaviour, RegExp][] = [
  ['JSON that breaks off', answer('{"secret":'), /: the answer is not JSON$/],
  ['HTML', answer('<html>secret</html>'), /: the answer is not JSON$/],
  ['nothing', answer(''), /: the answer 200 is empty, so it is not JSON: use text or answer$/],
  ['a body that is too long', answer('x'.repeat(1001)), /: the answer is longer than 1000 bytes$/],
  ['a gzip bomb', gzipBomb(100_000), /: the answer is longer than 1000 bytes$/],
  ['bytes that are not gzip', answer('secret', 200, gzipHeader), /: the answer cannot be decoded$/],
  ['more encodings than anybody uses', answer('{}', 200, { 'content-encoding': Array(6).fill('identity').join() }),
    /: the answer is encoded too often$/],
  ['an unknown encoding', answer('secret', 200, { 'content-encoding': 'zstd' }),
    /: the answer has an encoding that was not asked for$/],
  ['no HTTP', sendRaw('SSH-2.0-secret\r\n'), /: the connection broke \(HTTPParserError\)$/],
  ['headers that are too long', answer({}, 200, { 'x-long': 'x'.repeat(20_000) }),
    /: the connection broke \(UND_ERR_HEADERS_OVERFLOW\)$/]
]
for (const [what, behaviour, message] of unusable) {
  t.test(`${what} becomes an UpstreamError, without a second attempt`, async t => {
    const { server, upstream } = await build(t, { maxBody: 1000 })
    server.plan(behaviour)
    const error = await upstream.json<any>('/x').catch(error => error)
    t.match(error, { name: 'UpstreamError', status: 502, cause: { message } })
    t.equal(error.message, listeners.UpstreamError)
    t.notMatch(JSON.stringify([error.message, error.cause.message, { ...error.cause }, { ...error }]), 'secret')
    t.equal(server.arrivals.length, 1)
    t.strictSame(await upstream.json('/x'), { ok: true })
  })
}

/** Resolves when undici has read the headers of an answer. */
const headers = () => new Promise<void>(resolve => {
  const read = () => {
    unsubscribe('undici:request:headers', read)
    resolve()
  }
  subscribe('undici:request:headers', read)
})

t.test('nobody waits for the rest of an error that comes slowly', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { timeout: 3000 })
  server.plan(response => { response.writeHead(404, { 'content-length': 100 }).write('...') })
  const error = t.rejects(upstream.json('/x'), { name: 'NotFoundError', cause: { message: /: 404$/ } })
  await time.pass(300)
  await error
  t.strictSame(await upstream.json('/x'), { ok: true })
})

for (const [whose, errors] of [
  ['', {}], [' that errors wanted', { 404: () => new UnplayableError('mapped') }]
] as const) {
  t.test(`an error whose own body hangs, is too long or breaks off is known by its status${whose}`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t, { retries: 0, maxBody: 100, timeout: 3000 })
    server.plan(
      answer('x'.repeat(500_000), 404, { 'content-length': 500_000 }),
      answer('x'.repeat(200_000), 404),
      response => { response.writeHead(404).write('...') },
      dieAt(150, 'end', rawAnswer('x'.repeat(200), 404)),
      fail(404, { 'content-encoding': 'zstd' })
    )
    for (const what of ['too long by its header', 'too long', 'hangs', 'breaks off', 'has an unknown encoding']) {
      const error = t.rejects(upstream.json('/x', { errors }), { name: 'NotFoundError', cause: { message: /: 404$/ } }, what)
      if (what === 'hangs') {
        await headers()
        time.advance(3000)
      }
      await error
    }
    t.strictSame(await upstream.json('/x'), { ok: true })
  })
}

for (const [what, behaviour] of [['no answer', hang], ['a body that stops', hangInBody]] as const) {
  t.test(`${what} within the time limit becomes a TimeoutError`, async t => {
    const time = fakeTime(t)
    const { server, upstream, host } = await build(t, { retries: 0, timeout: 3000 })
    server.plan(behaviour, behaviour)
    const error = t.rejects(upstream.json('/x'), {
      name: 'TimeoutError', status: 504, cause: { message: `GET ${host}/v3/x: no answer within 3000 ms` }
    })
    await server.arrived(1)
    await time.pass(3000)
    await error
    const shorter = t.rejects(upstream.json('/x', { timeout: 700 }), { cause: { message: 'no answer within 700 ms' } })
    await server.arrived(2)
    await time.pass(700)
    await shorter
    await Promise.all(server.arrivals.map(({ ended }) => ended))
  })
}

t.test('a connection that is refused, ends or is reset becomes an UpstreamError with its code', async t => {
  const { server, upstream } = await build(t, { retries: 0 })
  server.plan(hangUp, dieAt(0, 'reset'))
  await t.rejects(upstream.json('/x'), {
    name: 'UpstreamError', cause: { message: 'the connection broke (UND_ERR_SOCKET)' }
  })
  await t.rejects(upstream.json('/x'), {
    name: 'UpstreamError', cause: { message: 'the connection broke (ECONNRESET)' }
  })

  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as { port: number }
  closed.close()
  await once(closed, 'close')
  const nobody = createUpstream({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 })
  t.teardown(() => nobody.close())
  await t.rejects(nobody.json('/x'), {
    name: 'UpstreamError', cause: { message: 'the connection broke (ECONNREFUSED)' }
  })
})

t.test('TLS that fails becomes an UpstreamError, without a second attempt', async t => {
  let connections = 0
  const server = createServer(socket => { connections++; socket.end('no TLS') }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const upstream = createUpstream({ baseUrl: `https://127.0.0.1:${(server.address() as { port: number }).port}` })
  t.teardown(() => upstream.close())
  await t.rejects(upstream.json('/x'), { name: 'UpstreamError', cause: { message: /the connection broke \((ERR_SSL_|EPROTO)/ } })
  t.equal(connections, 1)
})

t.test('a redirect is not followed, and its target is not told', async t => {
  const { server, upstream } = await build(t)
  server.plan(redirect('http://169.254.169.254/secret'))
  const error = await upstream.json<any>('/x').catch(error => error)
  t.match(error, { name: 'UpstreamError', cause: { message: /: 302$/ } })
  t.notMatch(String(error.stack), 'secret')
})

t.test('errors says what a status means; it gets the answer', async t => {
  const { server, upstream } = await build(t)
  server.plan(answer({ reason: 'region' }, 403, { 'x-reason': 'region' }), answer({}, 204), answer({}, 404))
  const errors = {
    403: ({ status, headers, body }: { status: number, headers: object, body: Buffer }) =>
      new UnplayableError(JSON.stringify([
        status, (headers as Record<string, string>)['x-reason'], JSON.parse(String(body))
      ])),
    204: () => new NotFoundError('nothing there'),
    404: () => { throw new NotFoundError('thrown') }
  }
  await t.rejects(upstream.json('/x', { errors }), {
    name: 'UnplayableError', message: '[403,"region",{"reason":"region"}]'
  })
  await t.rejects(upstream.json('/x', { errors }), { name: 'NotFoundError', message: 'nothing there' })
  await t.rejects(upstream.json('/x', { errors }), { name: 'NotFoundError', message: 'thrown' })
})

t.test('check throws for an error that came with 200, and there is no second attempt', async t => {
  const { server, upstream } = await build(t)
  server.always(answer({ code: 404 }))
  const check = (body: { code: number }) => { if (body.code === 404) throw new NotFoundError('no such song') }
  await t.rejects(upstream.json<{ code: number }>('/x', { check }), { message: 'no such song' })
  const refuse = (body: string | Buffer) => { throw new NotFoundError(String(body)) }
  await t.rejects(upstream.text('/x', { check: refuse }), { message: '{"code":404}' })
  await t.rejects(upstream.bytes('/x', { check: refuse }), { message: '{"code":404}' })
  await t.rejects(upstream.response('/x', { check: refuse }), { message: '{"code":404}' })
  t.equal(server.arrivals.length, 4)
})

t.test('errors is refused if it returns no error', async t => {
  const { server, upstream } = await build(t)
  server.always(fail(403))
  await t.rejects(upstream.json('/x', { errors: { 403: (() => {}) as never } }), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: 'Option "errors.403" must be a function that returns an error'
  })
})

t.test('check and errors are refused if they return a promise, and its rejection ends nothing', async t => {
  const { server, upstream } = await build(t)
  const refuse = async () => { throw new NotFoundError('no such song') }
  server.always(answer({ code: 404 }))
  await t.rejects(upstream.json('/x', { check: refuse }), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION',
    message: 'Option "check" must be a function that does not return a promise'
  })
  server.always(fail(404))
  await t.rejects(upstream.json('/x', { errors: { 404: refuse as never } }), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION',
    message: 'Option "errors.404" must be a function that does not return a promise'
  })
})

t.test('the seconds of a Retry-After are given on, as a number or from a date, rounded up', async t => {
  fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0 })
  server.plan(
    limit(7), limit('Thu, 01 Jan 2026 00:01:30 GMT'), limit('soon'), limit(0), limit('2026-01-01T00:01:30Z'),
    fail(503, { 'retry-after': '20' })
  )
  for (const [account, retryAfterSeconds] of [['a', 7], ['b', 90], ['c', 1], ['d', 1], ['e', 90]] as const) {
    await t.rejects(upstream.for({ account }).json('/x'), { name: 'RateLimitedError', retryAfterSeconds })
  }
  await t.rejects(upstream.json('/x'), { name: 'UpstreamError', retryAfterSeconds: 20 })
})

t.test('a Retry-After with a fraction is a number, whatever date it looks like', async t => {
  fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0 })
  server.plan(limit('49.5'), limit('2.5'), limit('-9.5'))
  for (const [account, retryAfterSeconds] of [['a', 50], ['b', 3], ['c', 1]] as const) {
    await t.rejects(upstream.for({ account }).json('/x'), { name: 'RateLimitedError', retryAfterSeconds })
  }
})

t.test('a status that errors makes a RateLimitedError of keeps the seconds of either', async t => {
  const { server, upstream } = await build(t, { retries: 0 })
  server.plan(fail(403, { 'retry-after': '9' }))
  const api = upstream.for({ account: 'a' })
  await t.rejects(api.json('/x', { errors: { 403: () => new RateLimitedError('slow down') } }), {
    message: 'slow down'
  })
  await t.rejects(api.json('/x'), { name: 'RateLimitedError', cause: { message: 'not called' }, retryAfterSeconds: 9 })
})

const refusal = '{"error":"quality must be one of HIGH, LOW"}'

t.test('in development the log has what a refusal said, and the answer to the client has not', async t => {
  const { server, upstream } = await build(t, { retries: 0 })
  server.plan(answer(refusal, 400))
  const { lines, logger } = logged()
  const app = await buildHost(t, { adapter: { getNewTracks: () => upstream.json('/new') } }, { logger })
  const { statusCode, payload } = await app.inject({ url: '/v1/track/new', headers: authorized })
  t.equal(statusCode, 502)
  t.notMatch(payload, 'quality')
  const line = lines.find(({ msg }) => msg === 'request failed')
  t.ok(line?.err.stack.includes(`the upstream said: ${refusal}`), 'with its causes')
})

t.test('in development the log has what came instead of JSON', async t => {
  const { server, upstream } = await build(t, { retries: 0 })
  server.plan(answer('<h1>Under maintenance</h1>', 200))
  const { cause } = await upstream.json<any>('/x').catch(error => error)
  t.match(cause, { message: /the answer is not JSON$/, cause: { message: /the upstream said: <h1>Under maintenance/ } })
})

t.test('in production no error has what a refusal said', async t => {
  const { server, upstream } = await build(t, { retries: 0 })
  t.intercept(process, 'env', { value: { ...process.env, NODE_ENV: 'production' } })
  server.plan(answer(refusal, 400))
  const { cause } = await upstream.json<any>('/x').catch(error => error)
  t.equal(cause.cause, undefined)
})

const saidOf = async (t: Test, body: string, request: object, path = '/x') => {
  const { server, upstream } = await build(t, { retries: 0 })
  server.plan(answer(body, 400))
  const { cause } = await upstream.json<any>(path, request).catch(error => error)
  return cause.cause.message.replace('the upstream said: ', '')
}

const hide = '[authorization]'
const basic = Buffer.from('ada:pass-of-ada').toString('base64')
const echoes: [string, object, string, string][] = [
  ['a token', { headers: { Authorization: 'Bearer abc.def' } }, 'no account abc.def', `no account ${hide}`],
  ['a password of Basic', { headers: { authorization: `Basic ${basic}` } }, 'not pass-of-ada', `not ${hide}`],
  ['a cookie', { headers: { cookie: 'a=1; b=chocolate' } }, 'unknown chocolate', `unknown ${hide}`],
  ['a query', { query: { q: 'my words' } }, 'not my words, not my%20words', `not ${hide}, not ${hide}`],
  ['a form', { form: { pin: 'häschen' } }, 'not häschen', `not ${hide}`],
  ['JSON', { json: { pin: 'rabbits', list: ['foxes and'] } }, 'pin not rabbits, foxes and', `pin not ${hide}, ${hide}`]
]
for (const [what, request, body, said] of echoes) {
  t.test(`what a refusal says is without the values of ${what} that was sent`, async t => {
    t.equal(await saidOf(t, body, request), said)
  })
}

t.test('what a refusal says is without what looks like a secret, on one line of 200 characters', async t => {
  t.equal(await saidOf(t, 'x\n\n y'.repeat(100), {}), 'x y'.repeat(100).slice(0, 200))
  t.equal(await saidOf(t, '{"sessionToken": "a \\" b", "key":\'c\', "a":1}', {}),
    '{"sessionToken": [secret], "key":[secret], "a":1}')
  t.equal(await saidOf(t, 'Authorization: Bearer abc, signature=def&b=1', {}),
    'Authorization: [secret], signature=[secret]&b=1')
  const long = 'a-long-word-without-a-number'
  t.equal(await saidOf(t, long, {}), long)
  t.equal(await saidOf(t, 'see eyJhbGciOiJIUzI1NiJ9.e30.x7 there', {}), 'see [secret] there')
})
