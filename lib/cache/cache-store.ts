import type { ReadMethod } from '../contract/operations.ts'
import type { Invalidation, WrittenData } from '../source/index.ts'
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
  | WrittenData & { readonly isPersonal: boolean, readonly lacksList: boolean }

/** What the store reads of a cache request. */
export interface StoreRequest {
  readonly key: CacheKey
  readonly isOver: boolean
  /** Whether something changed since it began, so that its result is not for those who ask from then on. */
  readonly isBeforeChange: boolean
}

/** A call of this replica that the others wait for. One of the two is called when it ends; neither rejects. */
export interface CallForAll {
  set (result: Result): Promise<void>
  /** @param shared the error without the secrets of the client that started the call */
  fail (error: unknown, shared: Error): Promise<void>
}

/** What the replicas have. */
export interface Stored {
  /** `undefined` if there is none that is valid. */
  readonly entry: CacheEntry | undefined
  /** Begins the call that the others wait for, where it is this replica's turn. */
  readonly begin?: () => CallForAll
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
   * What is stored now, and again when a call of another replica has ended; at last with this one's turn, or without,
   * where nobody would wait for it. Whoever has found what is new enough looks no further. Failures of the store itself
   * are never thrown.
   *
   * @throws what the call of another replica has thrown
   */
  abstract looks (request: StoreRequest): AsyncIterable<Stored>
  /** Tells all replicas, and whoever reads later. Never fails. */
  abstract publish (invalidation: Invalidation, owners: readonly (string | undefined)[]): Promise<void>
  abstract close (): Promise<void>
}
