import type { AdapterMethod } from './operations.ts'

/** A call of an operation, for one account. */
export interface Question {
  readonly operation: AdapterMethod
  /** Arguments of the adapter method, defaults filled in. */
  readonly args: readonly unknown[]
  readonly account: string | undefined
  readonly variant: string | undefined
}

/** What runs calls of the source for one request, within its time limit. */
export interface TimedCall {
  /** Calls either `onAnswer` or `onError`, once; `onError` with a TimeoutError when the time limit has passed. */
  run<T> (call: () => T | Promise<T>, onAnswer: (value: T) => void, onError: (error: Error) => void): void
  /** Runs a call for all who ask the same at the same time, whether or not this client waits for it. */
  share<T> (call: () => T | Promise<T>, onAnswer: (value: T) => void, onError: (error: Error) => void): void
}

/** One request to the source, and the client that waits for its answer. */
export interface Inquiry {
  readonly question: Question
  /** Whether the client does not want a kept answer. */
  readonly refresh: boolean
  readonly call: TimedCall
  /** Asks the adapter. May throw, and answers with or without a promise, as the adapter does. */
  readonly ask: () => unknown
  /**
   * The body that is sent of what the adapter answered.
   *
   * @throws what the serializer throws for data that breaks the contract
   */
  write (data: unknown): string
  send (answer: CachedAnswer): void
  fail (error: unknown): void
  /** The error of this client's call for the others who wait for it: without this client's secrets. */
  shareable (error: unknown): Error
  /** Logs a failure that no client is told. */
  report (error: unknown): void
}

/** A body that may be sent, and the headers that tell clients whether they may keep it. */
export interface CachedAnswer {
  readonly body: string | Buffer
  readonly etag?: string | undefined
  /** `Cache-Control` */
  readonly cacheControl: string
  /** `Cache-Status` (RFC 9211) without the name of the cache, sent in development. */
  cacheStatus (): string
}

/** What the plugin needs of a cache of answers; `createSourceCache` makes one. */
export interface AnswerCache {
  /**
   * Called once, at registration.
   *
   * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION when the cache belongs to another registration
   */
  attach (log: { warn: (message: string) => void }): void
  /** Answers a read operation, at once where the answer is kept. */
  answer (inquiry: Inquiry): void
  /**
   * Forgets what a mutation changed, before its answer is sent. Never fails.
   *
   * @param data what the adapter answered, `undefined` when it failed
   */
  change (mutation: Question, data: unknown): void | Promise<void>
  close (): Promise<void>
}
