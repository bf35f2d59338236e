import t from 'tap'
import { RateLimitedError } from 'fastify-source-origin'
import { answer, fail, hang, hold, limit } from '../faulty-upstream.ts'
import { fakeTime } from '../fake-time.ts'
import { replace } from '../replace.ts'
import { build, createLog } from './helper.ts'

t.test('a 429 stops the account until Retry-After; then one call goes first, on success the rest', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t)
  const { lines, log } = createLog()
  const [a, b] = [upstream.for({ account: 'a', log }), upstream.for({ account: 'b' })]
  const slow = hold()
  server.plan(limit(2), answer(), slow.behaviour)
  await t.rejects(a.json('/first', { retries: 0 }), { name: 'RateLimitedError', retryAfterSeconds: 2 })
  t.strictSame(lines.map(({ level }) => level), ['debug', 'warn'])

  const rest = [a.json('/x'), a.json('/x'), a.json('/x')]
  await time.awaited(2000, 3)
  t.strictSame(await b.json('/other'), { ok: true })
  time.advance(2000)
  await server.arrived(3)
  await time.awaited(3000, 2)
  t.equal(server.arrivals.length, 3)
  slow.release()
  await Promise.all(rest)
  t.equal(server.arrivals.length, 5)
})

t.test('without Retry-After the pause is half a second, doubled by each 429, as before after a success', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0 })
  const { lines, log } = createLog()
  const api = upstream.for({ account: 'a', log })
  server.plan(limit(), limit(), limit(), answer(), limit())
  for (const pause of [500, 1000, 2000]) {
    await t.rejects(api.json('/x'), { name: 'RateLimitedError', retryAfterSeconds: Math.ceil(pause / 1000) })
    time.advance(pause - 1)
    await t.rejects(api.json('/x'), {
      name: 'RateLimitedError',
      cause: {
        message: 'not called, since the upstream limits the calls'
      },
      retryAfterSeconds: 1
    })
    time.advance(1)
  }
  await api.json('/x')
  await t.rejects(api.json('/x'), { retryAfterSeconds: 1, name: 'RateLimitedError' })
  t.strictSame(lines.filter(({ level }) => level === 'warn').map(({ line }) => line.pause), [500, 1000, 2000, 500])
})

t.test('several calls under way get one pause, not a doubled one; the longest Retry-After counts', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0 })
  const api = upstream.for({ account: 'a' })
  const [first, second, third] = [hold(limit()), hold(limit()), hold(limit(4))]
  server.plan(first.behaviour, second.behaviour, third.behaviour)
  const calls = [first, second, third].map(() => t.rejects(api.json('/x'), { name: 'RateLimitedError' }))
  await server.arrived(3)
  for (const { release } of [first, second, third]) release()
  await Promise.all(calls)
  time.advance(3999)
  await t.rejects(api.json('/x'), { cause: { message: 'not called' }, retryAfterSeconds: 1, name: 'RateLimitedError' })
  time.advance(1)
  t.strictSame(await api.json('/x'), { ok: true })
})

t.test('a shorter Retry-After does not shorten the pause, nor does what has nothing to do with it', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0 })
  const api = upstream.for({ account: 'a' })
  const [first, second, third] = [hold(limit(4)), hold(limit(1)), hold(fail(404))]
  server.plan(first.behaviour, second.behaviour, third.behaviour)
  const calls: Promise<any>[] = []
  for (const count of [1, 2, 3]) {
    calls.push(api.json('/x').catch(error => error))
    await server.arrived(count)
  }
  const ended: any[] = []
  for (const [index, { release }] of [first, second, third].entries()) {
    release()
    ended.push(await calls[index])
  }
  t.match(ended, [
    { name: 'RateLimitedError' }, { name: 'RateLimitedError' }, { name: 'NotFoundError', retryAfterSeconds: undefined }
  ])
  time.advance(3999)
  await t.rejects(api.json('/x'), { cause: { message: 'not called' }, name: 'RateLimitedError' })
  time.advance(1)
  t.strictSame(await api.json('/x'), { ok: true })
})

