import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../../contract/source-context.ts'
import { listenerKey } from '../../plays/index.ts'
import type { Invalidation } from '../../source/index.ts'
import type { ValidOptions } from '../subsonic-options.ts'
import { AccountState } from './account-state.ts'
import { RestAccount } from './rest-account.ts'

/** The approximate memory limit of all accounts in bytes. The most recently used accounts stay. */
const mostBytes = 2 ** 28

interface Sized { readonly bytes: number, hasGrown: boolean }

/** Creates a cache limited by the size of its values in bytes. A value larger than the cache becomes its only entry. */
const sizedCache = <T extends Sized>(maxSize: number) =>
  new LRUCache<string, T>({ maxSize, sizeCalculation: ({ bytes }) => Math.min(bytes + 1, maxSize) })

/** Counts the size of a value again, unless the cache has removed it: it may have missed a change since. */
function recount<T extends Sized> (cache: LRUCache<string, T>, key: string, value: T): void {
  if (cache.peek(key) !== value) return
  value.hasGrown = false
  // Setting an existing key would retain its old size.
  cache.delete(key)
  cache.set(key, value)
}

/** The cached data of all accounts, limited by size. */
export class RestAccounts {
  readonly #accounts = sizedCache<RestAccount>(mostBytes)
  readonly #states = sizedCache<AccountState>(mostBytes / 8)
  readonly #options: ValidOptions

  constructor (options: ValidOptions) {
    this.#options = options
  }

  /** Returns the account of a context, or of the authorization if the context has none. */
  of ({ account, varyBy = '', adapter: { library } }: RequestContext, authorization: string): RestAccount {
    const key = listenerKey(account, authorization)
    const hasLibrary = library !== undefined
    const ofVariant = JSON.stringify([key, varyBy, hasLibrary])
    const kept = this.#accounts.get(ofVariant)
    if (kept !== undefined) return kept
    const made = new RestAccount(ofVariant, this.stateOf(key), hasLibrary)
    // Stored immediately, so that it receives invalidations while its first call reads.
    this.#accounts.set(ofVariant, made)
    return made
  }

  /** Returns the data that an account shares across all variants. */
  stateOf (key: string): AccountState {
    const [isNamed, name]: [boolean, string] = JSON.parse(key)
    const state = this.#states.get(key) ?? new AccountState(key, isNamed ? name : undefined, name, this.#options)
    this.#states.set(key, state)
    return state
  }

  /** Counts the size of an account after a call. */
  recount (account: RestAccount): void {
    const { state } = account
    if (state.hasGrown) recount(this.#states, state.key, state)
    // Each call of a source without a library records items.
    if (account.hasGrown || account.items.isKept) recount(this.#accounts, account.key, account)
  }

  /** Invalidates data after a change at the source, by any protocol. */
  invalidate (invalidation: Invalidation): void {
    for (const account of this.#accounts.values()) {
      if ('changes' in invalidation) {
        for (const change of invalidation.changes) if (account.state.account === change.account) account.changed(change)
      } else if (invalidation.forget.account === undefined || invalidation.forget.account === account.state.account) {
        account.forget()
      }
    }
  }
}
