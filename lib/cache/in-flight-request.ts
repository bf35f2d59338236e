import type { Invalidation } from '../source/answer-cache.ts'
import type { Question } from '../source/question.ts'
import type { CacheKey, Result } from './cache-store.ts'

/** A call of the adapter for all who ask the same at the same time. */
export class InFlightRequest {
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
}
