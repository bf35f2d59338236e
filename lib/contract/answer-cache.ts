import type { AdapterMethod } from './operations.ts'

/** A call of an operation, for one account. */
export interface Question {
  readonly operation: AdapterMethod
  /** Arguments of the adapter method, defaults filled in. */
  readonly args: readonly unknown[]
  readonly account: string | undefined
  readonly variant: string | undefined
}

/** What the source answered: the adapter's value, and the body written from it. */
export interface FreshAnswer {
  readonly data: unknown
  readonly body: string
}

/** The source behind one request. */
export interface Source {
  /** Asks the adapter. */
  ask (): Promise<FreshAnswer>
  /**
   * Runs something for all who ask the same at the same time: within the time limit, whether or not this client waits
   * for it.
   *
   * @throws TimeoutError when the time limit has passed
   */
  share<T> (call: () => Promise<T>): Promise<T>
  /** Logs a failure that no client is told. */
  report (error: unknown): void
}

/** A body that may be sent, and the headers that tell clients whether they may keep it. */
export interface CachedAnswer {
  readonly body: string | Buffer
  readonly etag?: string | undefined
  /** `Cache-Control` */
  readonly cacheControl: string
  /** `Cache-Status` (RFC 9211), sent in development. */
  readonly cacheStatus: string
}

/** What the plugin needs of a cache of answers; `createSourceCache` makes one. */
export interface AnswerCache {
  /**
   * Called once, at registration.
   *
   * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION when the cache belongs to another registration
   */
  attach (log: { warn: (message: string) => void }): void
  /**
   * Answers a read operation, without a promise where the answer is kept.
   *
   * @param refresh whether the client does not want a kept answer
   * @throws what the adapter threw, and a kept 404
   */
  answer (question: Question, source: Source, refresh: boolean): CachedAnswer | Promise<CachedAnswer>
  /**
   * Forgets what a mutation changed, before its answer is sent. Never fails.
   *
   * @param data what the adapter answered, `undefined` when it failed
   */
  change (mutation: Question, data: unknown): void | Promise<void>
  close (): Promise<void>
}
