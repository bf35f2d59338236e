import fc from 'fast-check'
import t, { type Test } from 'tap'
import { SourceError } from '../../lib/contract/errors.ts'
import type { PlayEvent } from '../../lib/contract/source-extras.ts'
import { playThreshold, isDuplicatePlay, playedAt, duplicatePlayWindow } from '../../lib/plays/play-rule.ts'
import { Plays, type Listener } from '../../lib/plays/index.ts'
import { fakeTime } from '../fake-time.ts'
import { replace } from '../replace.ts'

type OnPlay = (event: PlayEvent) => unknown

function listenerWith (onPlay: OnPlay | undefined, more: Partial<Listener> = {}) {
  const warnings: string[] = []
  const log = { warn: (_details: object, message: string) => { warnings.push(message) } }
  const context = { account: 'ann', adapter: { ...onPlay && { onPlay } } }
  const listener: Listener = { key: 'ann', context, username: 'ann', client: 'app', log, secrets: [], ...more }
  return { listener, warnings }
}

t.test('times are put right: seconds, the future, before 1970, none', async t => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  t.equal(playedAt(now - 5000, now), now - 5000)
  t.equal(playedAt(1_700_000_000, now), 1_700_000_000_000)
  for (const none of [undefined, 0, NaN, -1, -9e15, now + 1, now * 1000]) t.equal(playedAt(none, now), now)
  t.strictSame(
    [playThreshold(100), playThreshold(480_001), playThreshold(0), playThreshold()], [50, 240_000, 240_000, 240_000]
  )
})

t.test('plays of a track are one as long as none of them can have been heard before the other began', async t => {
  for (
    const length of [1, 2000, 100_001, 480_000, 3_600_000]
  ) t.equal(duplicatePlayWindow(length), playThreshold(length))
  t.strictSame([duplicatePlayWindow(0), duplicatePlayWindow()], [30_000, 30_000])
  t.strictSame(
    [isDuplicatePlay(0, 999, 2000), isDuplicatePlay(1000, 0, 2000), isDuplicatePlay(0, 29_999)], [true, false, true]
  )
})

const length = 200_000

/** A clock of the machine that never goes back, and one on the wall that people set. */
function clocks (t: Test) {
  let monotonic = performance.now()
  let ahead = Date.now() - monotonic
  replace(t, performance, 'now', () => monotonic)
  replace(t, Date, 'now', () => Math.round(monotonic + ahead))
  return {
    pass: (ms: number) => { monotonic += ms },
    jump: (ms: number) => { ahead += ms }
  }
}

/** A player as it should be, which knows what was really played. */
class ModelPlayer {
  track = ''
  position = 0
  /** The position of its last report. */
  told = 0
  played = 0
  startedAt = 0
  rate = 1
  isPlaying = false
  /** Whether the clocks or the player went wrong since the last report. */
  isOff = false
  isHeard = false
}

const command = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 150_000 }) }),
  fc.record({ kind: fc.constant('stall' as const), ms: fc.integer({ min: 0, max: 100_000 }) }),
  fc.record({ kind: fc.constant('jump' as const), ms: fc.integer({ min: -1e7, max: 1e7 }) }),
  fc.record({ kind: fc.constant('start' as const), track: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constant('seek' as const), to: fc.nat({ max: length }), silent: fc.boolean() }),
  fc.record({ kind: fc.constant('rate' as const), rate: fc.constantFrom(1, 2) }),
  ...(['pause', 'play', 'stop'] as const).map(kind => fc.constant({ kind }))
)

