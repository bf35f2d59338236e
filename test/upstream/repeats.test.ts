import net from 'node:net'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { answer, dieAt, fail, hang, hangUp, rawAnswer, type Behaviour } from '../faulty-upstream.ts'
import { fakeTime } from '../fake-time.ts'
import { replace } from '../replace.ts'
import { build } from './helper.ts'

const passing: [string, Behaviour][] = [
  ...[408, 425, 429, 500, 502, 503, 504].map((status): [string, Behaviour] => [`the status ${status}`, fail(status)]),
  ['a connection that ends', hangUp],
  ['a connection that is reset', dieAt(0, 'reset')],
  ['a body that breaks off', dieAt(rawAnswer().length - 1)],
  ['a body that was cut before it was sent',
    answer(gzipSync('{"ok":true}').subarray(0, -9), 200, { 'content-encoding': 'gzip' })]
]
for (const [what, behaviour] of passing) {
  t.test(`after ${what} a GET is sent again`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t)
    server.plan(behaviour)
    const result = upstream.json('/x')
    await time.pass(what.endsWith('429') ? 500 : 250)
    t.strictSame(await result, { ok: true })
    t.equal(server.arrivals.length, 2)
  })
}

const lost = [
  'EAI_AGAIN', 'ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH',
  'ENOTFOUND', 'EPIPE',
  'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'
]
for (const code of [...lost, 'CERT_HAS_EXPIRED', 'EPROTO', 'EACCES', '']) {
  const isLost = lost.includes(code)
  t.test(`after a connection that fails with ${code || 'no code'} a GET is ${isLost ? '' : 'not '}sent again`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t, { retries: 1 })
    const { connect } = net
    let attempts = 0
    replace(t, net, 'connect', ((...args: Parameters<typeof connect>) => {
      if (attempts++ > 0) return connect(...args)
      return new net.Socket().destroy(Object.assign(new Error('secret'), code === '' ? {} : { code }))
    }) as typeof connect)
    const result = upstream.json<unknown>('/x').catch(error => error)
    await time.passUntil(result)
    if (isLost) t.strictSame(await result, { ok: true })
    else {
      t.equal(
        ((await result as Error).cause as Error).message,
        `GET ${new URL(server.url).host}/v3/x: the connection broke (${code || 'Error'})`
      )
    }
    t.equal(attempts, isLost ? 2 : 1)
  })
}

t.test('after its time limit an attempt is ended and sent again', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t)
  server.plan(hang)
  const result = upstream.json('/x')
  await server.arrived(1)
  await time.pass(8000)
  await server.arrivals[0]!.ended
  await time.pass(250)
  t.strictSame(await result, { ok: true })
})

for (const status of [302, 400, 401, 402, 403, 404, 409, 410, 451, 501, 505]) {
  t.test(`after the status ${status} nothing is sent again`, async t => {
    const { server, upstream } = await build(t)
    server.plan(fail(status))
    await t.rejects(upstream.json('/x'))
    t.equal(server.arrivals.length, 1)
  })
}

t.test('a POST is sent again only if it says that it may be', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t)
  server.plan(fail(503))
  await t.rejects(upstream.json('/x', { json: {} }), { name: 'UpstreamError' })
  t.equal(server.arrivals.length, 1)
  server.plan(fail(503))
  const result = upstream.json('/x', { json: { id: 1 }, idempotent: true })
  await time.pass(250)
  t.strictSame(await result, { ok: true })
  t.strictSame(server.arrivals.map(({ body }) => String(body)), ['{}', '{"id":1}', '{"id":1}'])
  server.plan(hangUp)
  await t.rejects(upstream.json('/x', { idempotent: false }), { name: 'UpstreamError' })
})

t.test('the waits double, and the last error goes out when the repetitions are over', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 4, breaker: false })
  server.plan(fail(500), fail(502), fail(503), fail(502), fail(500))
  const result = t.rejects(upstream.json('/x'), { cause: { message: /: 500$/ } })
  for (const [index, wait] of [250, 500, 1000, 2000].entries()) {
    await server.arrived(index + 1)
    await time.pass(wait)
  }
  await result
  t.equal(server.arrivals.length, 5)
})

t.test('no wait is longer than 5 seconds unless the upstream asks for it, and a part of it is random', async t => {
  const time = fakeTime(t)
  t.capture(Math, 'random', () => 0.999)
  const { server, upstream } = await build(t, { retries: 5, breaker: false, maxWait: 60_000, budget: 60_000 })
  server.always(fail(500))
  const result = t.rejects(upstream.json('/x'))
  for (const wait of [750, 1499, 2998, 5000, 5000]) await time.pass(wait)
  await result
})

t.test('Retry-After is the least wait, with a tenth at most at random', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t)
  server.plan(fail(503, { 'retry-after': '3' }), fail(503, { 'retry-after': 'Thu, 01 Jan 2026 00:00:04 GMT' }))
  const result = upstream.json('/x')
  await time.pass(3000)
  t.capture(Math, 'random', () => 0.999)
  await time.pass(1499)
  t.strictSame(await result, { ok: true })

  server.plan(fail(503, { 'retry-after': '4' }))
  const again = upstream.json('/x')
  await time.pass(4400)
  t.strictSame(await again, { ok: true })
})

t.test('a wait longer than maxWait is not started: the error is thrown at once, with the seconds', async t => {
  fakeTime(t)
  const { server, upstream } = await build(t)
  server.plan(fail(503, { 'retry-after': '6' }))
  await t.rejects(upstream.json('/x'), { name: 'UpstreamError', retryAfterSeconds: 6 })
  const withLess = await build(t, { maxWait: 249 })
  withLess.server.plan(fail(503))
  await t.rejects(withLess.upstream.json('/x'), { name: 'UpstreamError', cause: { message: /: 503$/ }, retryAfterSeconds: 1 })
})

t.test('all waits of one call together are within maxWait', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { maxWait: 1000, retries: 9 })
  server.always(fail(503))
  const result = t.rejects(upstream.json('/x'), { cause: { message: /: 503$/ }, retryAfterSeconds: 1 })
  await time.pass(250)
  await time.pass(500)
  await result
  t.equal(server.arrivals.length, 3)
})

for (const retries of [0, 1]) {
  t.test(`a request may say that it is repeated ${retries} times`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t)
    server.always(fail(503))
    const result = t.rejects(upstream.json('/x', { retries }))
    for (let repetition = 0; repetition < retries; repetition++) await time.pass(250)
    await result
    t.equal(server.arrivals.length, retries + 1)
  })
}
