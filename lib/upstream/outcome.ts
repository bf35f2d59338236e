import { requireSync } from '../options/require-sync.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { readRetryAfter } from '../errors/retry-after.ts'
import { upstreamError } from '../errors/upstream-error.ts'
import { classOfStatus, mayWorkLater } from '../errors/upstream-status.ts'
import { SourceError, TimeoutError, UpstreamError } from '../contract/errors.ts'
import { excerptOf } from './excerpt-of.ts'
import type { PreparedRequest } from './prepare-request.ts'
import { isSuccess, UnusableBodyError, type ReadAnswer } from './send-once.ts'
import type { UpstreamResponse, UpstreamRequest } from './upstream.ts'
import { sensible } from './wait.ts'

/** The result of an attempt. */
export interface Outcome<T> {
  readonly value?: T
  /** Creates the error to throw. The argument is the delay in seconds after which another call may work. */
  readonly error?: (retryAfterSeconds?: number) => unknown
  /** The information about the upstream. `left`: the attempt ended for a reason that does not concern the upstream. */
  readonly verdict: 'fine' | 'limited' | 'failed' | 'left'
  /** If `true`, the same request may work later. */
  readonly repeat: boolean
  /** The delay in seconds that the upstream requested. */
  readonly retryAfterSeconds?: number | undefined
  /** The HTTP status, for the log. */
  readonly status?: number
  readonly code?: string | undefined
}

/** Codes of failed connections and look-ups that may work the next time. Others, such as TLS errors, will not. */
const repeatedCodes = new Set([
  'EAI_AGAIN', 'ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH',
  'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'HPE_INVALID_EOF_STATE', 'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_SOCKET', 'Z_BUF_ERROR'
])

/** Codes of requests that undici rejects. */
const refusedCodes = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'])

/** @param request the sent request */
export function outcomeOfAnswer<T> (
  request: PreparedRequest,
  answer: ReadAnswer,
  { errors, check }: UpstreamRequest<T>,
  read: (name: string, answer: UpstreamResponse, said: () => Error | undefined) => T
): Outcome<T> {
  const { name } = request
  const { status } = answer
  const mapped = answer.isCut ? undefined : errors?.[status]
  const retryAfterSeconds = sensible(readRetryAfter(answer.headers['retry-after']?.toString()))
  const verdict = status === 429 ? 'limited' : status >= 500 ? 'failed' : 'fine'
  const rest = { verdict, repeat: mayWorkLater(status), retryAfterSeconds, status } as const
  try {
    if (mapped !== undefined) {
      const error = requireSync(`errors.${status}`, mapped(answer))
      throw error instanceof Error ? error : invalidOption(`errors.${status}`, 'a function that returns an error')
    }
    if (!isSuccess(status)) {
      const said = saidIn(answer, request)
      const ErrorClass = classOfStatus(status) ?? UpstreamError
      return { ...rest, error: seconds => upstreamError(ErrorClass, `${name}: ${status}`, seconds, said) }
    }
    const value = read(name, answer, () => saidIn(answer, request))
    requireSync('check', check?.(value))
    return { ...rest, value }
  } catch (error) {
    const isLimit = error instanceof SourceError && error.status === 429
    const asked = isLimit
      ? {
          verdict: 'limited', retryAfterSeconds: sensible(error.retryAfterSeconds) ?? retryAfterSeconds
        } as const
      : {}
    return { ...rest, ...asked, error: () => error }
  }
}

/**
 * Returns the message of an error response, or a body that is not JSON, for the log in development. It is an error, so
 * that it appears among the causes.
 */
function saidIn ({ body }: UpstreamResponse, request: PreparedRequest): Error | undefined {
  if (body.length === 0 || process.env.NODE_ENV === 'production') return undefined
  const said = new Error(`the upstream said: ${excerptOf(body, request)}`)
  // The error is never thrown, so its stack is not useful.
  said.stack = said.message
  return said
}

/** Returns whether the body of a response is used, as a result or for an error. */
export const isRead = (status: number, errors: UpstreamRequest<unknown>['errors']) =>
  isSuccess(status) || errors?.[status] !== undefined

/**
 * Returns the outcome of an attempt without a response. Only the code of its error is used, because the rest may
 * contain headers or a part of the body.
 */
export function outcomeOfFailure (name: string, thrown: unknown): Outcome<never> {
  const { name: kind, code = kind, message } = thrown as NodeJS.ErrnoException
  if (thrown instanceof TimeoutError) {
    const error = (seconds?: number) => upstreamError(TimeoutError, `${name}: ${message}`, seconds)
    return { error, verdict: 'failed', repeat: true, code: 'no answer in time' }
  }
  if (thrown instanceof UnusableBodyError) {
    return lastOutcome(upstreamError(UpstreamError, `${name}: ${message}`), 'fine', message)
  }
  if (refusedCodes.has(code)) return lastOutcome(thrown, 'left', code)
  return {
    error: seconds => upstreamError(UpstreamError, `${name}: the connection broke (${code})`, seconds),
    verdict: 'failed',
    repeat: repeatedCodes.has(code),
    code
  }
}

/** Returns the outcome of an attempt that must not be repeated. */
export const lastOutcome = (error: unknown, verdict: Outcome<never>['verdict'], code?: string): Outcome<never> =>
  ({ error: () => error, verdict, repeat: false, code })
