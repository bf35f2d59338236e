import { shareable } from '../errors/shareable.ts'
import type { Invalidation, Question } from '../source/index.ts'
import type { CacheKey, Result, StoreRequest } from './cache-store.ts'
import type { InvalidationRules } from './invalidation-rules.ts'

/** A call of the adapter for all who ask the same at the same time. */
export class InFlightRequest implements StoreRequest {
  readonly key: CacheKey
  /** What started it. */
  readonly question: Question
  /** Milliseconds of `elapsed()`. */
  readonly createdAt: number
  /** Whether it refreshes an entry that was sent: nobody waits for it. */
  readonly isBackground: boolean
  /** Those whom it answers. */
  readonly waiting: Question[]
  /** What happened since it began. */
  readonly invalidations: Invalidation[] = []
  /** Whether it found an entry that may be sent and has to be fetched anew. */
  isStale = false
  isOver = false
  /** Whether something changed since it began, so that its result is not for those who ask from then on. */
  isBeforeChange = false
  result!: Promise<Result>

  constructor (key: CacheKey, question: Question, createdAt: number, isBackground: boolean) {
    this.key = key
    this.question = question
    this.createdAt = createdAt
    this.isBackground = isBackground
    this.waiting = isBackground ? [] : [question]
    // It ends by the time limit, not when the client that started it leaves.
    question.caller.share()
  }

  /** An error of the call, without the secrets of the client that started it. */
  shareable (error: unknown): Error { return shareable(error, this.question.caller.secrets) }
}

/** The calls that are under way. */
export class InFlightRequests {
  readonly #all = new Set<InFlightRequest>()
  /** Those that others may join, by key. */
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

  /** Who asks after a change must see it, so nobody joins what began before. */
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