t.test('a play is heard by the sum of what was really played, once, whatever its players do', async t => {
  const { pass, jump } = clocks(t)
  await fc.assert(fc.asyncProperty(
    fc.array(fc.tuple(fc.nat({ max: 1 }), command), { minLength: 1, maxLength: 40 }), async commands => {
      const plays = new Plays()
      const heard: string[] = []
      const expected: { track: string, startedAt: number }[] = []
      plays.onHeard(async ({ track, startedAt }) => { heard.push(`${track} ${startedAt}`) }, () => {})
      const players = [new ModelPlayer(), new ModelPlayer()]
      const report = async (tab: number, state: 'starting' | 'playing' | 'paused' | 'stopped') => {
        const player = players[tab]!
        const { listener } = listenerWith(undefined, { client: `tab ${tab}` })
        const { track, position, rate } = player
        await plays.report(listener, { track, length, state, position, rate })
        player.isOff = false
        player.told = position
        if (player.isHeard || player.played < playThreshold(length)) return
        const isKnown = expected.some(other =>
          other.track === track && isDuplicatePlay(other.startedAt, player.startedAt, length))
        if (isKnown) return
        player.isHeard = true
        expected.push({ track, startedAt: player.startedAt })
      }
      for (const [tab, command] of commands) {
        const player = players[tab]!
        if (command.kind === 'wait') {
          for (const [index, other] of players.entries()) {
            if (!other.isPlaying) continue
            const played = Math.min(command.ms * other.rate, length - other.position)
            other.position += played
            other.played += played
            if (index !== tab || played < command.ms * other.rate) other.isOff = true
          }
          pass(command.ms)
        } else if (command.kind === 'stall') {
          pass(command.ms)
          for (const other of players) other.isOff = true
        } else if (command.kind === 'jump') {
          jump(command.ms)
          for (const other of players) other.isOff = true
        } else if (command.kind === 'start') {
          Object.assign(player, new ModelPlayer(), { track: command.track, startedAt: Date.now(), isPlaying: true })
          await report(tab, 'starting')
          await report(tab, 'playing')
        } else if (player.track === '') continue
        else if (command.kind === 'seek') {
          // What was played before it cannot be told from a stall, where it leads between the last report and there.
          const isUnclear = player.told <= command.to && command.to < player.position
          if (!command.silent || player.isOff || isUnclear) await report(tab, player.isPlaying ? 'playing' : 'paused')
          player.position = command.to
          await report(tab, player.isPlaying ? 'playing' : 'paused')
        } else if (command.kind === 'stop') {
          await report(tab, 'stopped')
          player.isPlaying = false
          player.track = ''
        } else {
          await report(tab, player.isPlaying ? 'playing' : 'paused')
          if (command.kind === 'rate') player.rate = command.rate
          else player.isPlaying = command.kind === 'play'
          await report(tab, player.isPlaying ? 'playing' : 'paused')
        }
      }
      t.strictSame(heard, expected.map(({ track, startedAt }) => `${track} ${startedAt}`))
    }), { numRuns: 100 })
})

t.test('reports and submissions of one play count it once, those of the next one count that', async t => {
  const time = fakeTime(t)
  const events: PlayEvent[] = []
  const { listener } = listenerWith(event => { events.push(event) })
  const plays = new Plays()
  const counted = async () => {
    await plays.close()
    return events.splice(0).filter(({ counted }) => counted).map(({ track, startedAt }) => `${track} ${startedAt - start}`)
  }
  const start = time.now()
  const track = { track: 'a', length }
  await plays.report(listener, { ...track, state: 'playing', isNotice: true })
  time.advance(10_000)
  await plays.report(listener, { ...track, state: 'playing', isNotice: true })
  t.strictSame(await counted(), [], 'a notice is none, though time passes')
  time.advance(100_000)
  await plays.submit(listener, track)
  t.strictSame(await counted(), ['a 0'], 'since it began')
  for (const time of [undefined, start, start / 1000, start + 110_000]) await plays.submit(listener, { ...track, time })
  t.strictSame(await counted(), [], 'an app tries again')
  time.advance(90_000)
  await plays.report(listener, { ...track, state: 'playing', isNotice: true })
  time.advance(110_000)
  await plays.submit(listener, { ...track, time: time.now() - 110_000 })
  t.strictSame(await counted(), ['a 200000'], 'it was repeated')
  await plays.submit(listener, { ...track, time: start - 86_400_000 })
  await plays.submit(listener, { ...track, time: start - 86_400_000 })
  await plays.submit(listener, { ...track, time: start - 86_400_000 + length })
  t.strictSame(await counted(), ['a -86400000', 'a -86200000'], 'an app was offline')
  time.advance(1_000_000)
  await plays.submit(listener, { track: 'b' })
  time.advance(29_999)
  await plays.submit(listener, { track: 'b' })
  await plays.submit({ ...listener, client: 'other' }, { track: 'b' })
  await plays.submit({ ...listener, key: 'bob' }, { track: 'b' })
  time.advance(30_000)
  await plays.submit(listener, { track: 'b' })
  t.equal((await counted()).length, 3, 'of unknown length; another listener')
  await plays.report(listener, { track: 'c', state: 'playing', position: 200_000 })
  time.advance(120_000)
  await plays.report(listener, { track: 'c', state: 'playing', position: 100_000 })
  await plays.submit(listener, { track: 'c' })
  t.equal((await counted()).length, 1, 'of unknown length, which went back')
})

t.test('a play that is reported is not counted by a submission too; an app may say that no report counts', async t => {
  const time = fakeTime(t)
  const events: PlayEvent[] = []
  const { listener } = listenerWith(event => { events.push(event) })
  const plays = new Plays()
  const listen = async (isNotice: boolean) => {
    await plays.report(listener, { track: 'a', length, state: 'starting', position: 0, isNotice })
    await plays.report(listener, { track: 'a', length, state: 'playing', position: 0, isNotice })
    time.advance(150_000)
    await plays.report(listener, { track: 'a', state: 'playing', isNotice: true })
    time.advance(50_000)
    await plays.report(listener, { track: 'a', state: 'stopped', position: length, isNotice })
  }
  await listen(false)
  await plays.submit(listener, { track: 'a', length })
  await listen(true)
  await plays.close()
  t.equal(events.filter(({ counted }) => counted).length, 1)
  t.equal(new Set(events.map(({ id }) => id)).size, 2)
  t.match(events[0], { account: 'ann', client: 'app', track: 'a', position: 0, state: 'starting', counted: false })
})

