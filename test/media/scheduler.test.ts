import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { Scheduler } from '../../lib/media/transcode/scheduler.ts'
import { stall, type Task, type Slot } from '../../lib/media/transcode/slot.ts'
import { fakeTime } from '../fake-time.ts'

/** Runs with names, whose listeners have so many seconds of audio ahead, and what becomes of them. */
function schedule (limits: Partial<ConstructorParameters<typeof Scheduler>[0]> = {}) {
  const scheduler = new Scheduler({ running: 1, held: 1, ofAccount: 2, waiting: 64, ...limits })
  const aheads: Record<string, number> = {}
  const states: Record<string, string | undefined> = {}
  const turns: Record<string, Slot> = {}
  const { signal } = new AbortController()
  const admit = (name: string, account?: string) => {
    aheads[name] = 0
    const task: Task = { account, ahead: () => aheads[name]!, onState: state => { states[name] = state } }
    turns[name] = scheduler.admit(task)
    return turns[name]
  }
  return {
    aheads,
    states,
    turns,
    admit,
    async enter (name: string, account?: string) {
      const ends = (turns[name] ?? admit(name, account)).enter(signal)
      ends.catch(() => {})
      await setImmediate()
    },
    async goOn (name: string) {
      turns[name]!.goOn().catch(() => {})
      await setImmediate()
    },
    async leave (name: string) {
      turns[name]!.leave()
      await setImmediate()
    }
  }
}

t.test('a run goes on while nobody waits', async t => {
  const { aheads, states, enter, goOn } = schedule()
  await enter('a')
  aheads.a = 1000
  await goOn('a')
  t.same(states, { a: 'running' })
})

t.test('one who waits for the first byte goes first, and the run that was held goes on behind it', async t => {
  const { aheads, states, enter, goOn, leave } = schedule()
  await enter('a')
  aheads.a = 30
  await enter('b')
  t.same(states, { a: 'running', b: 'waiting' }, 'until the next bytes')
  await goOn('a')
  t.same(states, { a: 'held', b: 'running' })
  await leave('b')
  t.same(states, { a: 'running', b: undefined })
})

t.test('the listener who has the least ahead goes first', async t => {
  const { aheads, states, enter, goOn, leave } = schedule({ held: 4 })
  await enter('a')
  for (const name of ['b', 'c', 'd']) await enter(name)
  Object.assign(aheads, { a: 8, b: 6, c: 2, d: 4 })
  await goOn('a')
  t.equal(states.c, 'running')
  await leave('c')
  t.equal(states.d, 'running')
})

t.test('listeners who all have enough are served one behind the other: nobody alternates', async t => {
  const { aheads, states, enter, goOn } = schedule()
  await enter('a')
  await enter('b')
  Object.assign(aheads, { a: 500, b: 10 })
  await goOn('a')
  t.same(states, { a: 'running', b: 'waiting' })
  aheads.b = 9
  await goOn('a')
  t.same(states, { a: 'held', b: 'running' })
})

t.test('a run without listeners gives its slot to anybody, and goes on if nobody wants it', async t => {
  const { aheads, states, enter, goOn, leave } = schedule()
  await enter('a')
  aheads.a = Infinity
  await goOn('a')
  t.equal(states.a, 'running')
  await enter('b')
  aheads.b = 1000
  await goOn('a')
  t.same(states, { a: 'held', b: 'running' })
  await leave('b')
  t.equal(states.a, 'running')
})

t.test('with as many held as there may be, the one that is furthest ahead ends, and enters again', async t => {
  const { aheads, states, turns, enter, goOn } = schedule()
  for (const name of ['a', 'b']) await enter(name)
  aheads.a = 100
  await goOn('a')
  aheads.b = 50
  await enter('c')
  await goOn('b')
  t.same(states, { a: 'waiting', b: 'held', c: 'running' })
  t.same([turns.a!.isEnded, turns.b!.isEnded], [true, false])
  await t.rejects(turns.a!.goOn(), { name: 'AbortError' })
  await enter('a')
  aheads.c = 200
  aheads.a = 0
  await goOn('c')
  t.same([turns.a!.isEnded, states.a], [false, 'running'])
})

t.test('of an account with as many processes as it may have, the one that is furthest ahead ends', async t => {
  const { states, aheads, enter, goOn, leave } = schedule({ held: 4 })
  await enter('a', 'kim')
  aheads.a = 100
  await enter('b', 'kim')
  await goOn('a')
  aheads.b = 50
  await enter('d', 'sam')
  await goOn('b')
  t.same(states, { a: 'held', b: 'held', d: 'running' })
  await enter('c', 'kim')
  await leave('d')
  t.same(states, { a: 'waiting', b: 'held', c: 'running', d: undefined })
})

t.test('a process of an account ends only for one that is more urgent, and counts while it is heard', async t => {
  const { states, aheads, enter, goOn } = schedule({ running: 4 })
  for (const name of ['a', 'b', 'c']) await enter(name, 'kim')
  t.same(states, { a: 'running', b: 'running', c: 'waiting' })
  aheads.b = Infinity
  await goOn('b')
  t.equal(states.c, 'running')
})

t.test('beyond the runs that may wait the error is 503 with a time; an account has half of them', async t => {
  const { admit, enter } = schedule({ waiting: 4 })
  await enter('begun', 'kim')
  for (const name of ['a', 'b']) admit(name, 'kim')
  t.throws(() => admit('c', 'kim'), { status: 503, retryAfterSeconds: 5 } as object as Error)
  admit('d', 'sam')
  admit('e')
  t.throws(() => admit('f'), { status: 503 } as object as Error)
})

t.test('a process without progress loses its slot to one who waits, and asks again when it has some', async t => {
  const time = fakeTime(t)
  const { states, enter, goOn, leave } = schedule()
  await enter('a')
  await enter('b')
  time.advance(stall.ms - 1)
  await goOn('a')
  time.advance(stall.ms)
  t.same(states, { a: 'held', b: 'running' })
  await goOn('a')
  t.equal(states.a, 'held')
  await leave('b')
  t.equal(states.a, 'running')
})

t.test('who gives up while waiting leaves the slot to the next', async t => {
  const { states, turns, enter, admit, leave } = schedule()
  await enter('a')
  const left = new AbortController()
  const waits = admit('b').enter(left.signal)
  await enter('c')
  left.abort(new Error('left'))
  await t.rejects(waits, { message: 'left' })
  await t.rejects(turns.b!.enter(left.signal), { message: 'left' })
  await leave('b')
  await leave('a')
  t.same(states, { a: undefined, b: undefined, c: 'running' })
})
