import { limitConcurrency } from '../async/limit-concurrency.ts'
import { RateLimitedError } from '../contract/errors.ts'
import { Gate } from './gate.ts'
import { upstreamError } from '../errors/upstream-error.ts'

interface LimiterOptions {
  readonly concurrency: number
  readonly accountConcurrency: number
  readonly queue: number
}

/** The calls of one account, and its cool-down. */
interface AccountQueue { readonly account: string, readonly cooldown: Gate, calls: number }

export const createCooldown = () => new Gate({ failures: 1, together: 0, pause: 500, longest: 30_000 })

/** Limits the concurrent calls at the upstream, in total and per account, and the number of waiting calls. */
export class ConcurrencyLimiter {
  readonly #mostWaiting: number
  readonly #limit: ReturnType<typeof limitConcurrency>
  readonly #queues = new Map<string, AccountQueue>()
  #waiting = 0

  constructor ({ concurrency, accountConcurrency, queue }: LimiterOptions) {
    this.#mostWaiting = queue
    this.#limit = limitConcurrency({ ofKey: accountConcurrency, inAll: concurrency })
  }

  /** The number of waiting calls. */
  get waiting (): number {
    return this.#waiting
  }

  /** The number of accounts whose cool-down stops calls. */
  get cooldowns (): number {
    return [...this.#queues.values()].filter(({ cooldown }) => !cooldown.passable).length
  }

  /** Runs a call of an account, whose queue exists during its calls. Without an account, `queue` is `undefined`. */
  async forAccount<T> (account: string | undefined, run: (queue: AccountQueue | undefined) => Promise<T>): Promise<T> {
    if (account === undefined) return run(undefined)
    const queue = this.#queues.get(account) ?? this.#createQueue(account)
    queue.calls++
    try {
      return await run(queue)
    } finally {
      queue.calls--
      if (queue.calls === 0 && queue.cooldown.idle) this.#queues.delete(account)
    }
  }

  #createQueue (account: string): AccountQueue {
    // Removes accounts whose cool-down has ended and that have no calls.
    for (const [other, { calls, cooldown }] of this.#queues) {
      if (calls === 0 && cooldown.idle) this.#queues.delete(other)
    }
    const queue = { account, cooldown: createCooldown(), calls: 0 }
    this.#queues.set(account, queue)
    return queue
  }

  /**
   * Runs a function within the limit of the account, if there is one, and of the upstream.
   *
   * @throws RateLimitedError if too many calls wait already; the signal's reason
   */
  async run<T> (
    name: string, queue: AccountQueue | undefined, signal: AbortSignal, run: () => Promise<T>
  ): Promise<T> {
    const key = queue?.account
    const leave = this.#join(name, this.#limit.isFull(key))
    const begin = () => {
      leave()
      return run()
    }
    try {
      return await this.#limit(begin, { key, signal })
    } finally {
      leave()
    }
  }

  /** Waits for a gate, but no longer than `most` milliseconds. Meanwhile the call counts as waiting. */
  async waitAt (name: string, gate: Gate, most: number, signal: AbortSignal): Promise<void> {
    const leave = this.#join(name, true)
    try {
      await gate.wait(most, signal)
    } finally {
      leave()
    }
  }

  /** Counts a waiting call until the returned function is called. */
  #join (name: string, mustWait: boolean): () => void {
    if (mustWait && this.#waiting >= this.#mostWaiting) {
      throw upstreamError(RateLimitedError, `${name}: too many calls are waiting`, 1)
    }
    this.#waiting++
    let isWaiting = true
    return () => {
      if (isWaiting) this.#waiting--
      isWaiting = false
    }
  }
}
