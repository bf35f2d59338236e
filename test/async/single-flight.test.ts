import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { SingleFlight } from '../../lib/async/single-flight.ts'
import { fakeTime } from '../fake-time.ts'
import { deferred } from '../helper.ts'

t.test('equal calls at the same time are one, and each gets its result', async t => {
  const shared = new SingleFlight<string>()
  const result = deferred<string>()
  let calls = 0
  const call = (key: string) => shared.do(key, async () => {
    calls++
    return await result.promise + key
  })
  const results = ['a', 'a', 'b'].map(call)
  result.resolve('of ')
  t.strictSame(await Promise.all(results), ['of a', 'of a', 'of b'])
  t.equal(calls, 2)
  await call('a')
  t.equal(calls, 3, 'a call after the end is another one')
})

t.test('all who wait get the error, and the next call is another one', async t => {
  const shared = new SingleFlight<string>()
  const fail = () => shared.do('a', async () => { throw new Error('failed') })
  const results = [fail(), fail()]
  for (const result of results) await t.rejects(result, { message: 'failed' })
  t.equal(await shared.do('a', async () => 'fine'), 'fine')
})

t.test('who leaves ends no call that others wait for; the last one does', async t => {
  const shared = new SingleFlight<string>()
  const leaving = [new AbortController(), new AbortController()]
  const signals: AbortSignal[] = []
  const call = (signal?: AbortSignal) => shared.do('a', signal => {
    signals.push(signal)
    return new Promise(() => {})
  }, signal)
  const results = leaving.map(({ signal }) => call(signal))
  leaving[0]!.abort(new Error('first'))
  await t.rejects(results[0]!, { message: 'first' })
  t.equal(signals[0]!.aborted, false)
  leaving[1]!.abort(new Error('second'))
  await t.rejects(results[1]!, { message: 'second' })
  t.equal(signals[0]!.aborted, true)
  call(AbortSignal.timeout(1_000_000)).catch(() => {})
  await setImmediate()
  t.equal(signals.length, 2, 'nobody joins a call that was aborted')
})

t.test('after the time limit all who wait get a TimeoutError, and the signal is aborted', async t => {
  const time = fakeTime(t)
  const shared = new SingleFlight<string>(1000)
  let signal: AbortSignal | undefined
  const call = () => shared.do('a', given => {
    signal = given
    return new Promise(() => {})
  })
  const results = [call(), call()]
  for (const result of results) result.catch(() => {})
  time.advance(999)
  t.equal(signal!.aborted, false)
  time.advance(1)
  for (const result of results) await t.rejects(result, { name: 'TimeoutError' })
  t.equal(signal!.aborted, true)
})
