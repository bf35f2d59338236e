import { STATUS_CODES } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { SourceError } from '../contract/errors.ts'
import { wholeSeconds } from '../contract/whole-seconds.ts'

/** An error as Subsonic apps get it. */
export class SubsonicError extends Error {
  /** Number that apps look at: docs/subsonic.md, Errors. */
  readonly code: number
  /** HTTP status of the answer where bytes were asked for. */
  readonly status: number
  /** Seconds, for `Retry-After`. */
  readonly retryAfter: number | undefined

  constructor (code: number, message: string, { status, retryAfter }: { status?: number, retryAfter?: number | undefined } = {}) {
    super(message)
    this.name = 'SubsonicError'
    this.code = code
    this.status = status ?? (code === 70 ? 404 : code === 50 ? 403 : 502)
    this.retryAfter = retryAfter
  }
}

/** What apps are told for an error of the source by its status; the rest are code 0. */
const codes: Readonly<Record<number, number>> = { 401: 50, 403: 50, 404: 70, 422: 50, 501: 50 }

/**
 * What apps are told of what was thrown. Only the errors that were made for clients keep their message.
 *
 * @param log where the cause of the others goes
 */
export function asSubsonicError (thrown: unknown, log: FastifyBaseLogger): SubsonicError {
  if (thrown instanceof SubsonicError) return thrown
  const { status, statusCode, retryAfter } = Object(thrown) as Record<string, unknown>
  const known = [status, statusCode].find(isErrorStatus)
  if (known === undefined || !(thrown instanceof SourceError)) log.error({ err: loggable(thrown) }, 'request failed')
  if (known === undefined) return new SubsonicError(0, 'Internal server error')

  const code = codes[known] ?? 0
  const message = known === 401
    ? 'The session of the source has ended'
    : thrown instanceof SourceError ? thrown.message : STATUS_CODES[known] ?? 'Error'
  return new SubsonicError(code, message, {
    ...(code === 0 && { status: known === 429 || known === 504 ? known : 502 }),
    retryAfter: wholeSeconds(retryAfter)
  })
}

const isErrorStatus = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599

/** HTTP clients hang requests with their headers on errors, and put URLs with signatures into messages. */
function loggable (thrown: unknown): Error {
  const clean = (text: unknown) => String(text).replace(/\?[^\s"'<>]*/g, '?[query]')
  if (!(thrown instanceof Error)) return new Error(`Thrown without being an Error: a value of type ${typeof thrown}`)
  const copy = new Error(clean(thrown.message))
  copy.stack = clean(thrown.stack)
  return copy
}
