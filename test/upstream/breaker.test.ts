import t from 'tap'
import { answer, fail, hang, hangUp, hold } from '../faulty-upstream.ts'
import { fakeTime } from '../fake-time.ts'
import { build, createLog } from './helper.ts'

t.test('the error that stops all calls tells the longer one of its own Retry-After and the pause', async t => {
  for (const [asked, pause, told] of [[1, 60_000, 60], [90, 60_000, 90], [1, 90_000, 90]] as const) {
    const { server, upstream } = await build(t, { maxWait: 0, breaker: { failures: 1, pause } })
    server.plan(fail(503, { 'retry-after': String(asked) }))
    await t.rejects(upstream.json('/x', { retries: 0 }), { cause: { message: /: 503$/ }, retryAfterSeconds: told })
    const { server: other, upstream: repeating } = await build(t, { maxWait: 0, breaker: { failures: 1, pause } })
    other.plan(fail(503, { 'retry-after': String(asked) }))
    await t.rejects(repeating.json('/x'), { cause: { message: /: 503$/ }, retryAfterSeconds: told })
  }
})

t.test('failures in a row stop all calls; then one goes first; the pause doubles up to a minute', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0, breaker: { failures: 3, pause: 20_000 } })
  const { lines, log } = createLog()
  const api = upstream.for({ log, account: 'a' })
  server.plan(fail(500), answer(), fail(503), fail(404), fail(500), fail(502))
  const refused = async (api = upstream, error = { cause: { message: /./ } }) => {
    time.advance(250)
    await t.rejects(api.json('/x'), error)
  }
  await refused()
  await upstream.json('/x')
  for (let call = 0; call < 4; call++) await refused()
  t.strictSame(await upstream.json('/x'), { ok: true }, 'a success and a 404 begin the row anew')

  server.plan(...Array.from({ length: 6 }, () => fail(500)))
  for (let call = 0; call < 3; call++) await refused(upstream.for({ log }), { cause: { message: /: 500$/ } })
  for (const pause of [20_000, 40_000, 60_000, 60_000]) {
    await t.rejects(upstream.json('/x'), {
      name: 'UpstreamError',
      cause: { message: 'not called, since the upstream keeps failing' },
      retryAfterSeconds: pause / 1000
    })
    time.advance(pause)
    if (lines.filter(({ level }) => level === 'warn').length < 4) {
      await t.rejects(upstream.for({ log }).json('/x'), { cause: { message: /: 500$/ } })
    }
  }
  t.strictSame(await api.for({ signal: new AbortController().signal }).json('/x'), { ok: true })
  t.strictSame(await upstream.json('/x'), { ok: true })
  const warnings = lines.filter(({ level }) => level === 'warn')
  t.strictSame(warnings.map(({ line, message }) => [line.pause, message]),
    [20_000, 40_000, 60_000, 60_000].map(pause => [pause, 'upstream failing']))
})

t.test('after a success the pause is short again', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0, breaker: { failures: 1, pause: 1000 } })
  server.plan(fail(500), fail(500), answer(), fail(500))
  await t.rejects(upstream.json('/x'))
  time.advance(1000)
  await t.rejects(upstream.json('/x'))
  time.advance(2000)
  await upstream.json('/x')
  await t.rejects(upstream.json('/x'))
  await t.rejects(
    upstream.json('/x'), { cause: { message: 'keeps failing' }, retryAfterSeconds: 1, name: 'UpstreamError' }
  )
})

t.test('a call ended by its caller counts for nothing, nor does it as the first one after a pause', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0, breaker: { failures: 2, pause: 1000 } })
  async function leave (arrivals: number) {
    const controller = new AbortController()
    const gone = t.rejects(upstream.for({ signal: controller.signal }).json('/x'))
    await server.arrived(arrivals)
    controller.abort()
    await gone
  }
  server.plan(fail(500), hang, fail(500), hang, fail(500))
  await t.rejects(upstream.json('/x'))
  await leave(2)
  time.advance(250)
  await t.rejects(upstream.json('/x'))
  await t.rejects(upstream.json('/x'), { cause: { message: 'keeps failing' }, name: 'UpstreamError' })
  time.advance(1000)
  await leave(4)
  await t.rejects(upstream.json('/x'), { cause: { message: /: 500$/ } })
  await t.rejects(
    upstream.json('/x'), { cause: { message: 'keeps failing' }, retryAfterSeconds: 2, name: 'UpstreamError' }
  )
})

