import { LRUCache } from 'lru-cache'
import { elapsed } from '../async/elapsed.ts'
import { noteReported } from '../errors/reported.ts'
import { SourceError, TimeoutError, UpstreamError } from '../contract/errors.ts'
import { lruOptions } from '../options/lru-options.ts'

/** The availability of a source. */
export interface SourceStatus {
  readonly id: string
  readonly name: string
  readonly available: boolean
  /** The time of the last change of `available`, in Unix milliseconds. */
  readonly since: number
  /** The reason why the source is not available, without the text that it sent. */
  readonly reason?: string | undefined
}

/** A logger of changes. */
export interface StateLog {
  warn (details: object, message: string): void
  info? (details: object, message: string): void
}

/** Milliseconds without calls after a failure. Each further failure doubles them; a timeout takes the longest. */
const pauses = { first: 5000, longest: 30_000 }

/** Statuses of a source that does not work at all. */
const unavailable = new Set([502, 503, 504])

/** The error of a call that was not made. */
class NotCalled extends UpstreamError {}

/** Returns whether the source rejected one call, and not the login. */
const isDenied = (cause: unknown): boolean => cause instanceof SourceError && cause.status === 403

/** Returns whether an error means that the source is unavailable, rather than that one call failed. */
export const isOutage = (error: unknown): boolean =>
  error instanceof SourceError && unavailable.has(error.status) && !isDenied(error.cause)

/** The availability of a source. After a failure it is not called for a while; then one call at a time tests it. */
export class SourceState {
  readonly #about: { readonly id: string, readonly name: string }
  #failure: SourceError | undefined
  #since = Date.now()
  #pause = 0
  #retryAt = 0

  constructor (about: { readonly id: string, readonly name: string }) {
    this.#about = about
  }

  get status (): SourceStatus {
    const { id, name } = this.#about
    const failure = this.#failure
    return { id, name, available: failure === undefined, since: this.#since, ...failure && { reason: failure.message } }
  }

  /** Returns the error of a call that must not be made; `undefined` if it may be made. */
  refusal (): SourceError | undefined {
    if (this.#failure === undefined) return undefined
    if (elapsed() >= this.#retryAt) {
      this.#retryAt = elapsed() + this.#pause
      return undefined
    }
    return noteReported(new NotCalled(`${this.#about.name} is not responding`, { cause: this.#failure }))
  }

  /** Records a response. */
  succeed (log?: StateLog): void {
    if (this.#failure === undefined) return
    this.#failure = undefined
    this.#since = Date.now()
    this.#pause = 0
    log?.info?.({ source: this.#about.id }, 'source available')
  }

  /** Records a failure, if it is an outage and not a failure of one call. */
  fail (error: unknown, log?: StateLog): void {
    if (!isOutage(error) || error instanceof NotCalled) return
    if (log !== undefined) noteReported(error as SourceError)
    this.#pause = error instanceof TimeoutError
      ? pauses.longest
      : Math.min(pauses.longest, this.#pause * 2 || pauses.first)
    this.#retryAt = elapsed() + this.#pause
    if (this.#failure === undefined) {
      this.#since = Date.now()
      log?.warn({ source: this.#about.id, reason: (error as SourceError).message }, 'source unavailable')
    }
    this.#failure = error as SourceError
  }

  /** Marks the failure of a call as logged if the source is already unavailable. */
  failAgain (error: unknown): void {
    if (this.#failure !== undefined && isOutage(error)) noteReported(error as SourceError)
  }

  /** Allows the next call at any time. */
  retry (): void { this.#retryAt = 0 }
}

/** The states of all sources. Combinations are created for each request, so create the states once. */
export class SourceStates {
  /** By source id and account. */
  readonly #states = new LRUCache<string, SourceState>(lruOptions(10_000))
  /** By source id: the state of the account that was seen first. */
  readonly #first = new LRUCache<string, SourceState>(lruOptions(1000))

  /** Returns the state of a source as one account sees it. */
  of (id: string, name: string, account: string): SourceState {
    const key = JSON.stringify([id, account])
    const known = this.#states.get(key) ?? new SourceState({ id, name })
    this.#states.set(key, known)
    if (!this.#first.has(id)) this.#first.set(id, known)
    return known
  }

  /** Returns the availability of each source: for the account that was seen first. */
  list (): readonly SourceStatus[] {
    return Array.from(this.#first.rvalues(), state => state!.status)
  }
}

/** The states of combinations without the option `states`. */
export const commonStates = new SourceStates()
