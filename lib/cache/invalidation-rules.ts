import { atOnce } from '../options/at-once.ts'
import type { Change, Invalidation } from '../source/index.ts'
import type { CacheKey } from './cache-store.ts'
import { compileInvalidation, concerns, type Affected } from './invalidation.ts'
import type { CacheMetrics } from './metrics.ts'
import type { SourceCacheOptions } from './source-cache-options.ts'

/** Says what is invalid: by the rules of the contract, and by the option `affects`. */
export class InvalidationRules {
  readonly #affects: SourceCacheOptions['affects']
  readonly #metrics: CacheMetrics

  constructor (affects: SourceCacheOptions['affects'], metrics: CacheMetrics) {
    this.#affects = affects
    this.#metrics = metrics
  }

  /** Makes the test whether an answer is invalid. */
  compile (invalidation: Invalidation): (answer: Affected) => boolean {
    const isInvalid = compileInvalidation(invalidation)
    if (!('change' in invalidation) || this.#affects === undefined) return isInvalid
    return answer => isInvalid(answer) || this.#isAffected(invalidation.change, answer)
  }

  /** Whether the result of a call that is under way may be invalid when it comes. */
  mayConcern (invalidation: Invalidation, { operation, args, account }: CacheKey): boolean {
    if ('change' in invalidation) {
      const { change } = invalidation
      return concerns(change, account) || this.#isAffected(change, { operation, args, account })
    }
    const forget = { ...invalidation.forget, id: undefined }
    return compileInvalidation({ forget })({ operation, args, account, body: '' })
  }

  /** Whose answers a change may make invalid; `undefined` stands for the public ones. */
  ownersOf (change: Change): (string | undefined)[] {
    const isEverywhere = concerns(change, undefined) || this.#affects !== undefined
    return [...change.account === undefined ? [] : [change.account], ...isEverywhere ? [undefined] : []]
  }

  #isAffected (change: Change, answer: Omit<Affected, 'body'>): boolean {
    if (this.#affects === undefined || (answer.account !== undefined && answer.account !== change.account)) return false
    const { operation, args } = answer
    try {
      return atOnce('affects', this.#affects({ operation: change.operation, args: change.args }, { operation, args }))
    } catch (error) {
      const reason = (error as Error)?.message
      this.#metrics.warnOnce('affects', `The option affects threw, so the answer is forgotten: ${reason}`)
      return true
    }
  }
}
