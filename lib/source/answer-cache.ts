import type { MutationMethod, ReadMethod } from '../contract/operations.ts'
import type { Log } from './caller.ts'
import type { Question } from './question.ts'

/** A mutation that was called, whatever its result. Plain data, because it is sent to other replicas. */
export interface Change {
  readonly operation: MutationMethod
  readonly args: readonly unknown[]
  readonly account?: string | undefined
  /** The id of the changed item, if there is one. */
  readonly id?: string | undefined
}

/** A filter of cache entries to invalidate: entries that match all given properties. */
export interface InvalidationFilter {
  readonly account?: string | undefined
  readonly operation?: ReadMethod | undefined
  /** Entries that were requested by this id or contain an item with it. */
  readonly id?: string | undefined
}

/** The reason of an invalidation: the changes of one call, or a filter. Plain data, like `Change`. */
export type Invalidation = { readonly changes: readonly Change[] } | { readonly forget: InvalidationFilter }

/** A response body, and the headers that control caching by clients. */
export interface CachedResponse {
  readonly body: string | Buffer
  /** The extras of the items as a string; `/v1` does not send them. */
  readonly extras?: string | undefined
  /**
   * The adapter's return value, if it is not cached and the question accepts objects. Writing `body` may then take
   * long.
   */
  readonly data?: unknown
  readonly etag?: string | undefined
  /** The value of the `Cache-Control` header. */
  readonly cacheControl: string
  /**
   * If `true`, the adapter returned something else instead of a list. The empty list in the body is then not a valid
   * response.
   */
  readonly lacksList: boolean
  /** The ids of the missing sources. Partial responses are not cached. Default: none. */
  readonly missing?: readonly string[] | undefined
  /** Returns the value of `Cache-Status` (RFC 9211) without the name of the cache, sent in development. */
  cacheStatus (): string
}

/** The cache interface that the plugin uses. `createSourceCache` creates a cache. */
export interface ResponseCache {
  /**
   * Called once, at registration.
   *
   * @param onInvalid called with each invalidation, including invalidations of other replicas
   * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION if the cache belongs to another registration
   */
  attach (log: Pick<Log, 'warn'>, onInvalid: (invalidation: Invalidation) => void): void
  /**
   * Returns the response to a question: synchronously from a cache entry, or from the adapter. Concurrent identical
   * questions share one adapter call.
   *
   * @throws the error of the adapter
   */
  fetch (question: Question): CachedResponse | Promise<CachedResponse>
  /** Invalidates the entries that one call of an account changed, before its response is sent. Never fails. */
  change (changes: readonly Change[]): void | Promise<void>
  close (): Promise<void>
}
