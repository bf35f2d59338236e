import fc from 'fast-check'
import fastify from 'fastify'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import sourceOrigin, { SourceError, type Track } from 'fastify-source-origin'
import { answer, dieAt, faultsWith, rawAnswer, startFaultyUpstream, type Behaviour } from '../faulty-upstream.ts'
import { fakeTime } from '../fake-time.ts'
import { authorized, logged, token } from '../helper.ts'
import { build, upstreamWith } from './helper.ts'

const compressed = gzipSync('{"ok":true}')
const chunked = Buffer.concat([
  Buffer.from('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n'),
  Buffer.from(`${compressed.length.toString(16)}\r\n`), compressed, Buffer.from('\r\n0\r\n\r\n')
])
for (const [what, raw] of [['with its length', rawAnswer()], ['in gzip and chunks', chunked]] as const) {
  for (const how of ['end', 'reset'] as const) {
    t.test(`an answer ${what} whose connection dies (${how}) at any byte is asked for again`, async t => {
      const time = fakeTime(t)
      const { server, upstream } = await build(t, { breaker: false })
      for (let bytes = 0; bytes < raw.length; bytes++) {
        server.plan(dieAt(bytes, how, raw))
        const result = upstream.json('/x')
        await time.pass(250)
        t.strictSame(await result, { ok: true }, `byte ${bytes}`)
      }
      t.equal(server.arrivals.length, 2 * raw.length)
      server.plan(dieAt(raw.length, 'end', raw))
      t.strictSame(await upstream.json('/x'), { ok: true })
    })
  }
}

const secret = 'secret-of-the-upstream'
const faults: Record<string, Behaviour> = { answer: answer(), ...faultsWith(secret) }

/** A few turns of the event loop later, so that calls at the same time meet at the upstream. */
const slowly = (behaviour: Behaviour): Behaviour => async (response, arrival) => {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  await behaviour(response, arrival)
}

t.test('whatever the upstream does, a call ends in its budget with an error of the contract', async t => {
  const time = fakeTime(t)
  const accounts = ['a', 'b', 'c']
  const plans = fc.array(fc.constantFrom(...Object.keys(faults)), { maxLength: 60 })
  const calls = fc.array(fc.record({
    account: fc.option(fc.constantFrom(...accounts), { nil: undefined }),
    method: fc.constantFrom('GET', 'POST'),
    leaves: fc.option(fc.integer({ min: 0, max: 9000 }), { nil: undefined, freq: 6 })
  }), { minLength: 1, maxLength: 30 })

  const met = { atAll: 0, byAccount: 0 }
  await fc.assert(fc.asyncProperty(plans, calls, async (plan, calls) => {
    const server = await startFaultyUpstream(t)
    const upstream = upstreamWith({
      baseUrl: server.url, concurrency: 4, accountConcurrency: 2, queue: 10, timeout: 3000, budget: 9000, maxBody: 1000
    })
    server.plan(...plan.map(name => slowly(faults[name]!)))
    server.always(slowly(answer()))
    const begun = time.now()
    const left = new Error('left')
    const results = calls.map(async ({ account, method, leaves }) => {
      const controller = new AbortController()
      if (leaves !== undefined) setTimeout(() => controller.abort(left), leaves)
      const api = upstream.for({
        account, signal: controller.signal, headers: account === undefined ? {} : { 'x-account': account }
      })
      const result = await api.json<any>('/x', { method, query: { token: secret }, headers: { cookie: secret } })
        .catch(error => error)
      const told = () => JSON.stringify([result.message, String(result.cause), { ...result }])
      const isOurs = result instanceof SourceError && !told().includes(secret)
      return {
        isRight: isOurs || result.ok === true || (result === left && controller.signal.aborted),
        result,
        ended: time.now()
      }
    })
    await time.passUntil(Promise.all(results))
    for (const { isRight, result, ended } of await Promise.all(results)) {
      if (!isRight) throw new Error('a wrong outcome', { cause: result })
      if (ended - begun > 9000) throw new Error('too late')
    }
    const atAll = server.mostAtOnce()
    const byAccount = Math.max(...accounts.map(account => server.mostAtOnce(account)))
    if (atAll > 4) throw new Error(`${atAll} calls at once`)
    if (byAccount > 2) throw new Error(`${byAccount} calls of one account at once`)
    met.atAll = Math.max(met.atAll, atAll)
    met.byAccount = Math.max(met.byAccount, byAccount)
    await upstream.close()
  }), { numRuns: 30 })
  t.strictSame(met, { atAll: 4, byAccount: 2 })
})

const answers: [name: string, status: number, waits: number[]][] = [
  ['hang', 504, [8000, 250, 8000, 500, 8000]], ['hangInBody', 504, [8000, 250, 8000, 500, 8000]],
  ['hangUp', 502, [250, 500]], ['cut', 502, [250, 500]],
  ['limit', 429, [500, 1000]], ['limitOf60', 429, []], ['busy', 502, [2000, 2000]], ['gone', 404, []],
  ['forbidden', 502, []], ['bomb', 502, []],
  ['html', 502, []], ['redirect', 502, []], ['noHttp', 502, []]
]
for (const [name, status, waits] of answers) {
  t.test(`a client of a source whose upstream does "${name}" gets ${status} in the shape of the contract, and nothing of a secret`, async t => {
    const time = fakeTime(t)
    const { server, upstream } = await build(t, { maxBody: 1000, headers: { 'x-key': secret } })
    server.always(faults[name]!)
    const { lines, logger } = logged()
    const app = fastify({ logger: { ...logger, level: 'trace' } })
    t.teardown(() => app.close())
    await app.register(sourceOrigin, {
      resolveContext: ({ authorization, signal, request }) => {
        const api = upstream.for({ account: 'u-17', signal, log: request.log, headers: { cookie: secret } })
        const getTrackDetail = (id: string) => api.json<Track>('/songs', { query: { id, token: secret } })
        return authorization === token ? { adapter: { getTrackDetail } } : null
      }
    })
    // Fastify starts a request that is injected when its promise is asked for.
    const request = Promise.resolve(app.inject({ url: '/v1/track?id=1', headers: authorized }))
    for (const wait of waits) await time.pass(wait)
    const response = await request
    t.equal(response.statusCode, status)
    t.match(response.json(), { code: status, message: String, data: null })
    if (status === 429) t.match(response.headers['retry-after'], /^\d+$/)
    t.ok(lines.some(({ msg }) => msg === 'upstream call'))
    const { host } = new URL(server.url)
    t.notMatch(response.body, host)
    if (status >= 500) t.match(lines.find(({ msg }) => msg === 'request failed'), { err: { stack: host } })
    t.notMatch(JSON.stringify([response.headers, response.body, lines]), secret)
  })
}