t.test('what plays: the latest track of each app, where it is by now, until half an hour after its end', async t => {
  const time = fakeTime(t)
  const { listener } = listenerWith(undefined)
  const plays = new Plays()
  const shown = async (key = 'ann') =>
    (await plays.playing(key)).map(({ track, client, position }) => `${track} ${client} ${position}`)
  await plays.report(listener, { track: 'a', length, state: 'playing', position: 1000, rate: 2 })
  await plays.report({ ...listener, client: 'other' }, { track: 'b', state: 'paused', position: 7 })
  time.advance(10_000)
  t.strictSame(await shown(), ['a app 21000', 'b other 7'])
  t.strictSame(await shown('bob'), [])
  await plays.report({ ...listener, context: { ...listener.context, sharesPlaying: true } },
    { track: 'c', length, state: 'playing', position: 0 })
  t.strictSame(await shown('bob'), ['c app 0'])
  t.strictSame(await shown(), ['b other 7', 'c app 0'])
  time.advance(length + 1_800_000)
  t.strictSame(await shown(), [`c app ${length}`])
  time.advance(1)
  t.strictSame(await shown(), [])
  await plays.report(listener, { track: 'c', state: 'playing', position: 5 })
  await plays.report(listener, { track: 'c', state: 'stopped', position: 5 })
  t.strictSame(await shown(), [])
})

t.test('onPlay is called one event after the other, and its errors are logged without secrets', async t => {
  const seen: string[] = []
  const { listener, warnings } = listenerWith(async ({ state }) => {
    seen.push(state)
    await null
    seen.push('end')
    if (state === 'paused') throw new Error('down')
  })
  const plays = new Plays()
  for (const state of ['starting', 'paused', 'stopped'] as const) {
    await plays.report(listener, { track: 'a', state, position: 0 })
  }
  await plays.close()
  t.strictSame(seen, ['starting', 'end', 'paused', 'end', 'stopped', 'end'])
  t.strictSame(warnings, ['play callback failed'])
})

t.test('what a source that keeps plays cannot keep now counts when it is told again', async t => {
  const time = fakeTime(t)
  let failure: Error | undefined
  const kept: string[] = []
  const { listener } = listenerWith(({ track, counted, startedAt }) => {
    if (!counted) return
    if (failure !== undefined) throw failure
    kept.push(`${track} ${startedAt - start}`)
  })
  Object.assign(listener.context.adapter, { getPlays: () => [] })
  const plays = new Plays()
  let told = 0
  plays.onHeard(async () => {}, () => { told++ })
  const start = time.now()
  const reported = { track: 'a', length, state: 'playing', position: 0 } as const
  const times = { length, startedAt: start, position: length, played: length }
  const page = { id: 'p', track: 'c', ...times, state: 'stopped' } as const
  await plays.report(listener, reported)
  time.advance(length)
  const tellAll = () => Promise.allSettled([
    plays.report(listener, { ...reported, state: 'stopped', position: length }),
    plays.submit(listener, { track: 'b', length, time: start }),
    plays.tell(listener, page)
  ])
  failure = new SourceError(503, 'The database is away')
  t.match(await tellAll(), Array(3).fill({ status: 'rejected', reason: failure }))
  failure = undefined
  t.match(await tellAll(), Array(3).fill({ status: 'fulfilled' }))
  t.strictSame(kept, ['a 0', 'b 0', 'c 0'])
  await plays.report(listener, { ...reported, track: 'd', isNotice: true })
  for (failure of [new SourceError(503, 'away'), undefined]) {
    await plays.submit(listener, { track: 'd', length }).catch(() => {})
  }
  t.equal(kept.pop(), `d ${length}`)
  failure = new Error('a mistake')
  await plays.submit(listener, { track: 'e', length })
  t.equal(told, 9, 'what fails for ever is not told again')
  await plays.close()
})

t.test('an onPlay that hangs holds up nobody: events are left out, with one warning, and closing goes on', async t => {
  const time = fakeTime(t)
  let release = () => {}
  let calls = 0
  const { listener, warnings } = listenerWith(() => {
    calls++
    return calls === 1 ? new Promise<void>(resolve => { release = resolve }) : undefined
  })
  const plays = new Plays()
  for (let index = 0; index < 1005; index++) {
    await plays.report(listener, { track: 'a', state: 'paused', position: 0 })
  }
  t.strictSame(warnings, ['play queue full'])
  await plays.submit(listener, { track: 'b' })
  const closing = plays.close()
  await time.pass(8000)
  await closing
  release()
  await plays.close()
  t.equal(calls, 1001, 'what was heard is told')
  await plays.report(listener, { track: 'a', state: 'paused', position: 0 })
  await plays.close()
  t.equal(calls, 1002)
})
