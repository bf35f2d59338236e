import { SourceError } from '../contract/errors.ts'
import { asError } from './as-error.ts'
import { loggable } from './loggable.ts'
import { readError } from './read-error.ts'

/** Returns the error of a call for the other waiting callers, without the secrets of the caller that started it. */
export function shareable (thrown: unknown, secrets: readonly string[]): Error {
  const error = asError(thrown)
  const { status, message, code, retryAfterSeconds } = readError(error, secrets)
  const { message: logged, cause, stack } = loggable(error, secrets)
  const copy = error instanceof SourceError
    ? new SourceError(error.status, message)
    : new Error(status === undefined ? logged : message)
  return Object.assign(copy, status !== undefined && { status, code, retryAfterSeconds }, { cause, stack })
}
