import { elapsed } from '../async/elapsed.ts'
import { sleep } from '../async/sleep.ts'

/** The information of an attempt about the upstream; `unknown`: none. */
export type Verdict = 'good' | 'bad' | 'unknown'

interface GateOptions {
  /** The number of consecutive bad verdicts that close the gate. */
  readonly failures: number
  /** The time in milliseconds after a counted failure in which further failures count as the same one. */
  readonly together: number
  /**
   * The time in milliseconds for which the gate stays closed. It doubles each time the gate closes again without having
   * been open.
   */
  readonly pause: number
  readonly longest: number
}

/**
 * Stops calls for a while. Then one call goes first: if it succeeds, the gate opens for the others. If it fails, the
 * gate closes for longer. The breaker and the cool-down are gates.
 */
export class Gate {
  readonly #options: GateOptions
  readonly #waiting = new Set<() => void>()
  #failures = 0
  #countedAt = -Infinity
  #closings = 0
  /** The end of the pause; `undefined` while open. */
  #closedUntil: number | undefined
  #firstIsOut = false

  constructor (options: GateOptions) {
    this.#options = options
  }

  /** If `true`, a call may pass now. */
  get passable (): boolean {
    return this.#closedUntil === undefined || (!this.#firstIsOut && this.pause === 0)
  }

  /** The remaining pause in milliseconds. */
  get pause (): number {
    return Math.max(0, (this.#closedUntil ?? 0) - elapsed())
  }

  /** If `true`, the gate may be removed: it is open, or its pause ended long ago. */
  get idle (): boolean {
    if (this.#closedUntil === undefined) return true
    return !this.#firstIsOut && elapsed() - this.#closedUntil > this.#options.longest
  }

  /** Waits for the end of the pause or the result of the first call, but no longer than `most` milliseconds. */
  wait (most: number, signal: AbortSignal): Promise<void> {
    return sleep(this.#firstIsOut ? most : Math.min(this.pause, most), signal, this.#waiting)
  }

  /** Lets a call pass an open gate. Returns `true` for the first call after a pause, for `settle`. */
  pass (): boolean {
    const isFirst = this.#closedUntil !== undefined
    if (isFirst) this.#firstIsOut = true
    return isFirst
  }

  /**
   * Records the result of a call that passed.
   *
   * @param pause milliseconds that the upstream requested
   * @returns the pause in milliseconds, if the gate closed now
   */
  settle (isFirst: boolean, verdict: Verdict, pause?: number): number | undefined {
    if (isFirst) this.#firstIsOut = false
    if (isFirst || this.#closedUntil === undefined) {
      if (verdict === 'bad') return this.#fail(pause)
      // A call that started before the gate closed may have extended the pause in the meantime.
      if (verdict === 'good' && this.pause === 0) this.#open()
      if (isFirst) this.#wake()
    } else if (verdict === 'bad' && pause !== undefined) {
      // The call started before the gate closed, so it may extend the pause but does not double it.
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
