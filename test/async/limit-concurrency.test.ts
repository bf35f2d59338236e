import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { limitConcurrency } from 'fastify-source-origin'
import { deferred } from '../helper.ts'

/** Functions that the test ends, and the names of those that have begun. */
function runs () {
  const begun: string[] = []
  const ends = new Map<string, ReturnType<typeof deferred<void>>>()
  const start = (name: string) => async () => {
    begun.push(name)
    const end = deferred<void>()
    ends.set(name, end)
    await end.promise
    return name
  }
  return { begun, ends, start }
}

t.test('no more than the limit run at a time, the others in their order', async t => {
  const { begun, ends, start } = runs()
  const limit = limitConcurrency({ inAll: 2 })
  const results = ['a', 'b', 'c', 'd'].map(name => limit(start(name)))
  await setImmediate()
  t.strictSame(begun, ['a', 'b'])
  ends.get('b')!.resolve()
  await setImmediate()
  t.strictSame(begun, ['a', 'b', 'c'])
  ends.get('a')!.reject(new Error('failed'))
  await t.rejects(results[0]!, { message: 'failed' })
  await setImmediate()
  t.strictSame(begun, ['a', 'b', 'c', 'd'])
  for (const name of ['c', 'd']) ends.get(name)!.resolve()
  t.strictSame(await Promise.all(results.slice(1)), ['b', 'c', 'd'])
})

t.test('each key has a limit of its own', async t => {
  const { begun, ends, start } = runs()
  const limit = limitConcurrency({ ofKey: 1 })
  const results = ['a', 'b'].flatMap(key => [limit(start(`${key}1`), { key }), limit(start(`${key}2`), { key })])
  await setImmediate()
  t.strictSame(begun, ['a1', 'b1'])
  t.strictSame(['a', 'b', 'c', undefined].map(key => limit.isFull(key)), [true, true, false, false])
  for (const name of ['a1', 'b1']) ends.get(name)!.resolve()
  await setImmediate()
  for (const name of ['a2', 'b2']) ends.get(name)!.resolve()
  t.strictSame(await Promise.all(results), ['a1', 'a2', 'b1', 'b2'])
  t.equal(limit.isFull('a'), false)
})

t.test('whoever stops waiting is never run, and rejects with the reason of the signal', async t => {
  const { begun, ends, start } = runs()
  const limit = limitConcurrency({ inAll: 1 })
  const controller = new AbortController()
  const results = [limit(start('a')), limit(start('b'), { signal: controller.signal }), limit(start('c'))]
  controller.abort(new Error('gone'))
  await t.rejects(results[1]!, { message: 'gone' })
  ends.get('a')!.resolve()
  await results[0]
  await setImmediate()
  t.strictSame(begun, ['a', 'c'])
  ends.get('c')!.resolve()
  t.equal(await results[2], 'c')
})

t.test('all keys have a limit together, and who waits for its key takes no place of it', async t => {
  const { begun, ends, start } = runs()
  const limit = limitConcurrency({ ofKey: 1, inAll: 2 })
  const results = ['a1', 'a2', 'b1', 'c1'].map(name => limit(start(name), { key: name[0] }))
  await setImmediate()
  t.strictSame(begun, ['a1', 'b1'])
  t.strictSame([limit.isFull(), limit.isFull('d')], [true, true])
  for (const name of ['a1', 'b1', 'c1', 'a2']) {
    ends.get(name)!.resolve()
    await setImmediate()
  }
  t.strictSame(begun, ['a1', 'b1', 'c1', 'a2'])
  t.strictSame(await Promise.all(results), ['a1', 'a2', 'b1', 'c1'])
  t.equal(limit.isFull(), false)
})

t.test('a function that has begun keeps its place until it has ended, also when its signal is aborted', async t => {
  const { begun, ends, start } = runs()
  const limit = limitConcurrency({ ofKey: 1 })
  const controller = new AbortController()
  const results = [limit(start('a'), { key: 'k', signal: controller.signal }), limit(start('b'), { key: 'k' })]
  controller.abort(new Error('gone'))
  await t.rejects(limit(start('c'), { key: 'k', signal: controller.signal }), { message: 'gone' })
  await setImmediate()
  t.strictSame(begun, ['a'])
  ends.get('a')!.resolve()
  t.equal(await results[0], 'a')
  await setImmediate()
  ends.get('b')!.resolve()
  t.equal(await results[1], 'b')
})

t.test('whoever waits for a place of all leaves that of its key when it stops waiting', async t => {
  const { begun, ends, start } = runs()
  const limit = limitConcurrency({ ofKey: 1, inAll: 1 })
  const controller = new AbortController()
  const running = limit(start('a'), { key: 'a' })
  const waiting = limit(start('b1'), { key: 'b', signal: controller.signal })
  const next = limit(start('b2'), { key: 'b' })
  await setImmediate()
  controller.abort(new Error('gone'))
  await t.rejects(waiting, { message: 'gone' })
  ends.get('a')!.resolve()
  await running
  await setImmediate()
  t.strictSame(begun, ['a', 'b2'])
  ends.get('b2')!.resolve()
  t.equal(await next, 'b2')
})

t.test('what is in the background begins after all others', async t => {
  const limit = limitConcurrency({ inAll: 1 })
  const begun: string[] = []
  await Promise.all(['a', 'b', 'c'].map((name, at) =>
    limit(() => { begun.push(name) }, { isBackground: at === 1 })))
  t.strictSame(begun, ['a', 'c', 'b'])
})
