import { getEventListeners } from 'node:events'
import t from 'tap'
import { SingleFlight } from '../../lib/async/single-flight.ts'
import { deferred } from '../helper.ts'

/** Calls that the test settles; they count how often they were started. */
function startable () {
  const { promise, resolve, reject } = deferred<string>()
  const signals: AbortSignal[] = []
  const run = (signal: AbortSignal) => {
    signals.push(signal)
    return promise
  }
  return { run, signals, resolve, reject }
}

t.test('calls of one key at the same time are one', async t => {
  const calls = new SingleFlight()
  const { run, signals, resolve } = startable()
  const results = [calls.join('a', undefined, run), calls.join('a', undefined, run)]
  resolve('answer')
  t.strictSame(await Promise.all(results), ['answer', 'answer'])
  t.equal(signals.length, 1)
})

t.test('calls of another key, and those after the end, are calls of their own', async t => {
  const calls = new SingleFlight()
  let number = 0
  const run = async () => ++number
  t.strictSame(await Promise.all([calls.join('a', undefined, run), calls.join('b', undefined, run)]), [1, 2])
  t.equal(await calls.join('a', undefined, run), 3)
  t.equal(calls.size, 0)
})

t.test('all callers get the error, and the next call is a new one', async t => {
  const calls = new SingleFlight()
  const { run, reject } = startable()
  const results = [calls.join('a', undefined, run), calls.join('a', undefined, run)]
  reject(new Error('broken'))
  for (const result of results) await t.rejects(result, { message: 'broken' })
  t.equal(await calls.join('a', undefined, async () => 'works'), 'works')
})

t.test('what the function throws at once is an error of the call', async t => {
  const calls = new SingleFlight()
  await t.rejects(calls.join('a', undefined, () => { throw new Error('at once') }), { message: 'at once' })
  t.equal(calls.size, 0)
})

t.test('a caller that leaves does not end the call for the others', async t => {
  const calls = new SingleFlight()
  const { run, signals, resolve } = startable()
  const first = new AbortController()
  const left = calls.join('a', first.signal, run)
  const stays = calls.join('a', new AbortController().signal, run)
  first.abort(new Error('gone'))
  await t.rejects(left, { message: 'gone' })
  t.equal(signals[0]!.aborted, false)
  resolve('answer')
  t.equal(await stays, 'answer')
})

t.test('when the last caller leaves the call is aborted, and a new caller starts another', async t => {
  const calls = new SingleFlight()
  const { run, signals } = startable()
  const controllers = [new AbortController(), new AbortController()]
  const results = controllers.map(({ signal }) => calls.join('a', signal, run))
  for (const controller of controllers) controller.abort()
  await Promise.all(results.map(result => t.rejects(result)))
  t.equal(signals[0]!.aborted, true)
  t.equal(await calls.join('a', undefined, async () => 'another'), 'another')
})

t.test('a call that ends after all have left does not end the one that followed', async t => {
  const calls = new SingleFlight()
  const [old, fresh] = [startable(), startable()]
  const controller = new AbortController()
  const left = calls.join('a', controller.signal, old.run)
  controller.abort()
  await t.rejects(left)
  const result = calls.join('a', undefined, fresh.run)
  old.reject(new Error('late'))
  await new Promise(setImmediate)
  t.equal(calls.size, 1)
  fresh.resolve('fresh')
  t.equal(await result, 'fresh')
})

t.test('a call that has ended is not aborted', async t => {
  const calls = new SingleFlight()
  const { run, signals, resolve } = startable()
  const { signal } = new AbortController()
  const result = calls.join('a', signal, run)
  resolve('answer')
  await result
  t.equal(signals[0]!.aborted, false)
  t.strictSame(getEventListeners(signal, 'abort'), [])
})

t.test('a caller that has left before starts nothing', async t => {
  const calls = new SingleFlight()
  await t.rejects(calls.join('a', AbortSignal.abort(), async () => t.fail('started')))
  t.equal(calls.size, 0)
})
