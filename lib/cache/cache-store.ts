import type { ReadMethod } from '../contract/operations.ts'
import type { Invalidation, Log, WrittenData } from '../source/index.ts'
import type { CacheEntry } from './entries.ts'
import type { CachePolicy } from './policies.ts'

/** The key of a response in the cache. */
export interface CacheKey {
  readonly text: string
  readonly operation: ReadMethod
  readonly args: readonly unknown[]
  /** `undefined` for responses that are the same for all accounts. */
  readonly account: string | undefined
  readonly policy: CachePolicy
}

/** The result of a call: a cached response, or a response that is only sent. */
export type Result =
  | { readonly entry: CacheEntry }
  | WrittenData & { readonly isPersonal: boolean, readonly lacksList: boolean }

/** The part of a cache request that the store reads. */
export interface StoreRequest {
  readonly key: CacheKey
  readonly isOver: boolean
  /** If `true`, data has changed since the request began, so later requests must not receive its result. */
  readonly isBeforeChange: boolean
}

/**
 * A call by this replica for which the other replicas wait. Exactly one of the two methods is called at its end.
 * Neither rejects.
 */
export interface CallForAll {
  set (result: Result): Promise<void>
  /** @param shared the error without the secrets of the client that started the call */
  fail (error: unknown, shared: Error): Promise<void>
}

/** The state of a key in the store. */
export interface Stored {
  /** The stored entry; `undefined` without a valid one. */
  readonly entry: CacheEntry | undefined
  /** Begins the call for which the other replicas wait. Present only if this replica holds the lock. */
  readonly begin?: () => CallForAll
}

/** The functions of the cache that the store calls. */
export interface StoreOwner {
  readonly log: Pick<Log, 'warn'>
  /** Applies an invalidation of another replica. */
  apply (invalidation: Invalidation): void
  /** Clears the cache after messages of other replicas may have been lost. */
  clear (): void
  isInvalid (invalidation: Invalidation, entry: CacheEntry): boolean
}

/** A store of cache entries for all replicas. Opaque to authors: `redisStore` creates one. */
export abstract class CacheStore {
  /** Called once, at registration. */
  abstract open (owner: StoreOwner): void
  /**
   * Returns the current entry, and again the entry after each call of another replica. It ends with a `begin` if this
   * replica holds the lock, or without it if no replica would wait for the call. Stop the iteration when an entry is
   * recent enough. Failures of the store itself are never thrown.
   *
   * @throws the error of the call of another replica
   */
  abstract looks (request: StoreRequest): AsyncIterable<Stored>
  /** Publishes an invalidation to all replicas and for later reads. Never fails. */
  abstract publish (invalidation: Invalidation, owners: readonly (string | undefined)[]): Promise<void>
  abstract close (): Promise<void>
}
