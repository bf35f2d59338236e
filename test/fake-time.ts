import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import type { Test } from 'tap'
import { replace } from './replace.ts'

const undiciTimers = createRequire(import.meta.url)('undici/lib/util/timers.js')

// The clock of undici's connections stays real: undici stores its first timer, and a fake timer ends with its test.
undiciTimers.setFastTimeout(() => {}, 0)

/** Advances the clock of undici's connections by at most 1000 milliseconds. */
export const passForUndici = (milliseconds: number): void => undiciTimers.tick(milliseconds)

class FakeTimer {
  readonly run: () => void
  readonly delay: number
  due = 0
  readonly #timers: Set<FakeTimer>
  readonly #now: () => number

  constructor (timers: Set<FakeTimer>, now: () => number, run: () => void, delay: number) {
    this.#timers = timers
    this.#now = now
    this.run = run
    this.delay = Math.max(1, delay)
    this.refresh()
  }

  refresh () {
    this.due = this.#now() + this.delay
    this.#timers.add(this)
    return this
  }

  ref () { return this }
  unref () { return this }
  hasRef () { return true }
  close () { this.#timers.delete(this) }
}

/** Whether a DNS lookup, a connection attempt or a file operation is pending. */
const isBusy = () => process.getActiveResourcesInfo().some(name => /Req(?:Wrap|Callback|Promise)$|^TCPConnect/.test(name))

/**
 * Until the test ends, `setTimeout`, `Date.now` and `performance.now` follow a clock that the test sets. Nothing is
 * random.
 */
export function fakeTime (t: Test) {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const timers = new Set<FakeTimer>()
  const watchers = new Set<() => void>()
  const clearReal = globalThis.clearTimeout

  replace(t, Math, 'random', () => 0)
  replace(t, Date, 'now', () => now)
  replace(t, performance, 'now', () => now)
  replace(t, globalThis, 'setTimeout', ((run: (...args: unknown[]) => void, delay = 1, ...args: unknown[]) => {
    const timer = new FakeTimer(timers, () => now, () => run(...args), delay)
    for (const watch of watchers) watch()
    return timer
  }) as unknown as typeof setTimeout)
  replace(t, globalThis, 'clearTimeout', ((timer: FakeTimer | NodeJS.Timeout | undefined) => {
    if (timer instanceof FakeTimer) timer.close()
    else clearReal(timer)
  }) as typeof clearTimeout)

  /** Fires what is due on the way, in order. */
  function advance (milliseconds: number): void {
    const end = now + milliseconds
    for (;;) {
      const [next] = [...timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)
      if (next === undefined) break
      now = Math.max(now, next.due)
      timers.delete(next)
      next.run()
    }
    now = end
  }

  /** Resolves when so many timers are set that fire in so many milliseconds. */
  function awaited (milliseconds: number, waits = 1): Promise<void> {
    return new Promise(resolve => {
      const watch = () => {
        if ([...timers].filter(({ due }) => Math.abs(due - now - milliseconds) < 1).length < waits) return
        watchers.delete(watch)
        resolve()
      }
      watchers.add(watch)
      watch()
    })
  }

  return {
    now: () => now,
    /** Number of timers that are set. */
    pending: () => timers.size,
    advance,
    awaited,
    /** Lets so many milliseconds pass as soon as somebody waits for exactly them. */
    async pass (milliseconds: number, waits = 1): Promise<void> {
      await awaited(milliseconds, waits)
      advance(milliseconds)
    },
    /**
     * Lets time pass, from timer to timer, with some turns of the event loop before each, until the promise is settled.
     */
    async passUntil (promise: Promise<unknown>): Promise<void> {
      let isSettled = false
      const settle = () => { isSettled = true }
      promise.then(settle, settle)
      for (;;) {
        let next = Infinity
        // Sockets may be slow. Before a long pause this loop uses a second of CPU time, however busy the machine is.
        const begun = process.cpuUsage()
        const isWaiting = () => {
          const { user, system } = process.cpuUsage(begun)
          return user + system < 1_000_000
        }
        for (let turn = 0; turn < 60 || (next - now > 30_000 && isWaiting()); turn++) {
          await setImmediate()
          if (isSettled) return
          // Pending operations end before the clock advances, even on a busy machine.
          if (isBusy()) turn = 0
          next = Math.min(...[...timers].map(({ due }) => due))
        }
        if (Number.isFinite(next)) advance(Math.max(0, next - now))
      }
    }
  }
}
