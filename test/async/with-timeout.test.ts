import { getEventListeners } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { TimedCall } from '../../lib/async/timed-call.ts'
import { withTimeout } from '../../lib/async/with-timeout.ts'
import { TimeoutError } from '../../lib/contract/errors.ts'
import { fakeTime } from '../fake-time.ts'
import { deferred } from '../helper.ts'

const never = () => new Promise<never>(() => {})

t.test('what the function returns or throws is what the caller gets', async t => {
  t.equal(await withTimeout(() => 1, {}), 1)
  t.equal(await withTimeout(async () => 2, { timeout: 1000 }), 2)
  await t.rejects(withTimeout(async () => { throw new Error('late') }, { timeout: 1000 }), { message: 'late' })
  await t.rejects(withTimeout(() => { throw new Error('at once') }, {}), { message: 'at once' })
})

t.test('after the time limit the caller gets the error, and the function\'s signal is aborted with it', async t => {
  const time = fakeTime(t)
  let signal: AbortSignal | undefined
  const result = withTimeout(controller => {
    signal = controller.signal
    return never()
  }, { timeout: 250.5, error: () => new Error('too late') })
  time.advance(250)
  t.equal(signal!.aborted, false)
  time.advance(1)
  await t.rejects(result, { message: 'too late' })
  t.equal(signal!.reason.message, 'too late')
})

t.test('without an error of its own the limit is a TimeoutError', async t => {
  const time = fakeTime(t)
  const result = withTimeout(never, { timeout: 1 })
  time.advance(1)
  await t.rejects(result, new TimeoutError())
})

t.test('a rejection after the time limit is ignored', async t => {
  const time = fakeTime(t)
  const { promise, reject } = deferred<void>()
  const result = withTimeout(() => promise, { timeout: 1 })
  time.advance(1)
  await t.rejects(result, TimeoutError)
  reject(new Error('nobody waits for it'))
})

t.test('without a limit no timer is set', async t => {
  const time = fakeTime(t)
  const { promise, resolve } = deferred<string>()
  const result = withTimeout(() => promise, { timeout: 0 })
  time.advance(2 ** 32)
  resolve('done')
  t.equal(await result, 'done')
})

t.test('the outer signal ends the call with its reason, and the function\'s signal follows it', async t => {
  const outer = new AbortController()
  let signal: AbortSignal | undefined
  const result = withTimeout(controller => {
    signal = controller.signal
    return never()
  }, { signal: outer.signal })
  outer.abort(new Error('enough'))
  await t.rejects(result, { message: 'enough' })
  t.equal(signal!.reason.message, 'enough')
})

t.test('with an outer signal that is aborted the function is not called', async t => {
  const call = withTimeout(() => t.fail('called'), { signal: AbortSignal.abort(new Error('before')) })
  await t.rejects(call, { message: 'before' })
})

t.test('a function can end itself by its controller', async t => {
  const result = withTimeout(controller => {
    controller.abort(new Error('closed'))
    return never()
  }, {})
  await t.rejects(result, { message: 'closed' })
})

t.test('no timer and no listener is left', async t => {
  const time = fakeTime(t)
  const { signal } = new AbortController()
  await withTimeout(() => 1, { timeout: 1000, signal })
  await t.rejects(withTimeout(async () => { throw new Error('no') }, { timeout: 1000, signal }))
  const late = withTimeout(never, { timeout: 5, signal })
  time.advance(5)
  await t.rejects(late, TimeoutError)
  t.equal(time.pending(), 0)
  t.strictSame(getEventListeners(signal, 'abort'), [])
})

t.test('a function that is waited for may return a result after the time limit', async t => {
  const time = fakeTime(t)
  const options = { timeout: 1000, isWaitedFor: true, error: () => new Error('late') }
  const untilAborted = ({ signal }: AbortController) =>
    new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
  const results = [
    withTimeout(controller => untilAborted(controller).then(() => 'what it has'), options),
    withTimeout(controller => untilAborted(controller).then(() => { throw new Error('ended') }), options)
  ]
  time.advance(1000)
  t.equal(await results[0], 'what it has')
  await t.rejects(results[1]!, { message: 'late' })
})

t.test('a call with a limit is over when its client has left, or when the limit has passed', async t => {
  const time = fakeTime(t)
  const response = () => new ServerResponse(new IncomingMessage(new Socket()))
  t.equal(new TimedCall(response(), 0).hasLimit, false)
  const left = response()
  const call = new TimedCall(left, 10)
  t.strictSame([call.hasLimit, call.isOver], [true, false])
  left.destroy()
  t.equal(call.isOver, true)
  const late = new TimedCall(response(), 10)
  late.run(never, () => {}, () => {})
  t.equal(late.isOver, false)
  time.advance(10)
  t.equal(late.isOver, true)
})
