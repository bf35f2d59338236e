import { shareable } from '../errors/shareable.ts'
import type { Invalidation, Question } from '../source/index.ts'
import type { CacheKey, Result, StoreRequest } from './cache-store.ts'
import type { InvalidationRules } from './invalidation-rules.ts'

/** A call of the adapter that is shared by all concurrent identical requests. */
export class InFlightRequest implements StoreRequest {
  readonly key: CacheKey
  /** The question that started the call. */
  readonly question: Question
  /** The start in milliseconds of `elapsed()`. */
  readonly createdAt: number
  /** If `true`, the call refreshes an entry in the background, and no request waits for it. */
  readonly isBackground: boolean
  /** The questions that wait for the result. */
  readonly waiting: Question[]
  /** The invalidations since the call began. */
  readonly invalidations: Invalidation[] = []
  /** If `true`, the call found an entry that may be sent but must be refreshed. */
  isStale = false
  isOver = false
  /** If `true`, data has changed since the call began, so later requests must not receive its result. */
  isBeforeChange = false
  result!: Promise<Result>

  constructor (key: CacheKey, question: Question, createdAt: number, isBackground: boolean) {
    this.key = key
    this.question = question
    this.createdAt = createdAt
    this.isBackground = isBackground
    this.waiting = isBackground ? [] : [question]
    // The call ends by the time limit, not when the client that started it disconnects.
    question.caller.share()
  }

  /** Returns an error of the call, without the secrets of the client that started it. */
  shareable (error: unknown): Error { return shareable(error, this.question.caller.secrets) }
}

/** The running calls. */
export class InFlightRequests {
  readonly #all = new Set<InFlightRequest>()
  /** The calls that further requests may join, by key. */
  readonly #joinable = new Map<string, InFlightRequest>()

  joinable (key: string): InFlightRequest | undefined { return this.#joinable.get(key) }

  add (request: InFlightRequest): void {
    this.#all.add(request)
    this.#joinable.set(request.key.text, request)
  }

  remove (request: InFlightRequest): void {
    request.isOver = true
    this.#all.delete(request)
    this.#closeTo(request)
  }

  /**
   * Applies an invalidation. A request after a change must see the change, so it must not join a call that began
   * before.
   */
  apply (invalidation: Invalidation, rules: InvalidationRules): void {
    for (const request of this.#all) {
      request.invalidations.push(invalidation)
      if (!rules.mayConcern(invalidation, request.key)) continue
      request.isBeforeChange = true
      this.#closeTo(request)
    }
  }

  #closeTo (request: InFlightRequest): void {
    const { text } = request.key
    if (this.#joinable.get(text) === request) this.#joinable.delete(text)
  }
}
