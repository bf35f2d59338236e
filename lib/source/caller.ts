import type { TimedCall } from '../async/timed-call.ts'

/** The part of a logger that is used. */
export interface Log {
  warn (details: object, event: string): void
  error (details: object, event: string): void
}

/** The client of one request to the source, with a time limit. */
export interface Caller extends Pick<TimedCall, 'signal' | 'run' | 'isOver' | 'hasLimit' | 'share'> {
  readonly log: Log
  /** The `Authorization` header, or the login instead of it. */
  readonly authorization?: string | undefined
  /** Secrets to remove from error messages and the log: the token, a password. */
  readonly secrets: readonly string[]
  /** Adds the ids of sources that are missing from the response to its headers. */
  tellPartial? (missing: readonly string[]): void
}
