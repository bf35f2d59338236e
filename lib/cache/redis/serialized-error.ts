import { STATUS_CODES } from 'node:http'
import { SourceError } from '../../contract/errors.ts'
import { withoutUndefined } from '../../options/without-undefined.ts'
import { classifyError } from '../classify-error.ts'

/** The part of a failure that is sent to other replicas. */
export interface SerializedError {
  readonly status: number
  readonly message?: string
  readonly code?: number
  readonly retryAfter?: number
}

/** Serializes an error. Only the message of a SourceError was written for clients. */
export function serializeError (error: unknown): SerializedError {
  const { status, retryAfterSeconds: retryAfter } = classifyError(error)
  const seconds = retryAfter === undefined ? {} : { retryAfter }
  if (!(error instanceof SourceError)) return { status, ...seconds }
  const { message, code } = error
  return { status, message, ...code !== undefined && { code }, ...seconds }
}

export function reviveError ({ status, message, code, retryAfter }: SerializedError): Error {
  const more = withoutUndefined({ code, retryAfterSeconds: retryAfter })
  if (message !== undefined) return new SourceError(status, message, more)
  if (status === 500) return new Error('The call of another replica failed: its log says why')
  return Object.assign(new Error(STATUS_CODES[status]), { statusCode: status }, more)
}
