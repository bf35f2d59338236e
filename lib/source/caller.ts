import type { TimedCall } from '../async/timed-call.ts'

/** The part of a logger that is used. */
export interface Log {
  warn (message: string): void
  warn (details: object, message: string): void
  error (details: object, message: string): void
}

/** Who asks the source: the client of one request, within a time limit. */
export interface Caller extends Pick<TimedCall, 'signal' | 'run' | 'isOver' | 'hasLimit' | 'share'> {
  readonly log: Log
  /** The `Authorization` header or the login in its place. */
  readonly authorization?: string | undefined
  /** What no error may tell others, nor the log: the token, a password. */
  readonly secrets: readonly string[]
  /** Adds the ids of sources that the response lacks to its headers. */
  tellPartial? (missing: readonly string[]): void
}
