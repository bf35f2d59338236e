import PQueue from 'p-queue'
import { RateLimitedError } from '../contract/errors.ts'
import { Gate } from './gate.ts'

interface PlacesOptions {
  readonly concurrency: number
  readonly accountConcurrency: number
  readonly queue: number
}

/** The places and the cool-down of one account. */
interface Line { readonly places: PQueue, readonly cooldown: Gate, calls: number }

export const createCooldown = () => new Gate({ failures: 1, pause: 500, longest: 30_000 })

/** Limits how many calls run at the upstream, in all and for one account, and how many may wait. */
export class Places {
  readonly #options: PlacesOptions
  readonly #places: PQueue
  readonly #lines = new Map<string, Line>()
  #waiting = 0

  constructor (options: PlacesOptions) {
    this.#options = options
    this.#places = new PQueue({ concurrency: options.concurrency })
  }

  /** Runs a call of an account; `line` is there as long as it runs. Without an account there is none. */
  async inLine<T> (account: string | undefined, run: (line: Line | undefined) => Promise<T>): Promise<T> {
    if (account === undefined) return run(undefined)
    const line = this.#lines.get(account) ?? this.#startLine(account)
    line.calls++
    try {
      return await run(line)
    } finally {
      line.calls--
      if (line.calls === 0 && line.cooldown.idle) this.#lines.delete(account)
    }
  }

  #startLine (account: string): Line {
    // Accounts whose cool-down has ended and that made no call since.
    for (const [other, { calls, cooldown }] of this.#lines) {
      if (calls === 0 && cooldown.idle) this.#lines.delete(other)
    }
    const places = new PQueue({ concurrency: this.#options.accountConcurrency })
    const line = { places, cooldown: createCooldown(), calls: 0 }
    this.#lines.set(account, line)
    return line
  }

  /**
   * Runs at a place of the account, if there is one, and of the upstream.
   *
   * @throws RateLimitedError if too many wait already; the signal's reason
   */
  async take<T> (name: string, line: Line | undefined, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    const { concurrency, accountConcurrency } = this.#options
    const isFull = this.#places.pending >= concurrency || (line?.places.pending ?? 0) >= accountConcurrency
    const leave = this.#join(name, isFull)
    const begin = () => {
      leave()
      return run()
    }
    const inUpstream = () => this.#places.add(begin, { signal })
    try {
      return await (line === undefined ? inUpstream() : line.places.add(inUpstream, { signal }))
    } finally {
      leave()
    }
  }

  /** Waits at a gate, and counts as a waiting call. */
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
    if (mustWait && this.#waiting >= this.#options.queue) {
      throw new RateLimitedError(`${name}: too many calls are waiting`, { retryAfter: 1 })
    }
    this.#waiting++
    let isWaiting = true
    return () => {
      if (isWaiting) this.#waiting--
      isWaiting = false
    }
  }
}
