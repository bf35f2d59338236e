import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { answer, hang, hold } from '../faulty-upstream.ts'
import { fakeTime } from '../fake-time.ts'
import { build } from './helper.ts'

t.test('no more calls are at the upstream than there are places, in all and of one account', async t => {
  const { server, upstream } = await build(t, { concurrency: 5, accountConcurrency: 2 })
  const accounts = ['a', 'b', 'c', 'd']
  server.always(async (response, arrival) => {
    await (server.arrivals.length < 5 ? server.arrived(5) : setImmediate())
    await answer()(response, arrival)
  })
  await Promise.all(Array.from({ length: 100 }, (_, index) => {
    const account = accounts[index % accounts.length]!
    return upstream.for({ account, headers: { 'x-account': account } }).json('/x')
  }))
  t.equal(server.arrivals.length, 100)
  t.equal(server.mostAtOnce(), 5)
  for (const account of accounts) t.ok(server.mostAtOnce(account) <= 2)
})

t.test('a call that finds the queue full is refused at once; one that needs no place in it is not', async t => {
  const { server, upstream } = await build(t, { concurrency: 2, accountConcurrency: 1, queue: 1 })
  const slow = hold()
  server.always(slow.behaviour)
  const [a, b] = [upstream.for({ account: 'a' }), upstream.for({ account: 'b' })]
  const full = { name: 'RateLimitedError', cause: { message: 'too many calls are waiting' }, retryAfterSeconds: 1 }
  const running = [a.json('/x'), a.json('/x')]
  await t.rejects(a.json('/x'), full)
  running.push(b.json('/x'))
  await t.rejects(b.json('/x'), full)
  await t.rejects(upstream.json('/x'), full)
  slow.release()
  await Promise.all(running)
  t.equal(server.arrivals.length, 3)
})

t.test('with a queue of 0 calls go one after the other', async t => {
  const { upstream } = await build(t, { concurrency: 1, queue: 0 })
  for (let call = 0; call < 10; call++) await upstream.for({ account: 'a' }).json('/x')
  const results = await Promise.allSettled([upstream.json('/x'), upstream.json('/x')])
  t.strictSame(results.map(({ status }) => status), ['fulfilled', 'rejected'])
})

t.test('a call that waits leaves the queue at once when its signal is aborted or its budget ends', async t => {
  const time = fakeTime(t)
  const { server, upstream } =
    await build(t, { concurrency: 1, accountConcurrency: 1, queue: 2, budget: 5000, retries: 0 })
  server.plan(hang)
  const late = { name: 'TimeoutError', cause: { message: 'no time is left for this call' } }
  const first = t.rejects(upstream.json('/x'), late)
  const controller = new AbortController()
  const api = upstream.for({ signal: controller.signal, account: 'a' })
  const aborted = [api.json('/x'), api.json('/x')].map(call => t.rejects(call, { message: 'gone' }))
  controller.abort(new Error('gone'))
  await Promise.all(aborted)
  const waiting = [upstream.for({ account: 'a' }), upstream.for({ account: 'b' })].map(api =>
    t.rejects(api.json('/x'), late))
  await server.arrived(1)
  time.advance(5000)
  await Promise.all([first, ...waiting])
  t.equal(server.arrivals.length, 1)
  t.strictSame(await upstream.json('/x'), { ok: true })
})

t.test('a call aborted while it waits in the queue of its account ends at once, and others wait on', async t => {
  const { server, upstream } = await build(t, { accountConcurrency: 1 })
  const slow = hold()
  server.plan(slow.behaviour)
  const api = upstream.for({ account: 'a' })
  const running = api.json('/x')
  await server.arrived(1)
  const controller = new AbortController()
  const waiting = api.for({ signal: controller.signal }).json('/x')
  controller.abort(new Error('gone'))
  await t.rejects(waiting, { message: 'gone' })
  const next = api.json('/x')
  const other = upstream.for({ account: 'b' }).json('/x')
  await other
  t.equal(server.arrivals.length, 2)
  slow.release()
  await Promise.all([running, next])
})