t.test('attempts ended by their time limit or the budget are failures, those ended by the caller are not', async t => {
  const time = fakeTime(t)
  const { server, upstream } =
    await build(t, { retries: 0, maxWait: 0, budget: 9000, breaker: { failures: 2, pause: 1000 } })
  server.always(hang)
  for (let call = 0; call < 3; call++) {
    const controller = new AbortController()
    const gone = t.rejects(upstream.for({ signal: controller.signal }).json('/x'))
    await server.arrived(call + 1)
    controller.abort()
    await gone
  }
  const late = t.rejects(upstream.json('/x'), { name: 'TimeoutError' })
  await server.arrived(4)
  await time.pass(8000)
  await late
  const over = t.rejects(upstream.json('/x', { timeout: 20_000 }), {
    name: 'TimeoutError', cause: { message: 'no time is left' }
  })
  await server.arrived(5)
  await time.pass(9000)
  await over
  await t.rejects(upstream.json('/x'), { cause: { message: 'keeps failing' }, name: 'UpstreamError' })
})

const outcomes = [
  ['opens the breaker, goes', answer(), undefined],
  ['fails, gets the longer pause', fail(500),
    {
      name: 'UpstreamError', cause: { message: 'not called, since the upstream keeps failing' }, retryAfterSeconds: 2
    }],
  ['hangs, is as long as maxWait', hang,
    { name: 'UpstreamError', cause: { message: 'not called, since the upstream keeps failing' }, retryAfterSeconds: 1 }]
] as const
for (const [what, behaviour, error] of outcomes) {
  t.test(`a call that waits for the first one after a pause, which ${what}`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t, { retries: 0, maxWait: 1500, breaker: { failures: 1, pause: 1000 } })
    const slow = hold(behaviour)
    server.plan(fail(500), slow.behaviour)
    await t.rejects(upstream.json('/x'))
    const first = upstream.json('/x').catch(() => {})
    await time.pass(1000)
    await server.arrived(2)
    const second = upstream.json('/x')
    const settled = error === undefined ? second : t.rejects(second, error)
    await time.awaited(1500)
    slow.release()
    if (behaviour === hang) time.advance(1500)
    await settled
    time.advance(8000)
    await first
  })
}

t.test('without a breaker nothing stops', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, breaker: false })
  server.plan(...Array.from({ length: 9 }, () => fail(500)))
  for (let call = 0; call < 9; call++, time.advance(250)) await t.rejects(upstream.json('/x'), { cause: { message: /: 500$/ } })
  t.strictSame(await upstream.json('/x'), { ok: true })
})

t.test('what errors makes of a 5xx is a failure still', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0, breaker: { failures: 2, pause: 1000 } })
  server.always(fail(500))
  await t.rejects(upstream.json('/x', { errors: { 500: () => new Error('made') } }), { message: 'made' })
  time.advance(250)
  await t.rejects(upstream.json('/x', { errors: { 500: () => { throw new Error('thrown') } } }), { message: 'thrown' })
  await t.rejects(upstream.json('/x'), { cause: { message: 'keeps failing' }, name: 'UpstreamError' })
})

t.test('failures within 250 ms are one', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0, breaker: { failures: 2, pause: 1000 } })
  server.always(fail(500))
  for (const wait of [0, 249, 1]) {
    time.advance(wait)
    await t.rejects(upstream.json('/x'), { cause: { message: /: 500$/ } })
  }
  await t.rejects(
    upstream.json('/x'), { cause: { message: 'keeps failing' }, retryAfterSeconds: 1, name: 'UpstreamError' }
  )
})

for (const calls of [1, 4, 8, 50]) {
  t.test(`an upstream that ends all connections for 100 ms while ${calls} calls run answers all of them within 2 s`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t)
    const blip = hold(hangUp)
    server.always(blip.behaviour)
    const begun = time.now()
    const results = Array.from({ length: calls }, () => upstream.json('/x'))
    await server.arrived(Math.min(calls, 16))
    server.always(hangUp)
    blip.release()
    await server.arrived(calls)
    // Calls that begin while nothing works.
    results.push(...results.map(() => upstream.json('/x')))
    await server.arrived(2 * calls)
    time.advance(100)
    server.always(answer())
    await time.passUntil(Promise.all(results))
    for (const result of results) t.strictSame(await result, { ok: true })
    t.ok(time.now() - begun <= 2000, `${time.now() - begun} ms`)
  })
}

t.test('after the pause all that wait go at once when the first one is good', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t)
  const { lines, log } = createLog()
  server.always(fail(503))
  const failing = t.rejects(upstream.json('/x', { retries: 0 }))
  await failing
  for (let call = 1; call < 5; call++) {
    time.advance(250)
    await t.rejects(upstream.for({ log }).json('/x', { retries: 0 }))
  }
  t.strictSame(lines.filter(({ level }) => level === 'warn').map(({ line }) => line.pause), [1000])
  const first = hold()
  server.plan(first.behaviour)
  server.always(answer())
  const rest = Array.from({ length: 20 }, () => upstream.json('/x'))
  await time.pass(1000, 20)
  await server.arrived(6)
  first.release()
  await time.passUntil(Promise.all(rest))
  t.equal(server.arrivals.length, 25)
})
