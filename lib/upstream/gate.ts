import { elapsed } from '../async/elapsed.ts'
import { sleep } from '../async/sleep.ts'

/** What an attempt says of the upstream; `unknown`: nothing. */
export type Verdict = 'good' | 'bad' | 'unknown'

interface GateOptions {
  /** Bad verdicts in a row that close it. */
  readonly failures: number
  /** Milliseconds after a failure that was counted in which others are taken for the same one. */
  readonly together: number
  /** Milliseconds that it stays closed, doubling each time it closes again without having been open. */
  readonly pause: number
  readonly longest: number
}

/**
 * Stops calls for a while. Then one call goes first: if it is good, the gate opens for the others, if it is bad, the
 * gate closes for longer. The breaker and the cool-down are gates.
 */
export class Gate {
  readonly #options: GateOptions
  readonly #waiting = new Set<() => void>()
  #failures = 0
  #countedAt = -Infinity
  #closings = 0
  /** When the pause ends; `undefined` while open. */
  #closedUntil: number | undefined
  #firstIsOut = false

  constructor (options: GateOptions) {
    this.#options = options
  }

  /** Whether a call may go now. */
  get passable (): boolean {
    return this.#closedUntil === undefined || (!this.#firstIsOut && this.pause === 0)
  }

  /** Milliseconds left of the pause. */
  get pause (): number {
    return Math.max(0, (this.#closedUntil ?? 0) - elapsed())
  }

  /** Whether the gate may be removed: it is open, or its pause ended long ago. */
  get idle (): boolean {
    if (this.#closedUntil === undefined) return true
    return !this.#firstIsOut && elapsed() - this.#closedUntil > this.#options.longest
  }

  /** Waits for the end of the pause, or for what the first call finds out, but no longer than `most` milliseconds. */
  wait (most: number, signal: AbortSignal): Promise<void> {
    return sleep(this.#firstIsOut ? most : Math.min(this.pause, most), signal, this.#waiting)
  }

  /** A call goes through a gate that is passable. True if it is the first one after a pause, for `settle`. */
  pass (): boolean {
    const isFirst = this.#closedUntil !== undefined
    if (isFirst) this.#firstIsOut = true
    return isFirst
  }

  /**
   * Tells how a call that passed ended.
   *
   * @param pause milliseconds that the upstream asked for
   * @returns the milliseconds of the pause, if the gate closed now
   */
  settle (isFirst: boolean, verdict: Verdict, pause?: number): number | undefined {
    if (isFirst) this.#firstIsOut = false
    if (isFirst || this.#closedUntil === undefined) {
      if (verdict === 'bad') return this.#fail(pause)
      // A call that had started before the gate closed may have extended the pause meanwhile.
      if (verdict === 'good' && this.pause === 0) this.#open()
      if (isFirst) this.#wake()
    } else if (verdict === 'bad' && pause !== undefined) {
      // The call had started before the gate closed, so it may extend the pause but does not double it.
      this.#closedUntil = Math.max(this.#closedUntil, elapsed() + pause)
      this.#wake()
    }
  }

  #fail (asked: number | undefined): number | undefined {
    const { failures, together } = this.#options
    if (this.#closedUntil === undefined) {
      const time = elapsed()
      if (time - this.#countedAt < together) return
      this.#countedAt = time
      if (++this.#failures < failures) return
    }
    const pause = asked ?? Math.min(this.#options.pause * 2 ** this.#closings, this.#options.longest)
    this.#closings++
    this.#closedUntil = Math.max(this.#closedUntil ?? 0, elapsed() + pause)
    this.#wake()
    return pause
  }

  #open (): void {
    this.#failures = 0
    this.#closings = 0
    this.#closedUntil = undefined
  }

  #wake (): void {
    for (const wake of [...this.#waiting]) wake()
  }
}
