import t from 'tap'
import { answer, fail, hang, hangUp, hold, limit } from '../faulty-upstream.ts'
import { fakeTime } from '../fake-time.ts'
import { sleep } from '../../lib/async/sleep.ts'
import { build, createLog } from './helper.ts'

t.test('the calls of one scope share a budget, from the first call on; those of a scope within it too', async t => {
  const time = fakeTime(t)
  const { server, upstream, host } = await build(t, { budget: 10_000 })
  const outer = upstream.for({ account: 'a' })
  const inner = outer.for({ headers: { 'x-more': '1' } })
  time.advance(20_000)
  await inner.json('/x')
  time.advance(9000)
  await outer.json('/x')
  server.plan(hang)
  const late =
    t.rejects(inner.json('/x'), { name: 'TimeoutError', cause: { message: `GET ${host}/v3/x: no time is left for this call` } })
  await server.arrived(3)
  await time.pass(1000)
  await late
  await t.rejects(outer.json('/x'), { name: 'TimeoutError' })
  t.strictSame(await upstream.for({ account: 'a' }).json('/x'), { ok: true })
  t.strictSame(await upstream.json('/x'), { ok: true })
})

t.test('when the budget ends in a later attempt, the error is that of the attempt before', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { budget: 3000 })
  server.plan(fail(503), hang)
  const result = t.rejects(upstream.json('/x'), { name: 'UpstreamError', cause: { message: /: 503$/ } })
  await time.pass(250)
  await server.arrived(2)
  await time.pass(2750)
  await result
})

t.test('a wait that the budget does not have is not begun', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { budget: 1000 })
  const slow = hold(fail(503))
  server.plan(slow.behaviour)
  const result = t.rejects(upstream.json('/x'), { cause: { message: /: 503$/ }, retryAfterSeconds: 1 })
  await server.arrived(1)
  time.advance(800)
  slow.release()
  await result
})

t.test('the signal ends an attempt, a wait and a body at once, with its reason', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t)
  const reason = new Error('The client hung up')
  for (const [index, behaviour] of [hang, fail(503), answer()].entries()) {
    const controller = new AbortController()
    server.plan(behaviour)
    if (index === 2) controller.abort(reason)
    const result = t.rejects(upstream.for({ signal: controller.signal }).json('/x'), reason)
    if (index === 0) await server.arrived(1)
    if (index === 1) await time.awaited(250)
    controller.abort(reason)
    await result
  }
  t.equal(server.arrivals.length, 2)
})

t.test('no listener stays on a signal', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t)
  const { signal } = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener =
    (...args: Parameters<typeof addEventListener>) => { listeners++; addEventListener.apply(signal, args) }
  signal.removeEventListener =
    (...args: Parameters<typeof removeEventListener>) => { listeners--; removeEventListener.apply(signal, args) }
  server.plan(answer(), fail(503), answer(), fail(404))
  const api = upstream.for({ signal, account: 'a' })
  await api.json('/x')
  const repeated = api.json('/x')
  await time.pass(250)
  await repeated
  await t.rejects(api.json('/x'))
  t.equal(listeners, 0)
})

t.test('many calls at once on one signal are no warning', async t => {
  const { upstream } = await build(t)
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const api = upstream.for({ signal: new AbortController().signal })
  await Promise.all(Array.from({ length: 20 }, () => api.json('/x')))
  t.strictSame(warnings, [])
})

t.test('close ends what runs and what waits, and later calls, each with an error of the contract', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t)
  server.plan(hang, fail(503))
  const closed = { name: 'UpstreamError', message: 'The upstream client is closed' }
  const running = t.rejects(upstream.json('/x'), closed)
  await server.arrived(1)
  const waiting = t.rejects(upstream.for({ account: 'a' }).json('/x'), closed)
  await time.awaited(250)
  await Promise.all([upstream.for({}).close(), upstream.close()])
  await Promise.all([running, waiting])
  await t.rejects(upstream.json('/x'), closed)
  t.equal(server.arrivals.length, 2)
})

t.test('nothing waits for a signal that is aborted already', async t => {
  await t.rejects(sleep(60_000, AbortSignal.abort(new Error('gone'))), { message: 'gone' })
})

t.test('every attempt is a debug line, every stop a warn line, and nothing of a secret is in them', async t => {
  const time = fakeTime(t)
  const { server, upstream } = await build(t, { headers: { authorization: 'secret' } })
  const { lines, log } = createLog()
  server.plan(limit(1), hangUp)
  const result = upstream.for({ log, account: 'a', headers: { cookie: 'secret' } })
    .json('/songs', { query: { token: 'secret' }, json: 'secret', idempotent: true })
  await time.pass(1000)
  await time.pass(500)
  await result
  const common = { method: 'POST', origin: server.url, path: '/v3/songs', account: 'a' }
  t.strictSame(lines, [
    { level: 'debug', line: { ...common, status: 429, code: undefined, ms: 0, attempt: 1 }, message: 'upstream call' },
    { level: 'warn', line: { ...common, status: 429, pause: 1000 }, message: 'upstream rate limited' },
    {
      level: 'debug',
      line: { ...common, status: undefined, code: 'UND_ERR_SOCKET', ms: 0, attempt: 2 },
      message: 'upstream call'
    },
    { level: 'debug', line: { ...common, status: 200, code: undefined, ms: 0, attempt: 3 }, message: 'upstream call' }
  ])
  t.notMatch(JSON.stringify(lines), 'secret')
})
