import { STATUS_CODES } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { SourceError } from '../contract/errors.ts'
import { wholeSeconds } from '../errors/whole-seconds.ts'
import { isFailure } from '../errors/is-failure.ts'
import { isError } from '../errors/as-error.ts'
import { loggable } from '../errors/loggable.ts'
import { readError } from '../errors/read-error.ts'
import { isReported } from '../errors/reported.ts'

/** An error as sent to Subsonic apps. */
export class SubsonicError extends Error {
  /** The Subsonic error code: docs/reference/subsonic.md, Errors. */
  readonly code: number
  /** The HTTP status of a response to a request for bytes. */
  readonly status: number
  /** The value of `Retry-After` in seconds. */
  readonly retryAfterSeconds: number | undefined
  /** The URL of a page that helps the user. */
  readonly helpUrl: string | undefined

  constructor (
    code: number, message: string,
    options: { status?: number, retryAfterSeconds?: number | undefined, helpUrl?: string } = {}
  ) {
    super(message)
    const { status, retryAfterSeconds, helpUrl } = options
    this.name = 'SubsonicError'
    this.code = code
    this.status = status ?? (code === 70 ? 404 : code === 50 ? 403 : 502)
    this.retryAfterSeconds = retryAfterSeconds
    this.helpUrl = helpUrl
  }
}

/** Subsonic error codes by HTTP status. Other statuses have code 0. */
const codes: Readonly<Record<number, number>> = { 400: 10, 401: 50, 403: 50, 404: 70, 422: 50, 501: 50 }

/**
 * Converts an error for apps. Only errors created for clients retain their message.
 *
 * @param log receives every failure, and the causes of other errors
 * @param secrets strings that must not be sent or logged
 * @param method the failed method, as apps call it
 */
export function asSubsonicError (
  thrown: unknown, log: FastifyBaseLogger, secrets: readonly string[], method: string
): SubsonicError {
  if (isError(thrown) && thrown instanceof SubsonicError) return thrown
  const { status, message, retryAfterSeconds } = readError(thrown, secrets)
  const isPublic = isError(thrown) && thrown instanceof SourceError
  const isRefusal = isPublic && status !== undefined && !isFailure(status)
  if (isReported(thrown)) log.info({ reason: message, operation: method }, 'request failed')
  else if (!isRefusal) log.error({ err: loggable(thrown, secrets), operation: method }, 'request failed')
  if (status === undefined) return new SubsonicError(0, message)

  const code = codes[status] ?? 0
  const known = isPublic ? message : STATUS_CODES[status] ?? 'Error'
  const told = status === 401 ? 'The session of the source has ended' : known
  return new SubsonicError(code, told, {
    ...(code === 0 && { status: status === 429 || status === 504 ? status : 502 }),
    retryAfterSeconds: wholeSeconds(retryAfterSeconds)
  })
}
