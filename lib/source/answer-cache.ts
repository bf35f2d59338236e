import type { MutationMethod, ReadMethod } from '../contract/operations.ts'
import type { Log } from './caller.ts'
import type { Question } from './question.ts'

/** A mutation that was called, whatever came of it. Plain data, since other replicas are told. */
export interface Change {
  readonly operation: MutationMethod
  readonly args: readonly unknown[]
  readonly account?: string | undefined
  /** Id of the item that changed, where there is one. */
  readonly id?: string | undefined
}

/** What is to be forgotten: answers that match all given members. */
export interface Forget {
  readonly account?: string | undefined
  readonly operation?: ReadMethod | undefined
  /** Answers that were asked for by this id, or have an item with it. */
  readonly id?: string | undefined
}

/** Why answers are invalid: the changes of one call, or what is to be forgotten. Plain data, as `Change`. */
export type Invalidation = { readonly changes: readonly Change[] } | { readonly forget: Forget }

/** A body that may be sent, and the headers that tell clients whether they may keep it. */
export interface CachedAnswer {
  readonly body: string | Buffer
  /** Extras of its items as text; `/v1` does not send them. */
  readonly extras?: string | undefined
  /** What the adapter answered, where it is not kept and the question takes it: then the body may take long. */
  readonly data?: unknown
  readonly etag?: string | undefined
  /** `Cache-Control` */
  readonly cacheControl: string
  /** Whether the adapter gave something else where a list belongs: the empty list in the body is no answer. */
  readonly lacksList: boolean
  /** Ids of the sources that it lacks: such an answer is not kept. Default: none. */
  readonly missing?: readonly string[] | undefined
  /** `Cache-Status` (RFC 9211) without the name of the cache, sent in development. */
  cacheStatus (): string
}

/** What the plugin needs of a cache; `createSourceCache` makes one. */
export interface AnswerCache {
  /**
   * Called once, at registration.
   *
   * @param onInvalid called with each invalidation, those of other replicas too
   * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION when the cache belongs to another registration
   */
  attach (log: Pick<Log, 'warn'>, onInvalid: (invalidation: Invalidation) => void): void
  /**
   * The answer to a question: at once where there is a cache entry, else from the adapter, which is called once for all
   * who ask the same at the same time.
   *
   * @throws what the adapter throws
   */
  fetch (question: Question): CachedAnswer | Promise<CachedAnswer>
  /** Invalidates what one call of an account changed, before its answer is sent. Never fails. */
  change (changes: readonly Change[]): void | Promise<void>
  close (): Promise<void>
}