t.test('a cool-down longer than maxWait is not waited for', async t => {
  fakeTime(t)
  const { server, upstream } = await build(t)
  server.plan(limit(6))
  const api = upstream.for({ account: 'a' })
  await t.rejects(api.json('/x'), { name: 'RateLimitedError', cause: { message: /: 429$/ }, retryAfterSeconds: 6 })
  await t.rejects(api.json('/x', { json: {} }), {
    name: 'RateLimitedError', cause: { message: 'not called' }, retryAfterSeconds: 6
  })
  t.equal(server.arrivals.length, 1)
})

t.test('a cool-down goes on while the machine sleeps', async t => {
  const time = fakeTime(t)
  let slept = 0
  // As on Linux.
  replace(t, performance, 'now', () => time.now() - slept)
  const { server, upstream } = await build(t)
  server.plan(limit(3600))
  const api = upstream.for({ account: 'a' })
  await t.rejects(api.json('/x'), { name: 'RateLimitedError', retryAfterSeconds: 3600 })
  slept = 3_600_000
  time.advance(slept)
  t.strictSame(await api.json('/x'), { ok: true })
})

t.test('when the first one after a pause gets 429 again, the pause doubles for all', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t)
  const api = upstream.for({ account: 'a' })
  const slow = hold(limit())
  server.plan(limit(), slow.behaviour)
  await t.rejects(api.json('/x', { retries: 0 }), { name: 'RateLimitedError' })
  const both = [api.json('/x'), api.json('/x')]
  await time.pass(500, 2)
  await server.arrived(2)
  slow.release()
  await time.pass(1000, 2)
  await Promise.all(both)
  t.equal(server.arrivals.length, 4)
})

for (const [what, behaviour] of [['fails', fail(503)], ['hangs up', hang]] as const) {
  t.test(`when the first one after a pause ${what}, the next one goes first`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t, { breaker: false, retries: 0 })
    const controller = new AbortController()
    server.plan(limit(), behaviour)
    await t.rejects(upstream.for({ account: 'a' }).json('/x'), { name: 'RateLimitedError' })
    const first = t.rejects(upstream.for({ account: 'a', signal: controller.signal }).json('/x'))
    await time.awaited(500)
    const next = upstream.for({ account: 'a' }).json('/x')
    await time.pass(500, 2)
    await server.arrived(2)
    controller.abort(new Error('gone'))
    await first
    t.strictSame(await next, { ok: true })
  })
}

t.test('calls that wait for a place when their account is stopped do not go', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { accountConcurrency: 1, retries: 0 })
  const api = upstream.for({ account: 'a' })
  const slow = hold(limit(2))
  server.plan(slow.behaviour)
  const first = t.rejects(api.json('/x'), { name: 'RateLimitedError' })
  const second = api.json('/x')
  await server.arrived(1)
  slow.release()
  await first
  await time.awaited(2000)
  t.equal(server.arrivals.length, 1)
  time.advance(2000)
  t.strictSame(await second, { ok: true })
})

t.test('those who wait for the end of a pause are in the queue too', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { queue: 1 })
  const api = upstream.for({ account: 'a' })
  server.plan(limit())
  await t.rejects(api.json('/x', { retries: 0 }), { name: 'RateLimitedError' })
  const waiting = api.json('/x')
  await time.awaited(500)
  await t.rejects(api.json('/x'), {
    name: 'RateLimitedError', cause: { message: 'too many calls are waiting' }, retryAfterSeconds: 1
  })
  time.advance(500)
  t.strictSame(await waiting, { ok: true })
})

t.test('a 429 for a call without an account stops every account', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0 })
  server.plan(limit(3), limit())
  await t.rejects(upstream.json('/x'), { name: 'RateLimitedError', retryAfterSeconds: 3 })
  await t.rejects(upstream.for({ account: 'b' }).json('/x'), { name: 'RateLimitedError', retryAfterSeconds: 3 })
  await t.rejects(upstream.json('/x'), { name: 'RateLimitedError', retryAfterSeconds: 3 })
  time.advance(3000)
  await t.rejects(upstream.for({ account: 'b' }).json('/x'), { name: 'RateLimitedError', cause: { message: /: 429$/ } })
})

