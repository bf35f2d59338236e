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
 * Returns the error class for a status of another service; `undefined` for other statuses, which are failures of the
 * service.
 *
 * @see docs/reference/upstream.md, Errors
 */
export const classOfStatus = (status: number): typeof UpstreamError | undefined => classes[status]

const repeated = new Set([408, 425, 429, 500, 502, 503, 504])

/** Returns whether the same request may work later. */
export const mayWorkLater = (status: number): boolean => repeated.has(status)
