import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../../contract/source-context.ts'
import type { Invalidation } from '../../source/answer-cache.ts'
import type { CheckedOptions } from '../check-options.ts'
import { AccountState } from './account-state.ts'
import { Account } from './account.ts'

/** Bytes, roughly, that the accounts take in memory. Those used last stay. */
const mostBytes = 2 ** 28

/** Keeps what tells its own size. One that is larger than all may be together is the only one. */
class SizedCache<T extends { readonly bytes: number, readonly key: string }> {
  readonly #max: number
  readonly #cache: LRUCache<string, T>

  constructor (max: number) {
    this.#max = max
    this.#cache = new LRUCache({ maxSize: max, sizeCalculation: ({ bytes }) => Math.min(bytes, this.#max) })
  }

  get (key: string): T | undefined { return this.#cache.get(key) }

  /** Keeps it, by the size that it has now. */
  add (value: T): T {
    this.#cache.set(value.key, value, { noUpdateTTL: true })
    return value
  }

  /** Counts its bytes again, unless it was removed: it may have missed a change then. */
  recount (value: T): void {
    if (this.#cache.peek(value.key) === value) this.add(value)
  }

  values () { return this.#cache.values() }
}

/** What is kept of all accounts, within a number of bytes. */
export class Accounts {
  readonly #accounts = new SizedCache<Account>(mostBytes)
  readonly #states = new SizedCache<AccountState>(mostBytes / 8)
  readonly #options: CheckedOptions

  constructor (options: CheckedOptions) {
    this.#options = options
  }

  /** The account of a context; without one in it that of the authorization. */
  of ({ account, variant = '' }: RequestContext, authorization: string): Account {
    const name = account ?? createHash('sha256').update(authorization).digest('base64url')
    // Accounts that the source names are told from the others.
    const key = JSON.stringify([account !== undefined, name])
    const ofVariant = `${key} ${variant}`
    const kept = this.#accounts.get(ofVariant)
    if (kept !== undefined) return kept
    const state = this.#states.get(key) ?? this.#states.add(new AccountState(key, account, name, this.#options))
    // From now on, so that it is told of changes while its first call reads.
    return this.#accounts.add(new Account(ofVariant, state, this.#options))
  }

  /** Counts the bytes of an account that a call has used. */
  recount (account: Account): void {
    this.#states.recount(account.state)
    this.#accounts.recount(account)
  }

  /** What changed at the source, by any protocol. */
  invalidate (invalidation: Invalidation): void {
    for (const account of this.#accounts.values()) {
      if ('change' in invalidation) {
        if (account.state.account === invalidation.change.account) account.changed(invalidation.change)
      } else if (invalidation.forget.account === undefined || invalidation.forget.account === account.state.account) {
        account.forget()
      }
    }
  }
}