t.test('a 429 whose body cannot be read starts a cool-down, also where errors wanted it', async t => {
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0 })
  const api = upstream.for({ account: 'a' })
  server.plan(fail(429, { 'retry-after': '60', 'content-encoding': 'zstd' }))
  const errors = { 429: () => new Error('mapped') }
  for (const message of [/: 429$/, /not called/]) {
    await t.rejects(api.json('/x', { errors }), { name: 'RateLimitedError', cause: { message }, retryAfterSeconds: 60 })
  }
  t.equal(server.arrivals.length, 1)
})

t.test('a check that throws a RateLimitedError starts a cool-down', async t => {
  const { server, upstream } = await build(t, { maxWait: 0 })
  const api = upstream.for({ account: 'a' })
  const check = () => { throw new RateLimitedError('busy', { retryAfterSeconds: 3 }) }
  await t.rejects(api.json('/x', { check }), { message: 'busy' })
  await t.rejects(api.json('/x'), { name: 'RateLimitedError', cause: { message: 'not called' }, retryAfterSeconds: 3 })
  t.equal(server.arrivals.length, 1)
})

t.test('neither a 429 nor a success of a call that was under way changes a pause of half a second', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0 })
  const api = upstream.for({ account: 'a' })
  const [first, second, third] = [hold(limit()), hold(limit()), hold(answer())]
  server.plan(first.behaviour, second.behaviour, third.behaviour)
  const calls = [1, 2, 3].map(() => api.json('/x').catch(() => {}))
  await server.arrived(3)
  for (const { release } of [first, second, third]) release()
  await Promise.all(calls)
  time.advance(499)
  await t.rejects(api.json('/x'), { name: 'RateLimitedError', cause: { message: 'not called' } })
  time.advance(1)
  t.strictSame(await api.json('/x'), { ok: true })
})

for (const [what, behaviour] of [['succeeds', answer()], ['gets another 429', limit()]] as const) {
  t.test(`a Retry-After that comes while the first one is out stands, although that one ${what}`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t, { retries: 0, maxWait: 0 })
    const api = upstream.for({ account: 'a' })
    const [slow, first] = [hold(limit(6)), hold(behaviour)]
    server.plan(slow.behaviour, limit(), first.behaviour)
    const slowCall = t.rejects(api.json('/x'), { name: 'RateLimitedError', retryAfterSeconds: 6 })
    await server.arrived(1)
    await t.rejects(api.json('/x'), { name: 'RateLimitedError' })
    time.advance(500)
    const firstCall = api.json('/x').catch(() => {})
    await server.arrived(3)
    slow.release()
    await slowCall
    first.release()
    await firstCall
    time.advance(5999)
    await t.rejects(
      api.json('/x'), { name: 'RateLimitedError', cause: { message: 'not called' }, retryAfterSeconds: 1 }
    )
    time.advance(1)
    t.strictSame(await api.json('/x'), { ok: true })
  })
}

for (const retryAfterSeconds of [NaN, Infinity, -1]) {
  t.test(`a RateLimitedError of an author that says ${retryAfterSeconds} does not stop calls for ever`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t)
    server.plan(fail(403))
    const errors = { 403: () => new RateLimitedError('slow down', { retryAfterSeconds }) }
    await t.rejects(upstream.for({ account: 'a' }).json('/x', { errors }), { message: 'slow down' })
    time.advance(86_400_000)
    t.strictSame(await upstream.for({ account: 'a' }).json('/x'), { ok: true })
  })
}

t.test('the pauses of an account that stays away are forgotten when another one comes', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { retries: 0, maxWait: 0 })
  const { lines, log } = createLog()
  const api = () => upstream.for({ account: 'a', log })
  for (const away of [31_000, 30_000, 0]) {
    server.plan(limit())
    await t.rejects(api().json('/x'), { name: 'RateLimitedError', cause: { message: /: 429$/ } })
    time.advance(1000 + away)
    await upstream.for({ account: 'b' }).json('/x')
  }
  t.strictSame(lines.filter(({ level }) => level === 'warn').map(({ line }) => line.pause), [500, 500, 500])
})
