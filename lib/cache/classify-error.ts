import { NotFoundError, SourceError } from '../contract/errors.ts'
import { errorStatus } from '../errors/read-error.ts'
import { ThrownValue } from '../errors/thrown-value.ts'

/** What the cache has to know of a failure. */
export interface ErrorClass {
  /** 500 for an error that says none. */
  readonly status: number
  /** Whether the source could not answer: 429, or 500 and above. */
  readonly isOutage: boolean
  /** Whether it may say something of the account that asked, and nothing of others. */
  readonly isPersonal: boolean
  /** The failure as it can be kept, if it is a 404. */
  readonly notFound: Error | undefined
  /** Seconds, where the source says. */
  readonly retryAfter: number | undefined
}

/** Reads what was thrown, which may be anything. */
export function classifyError (error: unknown): ErrorClass {
  try {
    const thrown: unknown = error instanceof ThrownValue ? error.value : error
    const { status: own, statusCode, message, code, retryAfter } = Object(thrown)
    const status = errorStatus({ status: own, statusCode }) ?? 500
    return {
      status,
      isOutage: status >= 500 || status === 429,
      isPersonal: status === 401 || status === 403,
      notFound: status === 404 ? notFound(thrown, String(message ?? ''), code) : undefined,
      retryAfter: typeof retryAfter === 'number' && retryAfter >= 0 ? retryAfter : undefined
    }
  } catch {
    return { status: 500, isOutage: true, isPersonal: false, notFound: undefined, retryAfter: undefined }
  }
}

/**
 * A copy without what HTTP libraries hang on their errors. Only the message of a SourceError was written for clients.
 */
export function notFound (thrown: unknown, message: string, code: unknown): Error {
  const own = Number.isInteger(code) ? { code: code as number } : {}
  const { stackTraceLimit } = Error
  // The stack of a cached error is never read, and takes more memory than the rest.
  Error.stackTraceLimit = 0
  try {
    return thrown instanceof SourceError
      ? new NotFoundError(message, own)
      : Object.assign(new Error(message), { statusCode: 404, ...own })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
