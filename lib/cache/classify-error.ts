import { NotFoundError, SourceError } from '../contract/errors.ts'
import { errorStatus } from '../errors/read-error.ts'
import { ThrownValue } from '../errors/thrown-value.ts'

/** The properties of a failure that the cache uses. */
export interface ErrorClass {
  /** The HTTP status; 500 for an error without a status. */
  readonly status: number
  /** If `true`, the source could not respond: status 429, or 500 and above. */
  readonly isOutage: boolean
  /** If `true`, the error may concern only the account of the request. */
  readonly isPersonal: boolean
  /** The cacheable form of the error, if it is a 404. */
  readonly notFound: Error | undefined
  /** The delay of the next attempt in seconds, if the source sends one. */
  readonly retryAfterSeconds: number | undefined
}

/** Classifies a thrown value of any type. */
export function classifyError (error: unknown): ErrorClass {
  try {
    const thrown: unknown = error instanceof ThrownValue ? error.value : error
    const { status: own, statusCode, message, code, retryAfterSeconds } = Object(thrown)
    const status = errorStatus({ status: own, statusCode }) ?? 500
    return {
      status,
      isOutage: status >= 500 || status === 429,
      isPersonal: status === 401 || status === 403,
      notFound: status === 404 ? notFound(thrown, String(message ?? ''), code) : undefined,
      retryAfterSeconds: typeof retryAfterSeconds === 'number' && retryAfterSeconds >= 0 ? retryAfterSeconds : undefined
    }
  } catch {
    return { status: 500, isOutage: true, isPersonal: false, notFound: undefined, retryAfterSeconds: undefined }
  }
}

/**
 * Returns a copy of an error without the properties that HTTP libraries add. Only the message of a SourceError was
 * written for clients.
 */
export function notFound (thrown: unknown, message: string, code: unknown): Error {
  const own = Number.isInteger(code) ? { code: code as number } : {}
  const { stackTraceLimit } = Error
  // The stack of a cached error is never read, and uses more memory than the rest.
  Error.stackTraceLimit = 0
  try {
    return thrown instanceof SourceError
      ? new NotFoundError(message, own)
      : Object.assign(new Error(message), { statusCode: 404, ...own })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
