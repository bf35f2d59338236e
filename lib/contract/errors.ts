/** Options of a `SourceError` besides its message. */
export interface SourceErrorOptions {
  /** The `code` in the response body. Default: the HTTP status. */
  code?: number | undefined
  /** The original error, for the log only. */
  cause?: unknown
  /** The delay in seconds after which a client may try again (`Retry-After`). */
  retryAfterSeconds?: number | undefined
}

/**
 * An error whose status and message reach the client (docs/reference/contract.md, Errors). This file has no
 * dependencies, because clients throw these errors too.
 */
export class SourceError extends Error {
  /** The HTTP status. */
  readonly status: number
  readonly code?: number
  readonly retryAfterSeconds?: number

  constructor (status: number, message: string, { code, cause, retryAfterSeconds }: SourceErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.status = status
    if (code !== undefined) this.code = code
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds
  }
}

/** 400: parameters or body break the rules. */
export class BadRequestError extends SourceError {
  constructor (message = 'Bad request', options?: SourceErrorOptions) { super(400, message, options) }
}

/** 401: the caller is not authorised. */
export class UnauthorizedError extends SourceError {
  constructor (message = 'Unauthorized', options?: SourceErrorOptions) { super(401, message, options) }
}

/** 404: the item does not exist. */
export class NotFoundError extends SourceError {
  constructor (message = 'Not found', options?: SourceErrorOptions) { super(404, message, options) }
}

/** 422: the track cannot be played (region, subscription). */
export class UnplayableError extends SourceError {
  constructor (message = 'This track cannot be played', options?: SourceErrorOptions) { super(422, message, options) }
}

/**
 * 429: the upstream limits the requests of this source. Set `retryAfterSeconds` if the upstream sends a delay.
 */
export class RateLimitedError extends SourceError {
  constructor (message = 'Too many requests', options?: SourceErrorOptions) { super(429, message, options) }
}

/** 501: the source does not offer this operation. */
export class UnsupportedFeatureError extends SourceError {
  constructor (message = 'Not supported by this source', options?: SourceErrorOptions) { super(501, message, options) }
}

/** 502: the upstream failed. */
export class UpstreamError extends SourceError {
  constructor (message = 'The upstream failed', options?: SourceErrorOptions) { super(502, message, options) }
}

/** 504: no response within the timeout. */
export class TimeoutError extends SourceError {
  constructor (message = 'No answer in time', options?: SourceErrorOptions) { super(504, message, options) }
}

/** The classes by name. */
export const errors = Object.freeze({
  SourceError,
  BadRequestError,
  UnauthorizedError,
  NotFoundError,
  UnplayableError,
  RateLimitedError,
  UnsupportedFeatureError,
  UpstreamError,
  TimeoutError
})
