import {
  NotFoundError, RateLimitedError, TimeoutError, UnauthorizedError, UnplayableError, UpstreamError
} from '../contract/errors.ts'

const classes: Readonly<Record<number, typeof UpstreamError>> = {
  401: UnauthorizedError,
  402: UnplayableError,
  404: NotFoundError,
  408: TimeoutError,
  410: NotFoundError,
  429: RateLimitedError,
  451: UnplayableError,
  504: TimeoutError
}

/**
 * The class of the error that a status of another service is; `undefined` for others, which are a failure of it.
 *
 * @see docs/guide/upstream.md, Errors
 */
export const classOfStatus = (status: number): typeof UpstreamError | undefined => classes[status]

const repeated = new Set([408, 425, 429, 500, 502, 503, 504])

/** Whether the same request may work later. */
export const mayWorkLater = (status: number): boolean => repeated.has(status)
