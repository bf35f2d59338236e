import type { ReadMethod } from '../contract/operations.ts'
import type { Invalidation } from '../source/answer-cache.ts'
import type { CacheEntry } from './entries.ts'
import type { CachePolicy } from './policies.ts'

/** The key of an answer in the cache. */
export interface CacheKey {
  readonly text: string
  readonly operation: ReadMethod
  readonly args: readonly unknown[]
  /** `undefined` for answers that are the same for all accounts. */
  readonly account: string | undefined
  readonly policy: CachePolicy
}

/** The result of a call: an answer that is cached, or one that is only sent. */
export type Result =
  | { readonly entry: CacheEntry }
  | { readonly body: string, readonly data?: unknown, readonly isPersonal: boolean, readonly lacksList: boolean }

/** What the store uses of an in-flight request. */
export interface StoreRequest {
  readonly key: CacheKey
  /** Calls the adapter. */
  call (): Promise<Result>
  /** An error of the call, without the secrets of the client that started it. */
  shareable (error: unknown): Error
  /** The result that the entry of another replica is, if it is new enough. */
  accept (entry: CacheEntry): Result | undefined
  readonly isOver: boolean
  /** Whether something changed since it began, so that its result is not for those who ask from then on. */
  readonly isBeforeChange: boolean
}

/** What the store uses of the cache. */
export interface StoreOwner {
  warn (message: string): void
  /** Another replica says what is invalid. */
  apply (invalidation: Invalidation): void
  /** Messages of other replicas may have been lost. */
  clear (): void
  isInvalid (invalidation: Invalidation, entry: CacheEntry): boolean
}

/** Cache entries of all replicas. Opaque to authors: `redisStore` makes one. */
export abstract class CacheStore {
  /** Called once, at registration. */
  abstract open (owner: StoreOwner): void
  /**
   * The entry of another replica, or a call of this one while the others wait for it. Of the store's own failures
   * nothing is thrown: then this replica calls.
   *
   * @throws what the call throws, here or on another replica
   */
  abstract fetch (request: StoreRequest): Promise<Result>
  /** Tells all replicas, and whoever reads later. Never fails. */
  abstract publish (invalidation: Invalidation, owners: readonly (string | undefined)[]): Promise<void>
  abstract close (): Promise<void>
}
