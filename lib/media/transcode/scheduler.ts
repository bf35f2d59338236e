import { isBeyondShare } from '../../async/is-beyond-share.ts'
import { SourceError } from '../../contract/errors.ts'
import type { TranscoderState as RunState } from '../../tracing/channels.ts'
import { Slot, type Task } from './slot.ts'

/** The limits of the scheduler. */
export interface SchedulerLimits {
  /** The maximum number of running processes. */
  readonly running: number
  /** The maximum number of held processes: their output is not read, so they use no CPU time. */
  readonly held: number
  /** The maximum number of processes of one account. */
  readonly ofAccount: number
  /** The maximum number of runs that have not begun. One account has at most half of the free slots. */
  readonly waiting: number
}

/** Seconds after which a client may retry. */
export const retryAfterSeconds = 5

/** Decides the order of runs: the run whose listener has the least audio ahead goes first. */
export class Scheduler {
  readonly #limits: SchedulerLimits
  /** In the order of arrival. */
  readonly #turns = new Set<Slot>()
  #timer: NodeJS.Timeout | undefined

  constructor (limits: SchedulerLimits) {
    this.#limits = limits
  }

  /** @throws SourceError 503 with `retryAfterSeconds` if too many runs wait */
  admit (task: Task): Slot {
    const { account } = task
    const waiting = [...this.#turns].filter(turn => !turn.hasBegun)
    const own = account === undefined ? 0 : waiting.filter(turn => turn.task.account === account).length
    const { waiting: most } = this.#limits
    if (waiting.length >= most || (own > 0 && isBeyondShare(own, waiting.length, most))) {
      throw new SourceError(503, 'Too many tracks wait to be converted', { retryAfterSeconds })
    }
    const turn = new Slot(task, {
      assign: () => this.#assign(),
      mayGoOn: turn => this.#next(turn) === undefined,
      leave: () => {
        this.#turns.delete(turn)
        this.#assign()
      }
    })
    this.#turns.add(turn)
    return turn
  }

  /** Assigns free slots to waiting runs. */
  #assign (): void {
    const { running } = this.#limits
    while (this.#in('running').length < running) {
      const next = this.#next()
      if (next === undefined) break
      this.#endFor(next)?.end()
      next.begin()
    }
    clearTimeout(this.#timer)
    if (this.#next() === undefined) return
    const next = Math.min(...this.#in('running').map(({ stallsIn }) => stallsIn))
    this.#timer = setTimeout(() => this.#takeFromStalled(), Math.max(1, next)).unref()
  }

  /**
   * Frees the slots of stalled processes. A process that waits for its input or for an unresponsive disk uses no CPU
   * time.
   */
  #takeFromStalled (): void {
    for (const turn of this.#in('running')) if (turn.stallsIn <= 0) turn.hold()
    this.#assign()
  }

  /**
   * Returns the most urgent waiting run.
   *
   * @param holder a run that would release its slot to a more urgent one
   */
  #next (holder?: Slot): Slot | undefined {
    return [...this.#turns].filter(turn => turn.isWaiting && (holder === undefined || turn.rank < holder.rank))
      .sort((a, b) => a.rank - b.rank || Number(b.hasProcess) - Number(a.hasProcess))
      .find(turn => this.#endFor(turn, holder) !== null)
  }

  /** Returns the process that has to end for another one; `null` if none may end, `undefined` if none has to. */
  #endFor (next: Slot, holder?: Slot): Slot | null | undefined {
    if (next.hasProcess) return undefined
    const { running, held, ofAccount } = this.#limits
    const { account } = next.task
    const all = this.#in('running', 'held')
    const own = account === undefined
      ? []
      : all.filter(({ task }) => task.account === account && task.ahead(true) < Infinity)
    const isFull = own.length >= ofAccount
    if (!isFull && all.length < running + held) return undefined
    // The run that is furthest ahead, limited to the account if the account is at its limit.
    const [furthest = null] = (isFull ? own : all).filter(turn => turn.state === 'held' || turn === holder)
      .sort((a, b) => b.task.ahead(false) - a.task.ahead(false))
    return furthest && furthest.rank > next.rank ? furthest : null
  }

  #in (...states: RunState[]): Slot[] {
    return [...this.#turns].filter(({ state }) => states.includes(state))
  }
}
