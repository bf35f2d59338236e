import t from 'tap'
import { Deadlines } from '../lib/deadlines.ts'
import { deferred } from './helper.ts'

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

t.test('calls that are not ended expire in the order in which they began', async t => {
  const deadlines = new Deadlines(5)
  const expired: number[] = []
  const last = deferred<void>()
  deadlines.start(() => expired.push(1))
  deadlines.start(() => expired.push(2))
  const later = deferred<void>()
  setTimeout(() => {
    deadlines.start(() => { expired.push(3); last.resolve() })
    later.resolve()
  }, 2)
  await later.promise
  t.strictSame(expired, [])
  await last.promise
  t.strictSame(expired, [1, 2, 3])
})

t.test('a call that is ended does not expire, and does not end twice', async t => {
  const deadlines = new Deadlines(5)
  const last = deferred<void>()
  const ended = deadlines.start(() => t.fail('was ended'))
  deadlines.start(() => last.resolve())
  t.equal(deadlines.end(ended), true)
  t.equal(deadlines.end(ended), false)
  await last.promise
})

for (const ended of [[0], [1], [3], [1, 2], [2, 1], [3, 0], [0, 1, 2]]) {
  t.test(`after the calls ${ended} of four have ended, the others expire in order`, async t => {
    const deadlines = new Deadlines(5)
    const expired: number[] = []
    const calls = [0, 1, 2, 3].map(call => deadlines.start(() => expired.push(call)))
    for (const call of ended) deadlines.end(calls[call]!)
    const last = deferred<void>()
    const later = deadlines.start(() => last.resolve())
    await last.promise
    t.strictSame(expired, [0, 1, 2, 3].filter(call => !ended.includes(call)))
    t.equal(deadlines.end(later), false)
  })
}

for (const [timeout, period, ticks] of [[60_000, 1000, 61], [30_000, 1000, 31], [100, 4, 26], [5, 1, 6], [0.5, 1, 2]] as const) {
  t.test(`of ${timeout} ms none is taken away, and at most a thirtieth, a millisecond at least and a second at most, is added`, async t => {
    const ticking: (() => void)[] = []
    t.capture(globalThis, 'setInterval', ((tick: () => void, milliseconds: number) => {
      t.equal(milliseconds, period)
      ticking.push(tick)
      return 1
    }) as unknown as typeof setInterval)
    t.capture(globalThis, 'clearInterval')
    const deadlines = new Deadlines(timeout)
    let expired = false
    deadlines.start(() => { expired = true })
    // The first tick may come at once, the last when `ticks - 1` periods have passed.
    t.ok((ticks - 1) * period >= timeout && (ticks - 1) * period < timeout + period)
    for (let i = 1; i < ticks; i++) {
      ticking[0]!()
      t.equal(expired, false)
    }
    ticking[0]!()
    t.equal(expired, true)
  })
}

t.test('calls share a timer, and the first tick without a call ends it', async t => {
  const ticking: (() => void)[] = []
  const cleared = t.capture(globalThis, 'clearInterval')
  t.capture(globalThis, 'setInterval', ((tick: () => void) => ticking.push(tick)) as unknown as typeof setInterval)
  const deadlines = new Deadlines(60_000)
  const first = deadlines.start(() => t.fail('is far away'))
  const second = deadlines.start(() => t.fail('is far away'))
  deadlines.end(first)
  ticking[0]!()
  t.equal(cleared().length, 0)
  deadlines.end(second)
  t.equal(cleared().length, 0)
  ticking[0]!()
  t.strictSame(cleared().map(({ args }) => args[0]), [1])
  deadlines.end(deadlines.start(() => t.fail('is far away')))
  t.equal(ticking.length, 2)
})

t.test('a call that is waited for holds the process', async t => {
  const before = timers()
  const deadlines = new Deadlines(60_000)
  const deadline = deadlines.start(() => t.fail('is far away'))
  t.equal(timers(), before + 1)
  deadlines.release()
  t.equal(timers(), before + 1)
  deadlines.end(deadline)
  deadlines.release()
  t.equal(timers(), before)
})

t.test('it works again after everything has expired, and does not tick for nothing', async t => {
  const made = t.capture(globalThis, 'setInterval', setInterval)
  const cleared = t.capture(globalThis, 'clearInterval', clearInterval)
  const before = timers()
  const deadlines = new Deadlines(1)
  for (let round = 0; round < 2; round++) {
    const expired = deferred<void>()
    deadlines.start(() => expired.resolve())
    await expired.promise
  }
  t.equal(timers(), before)
  t.strictSame(cleared().map(({ args }) => args[0]), made().map(result => (result as { returned?: unknown }).returned))
})
