import { isBeyondShare } from '../../async/is-beyond-share.ts'
import { SourceError } from '../../contract/errors.ts'
import type { TranscoderState as RunState } from '../../tracing/channels.ts'
import { Turn, type Task } from './turn.ts'

/** How many runs there are at a time. */
export interface SchedulerLimits {
  /** Processes that run. */
  readonly running: number
  /** Processes that are held: nobody reads what they write, so that they take no time of a processor. */
  readonly held: number
  /** Processes of one account. */
  readonly ofAccount: number
  /** Runs that have not begun. One account has at most half of what the others leave. */
  readonly waiting: number
}

/** Seconds after which a client may try again. */
export const retryAfter = 5

/** Decides which run goes first: the one whose listener has the least audio ahead. */
export class Scheduler {
  readonly #limits: SchedulerLimits
  /** In the order in which they came. */
  readonly #turns = new Set<Turn>()
  #timer: NodeJS.Timeout | undefined

  constructor (limits: SchedulerLimits) {
    this.#limits = limits
  }

  /** @throws SourceError 503 with `retryAfter` if too many runs wait */
  admit (task: Task): Turn {
    const { account } = task
    const waiting = [...this.#turns].filter(turn => !turn.hasBegun)
    const own = account === undefined ? 0 : waiting.filter(turn => turn.task.account === account).length
    const { waiting: most } = this.#limits
    if (waiting.length >= most || (own > 0 && isBeyondShare(own, waiting.length, most))) {
      throw new SourceError(503, 'Too many tracks wait to be converted', { retryAfter })
    }
    const turn = new Turn(task, {
      assign: () => this.#assign(),
      mayGoOn: turn => !this.#candidates().some(other => other.rank < turn.rank),
      leave: () => {
        this.#turns.delete(turn)
        this.#assign()
      }
    })
    this.#turns.add(turn)
    return turn
  }

  /** Gives slots to those that wait, as far as there are any. */
  #assign (): void {
    const { running, held } = this.#limits
    for (;;) {
      const [next] = this.#candidates()
      if (next === undefined || this.#in('running').length >= running) break
      if (!next.hasProcess && this.#in('running', 'held').length >= running + held) {
        const [cheapest] = this.#in('held').sort((a, b) => b.task.ahead(false) - a.task.ahead(false))
        cheapest!.end()
      }
      next.begin()
    }
    clearTimeout(this.#timer)
    if (this.#candidates().length === 0) return
    const next = Math.min(...this.#in('running').map(({ stallsIn }) => stallsIn))
    this.#timer = setTimeout(() => this.#takeFromStalled(), Math.max(1, next)).unref()
  }

  /** A process that waits for its input, or for a disk that does not answer, takes no time of a processor. */
  #takeFromStalled (): void {
    for (const turn of this.#in('running')) if (turn.stallsIn <= 0) turn.hold()
    this.#assign()
  }

  /** Those that would use a slot, the most urgent first. */
  #candidates (): Turn[] {
    const ofAccounts = new Map<string, number>()
    for (const { task } of this.#in('running', 'held')) {
      const { account } = task
      const counts = account !== undefined && task.ahead(true) < Infinity
      if (counts) ofAccounts.set(account, (ofAccounts.get(account) ?? 0) + 1)
    }
    const mayBegin = ({ hasProcess, task: { account } }: Turn) =>
      hasProcess || account === undefined || (ofAccounts.get(account) ?? 0) < this.#limits.ofAccount
    return [...this.#turns].filter(turn => turn.isWaiting && mayBegin(turn))
      .sort((a, b) => a.rank - b.rank || Number(b.hasProcess) - Number(a.hasProcess))
  }

  #in (...states: RunState[]): Turn[] {
    return [...this.#turns].filter(({ state }) => states.includes(state))
  }
}
