import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../../contract/source-context.ts'
import { listenerKey } from '../../plays/index.ts'
import type { Invalidation } from '../../source/index.ts'
import type { ValidOptions } from '../subsonic-options.ts'
import { AccountState } from './account-state.ts'
import { RestAccount } from './rest-account.ts'

/** Bytes, roughly, that the accounts take in memory. Those used last stay. */
const mostBytes = 2 ** 28

interface Sized { readonly bytes: number, hasGrown: boolean }

/** Keeps values by their size in bytes. One that is larger than the cache is the only one in it. */
const sizedCache = <T extends Sized>(maxSize: number) =>
  new LRUCache<string, T>({ maxSize, sizeCalculation: ({ bytes }) => Math.min(bytes + 1, maxSize) })

/** Counts the bytes of a value again, unless it was removed: it may have missed a change then. */
function recount<T extends Sized> (cache: LRUCache<string, T>, key: string, value: T): void {
  if (cache.peek(key) !== value) return
  value.hasGrown = false
  // A value that is set again keeps the size that it had.
  cache.delete(key)
  cache.set(key, value)
}

/** What is kept of all accounts, within a number of bytes. */
export class RestAccounts {
  readonly #accounts = sizedCache<RestAccount>(mostBytes)
  readonly #states = sizedCache<AccountState>(mostBytes / 8)
  readonly #options: ValidOptions

  constructor (options: ValidOptions) {
    this.#options = options
  }

  /** The account of a context; without one in it that of the authorization. */
  of ({ account, variant = '', adapter: { library } }: RequestContext, authorization: string): RestAccount {
    const key = listenerKey(account, authorization)
    const hasLibrary = library !== undefined
    const ofVariant = JSON.stringify([key, variant, hasLibrary])
    const kept = this.#accounts.get(ofVariant)
    if (kept !== undefined) return kept
    const made = new RestAccount(ofVariant, this.stateOf(key), hasLibrary)
    // From now on, so that it is told of changes while its first call reads.
    this.#accounts.set(ofVariant, made)
    return made
  }

  /** What belongs to a listener in all variants. */
  stateOf (key: string): AccountState {
    const [isNamed, name]: [boolean, string] = JSON.parse(key)
    const state = this.#states.get(key) ?? new AccountState(key, isNamed ? name : undefined, name, this.#options)
    this.#states.set(key, state)
    return state
  }

  /** Counts the bytes of an account that a call has used. */
  recount (account: RestAccount): void {
    const { state } = account
    if (state.hasGrown) recount(this.#states, state.key, state)
    // What a source without a library shows is noted with each call.
    if (account.hasGrown || account.items.isKept) recount(this.#accounts, account.key, account)
  }

  /** What changed at the source, by any protocol. */
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
