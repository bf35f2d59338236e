import { requireSync } from '../options/require-sync.ts'
import type { Change, Invalidation } from '../source/index.ts'
import type { CacheKey } from './cache-store.ts'
import { compileInvalidation, concerns, type Affected } from './invalidation.ts'
import type { CacheMetrics } from './metrics.ts'
import type { SourceCacheOptions } from './source-cache-options.ts'

const none = new Uint32Array()

/** Decides which entries are invalid: by the rules of the contract and by the option `affects`. */
export class InvalidationRules {
  readonly #affects: SourceCacheOptions['affects']
  readonly #metrics: CacheMetrics

  constructor (affects: SourceCacheOptions['affects'], metrics: CacheMetrics) {
    this.#affects = affects
    this.#metrics = metrics
  }

  /** Compiles a function that checks whether an entry is invalid. */
  compile (invalidation: Invalidation): (answer: Affected) => boolean {
    const isInvalid = compileInvalidation(invalidation)
    if (!('changes' in invalidation) || this.#affects === undefined) return isInvalid
    return answer => isInvalid(answer) || invalidation.changes.some(change => this.#isAffected(change, answer))
  }

  /** Returns whether the result of a running call may be invalid when it arrives. */
  mayConcern (invalidation: Invalidation, { operation, args, account }: CacheKey): boolean {
    if ('changes' in invalidation) {
      return invalidation.changes.some(change =>
        concerns(change, account) || this.#isAffected(change, { operation, args, account }))
    }
    const forget = { ...invalidation.forget, id: undefined }
    return compileInvalidation({ forget })({ operation, args, account, ids: none })
  }

  /** Returns the accounts whose entries a call's changes may invalidate; `undefined` stands for public entries. */
  ownersOf (changes: readonly Change[]): (string | undefined)[] {
    const isEverywhere = this.#affects !== undefined || changes.some(change => concerns(change, undefined))
    const accounts = new Set(changes.flatMap(({ account }) => account ?? []))
    return [...accounts, ...isEverywhere ? [undefined] : []]
  }

  #isAffected (change: Change, answer: Omit<Affected, 'ids'>): boolean {
    if (this.#affects === undefined || (answer.account !== undefined && answer.account !== change.account)) return false
    const { operation, args } = answer
    try {
      return requireSync(
        'affects', this.#affects({ operation: change.operation, args: change.args }, { operation, args })
      )
    } catch (error) {
      this.#metrics.warnOnce({ reason: (error as Error)?.message }, 'affects callback failed')
      return true
    }
  }
}
