import { STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorResponse } from '../schemas/index.ts'
import { sendJson } from './send-json.ts'

interface Thrown { status?: unknown, statusCode?: unknown, code?: unknown, message?: unknown, retryAfter?: unknown }

/** What was thrown without being an Error: Fastify would send it as an answer. */
class ThrownValue extends Error {
  readonly value: unknown

  constructor (value: unknown) {
    super(`Thrown without being an Error: a value of type ${typeof value}`)
    this.value = value
  }
}

/** The error as Fastify takes it. */
export const asError = (thrown: unknown): Error => thrown instanceof Error ? thrown : new ThrownValue(thrown)

/**
 * Answers an error in the one shape that all of them have. Only an error with a status from 400 to 599 of its own keeps
 * its message (protocol.md, Errors).
 */
export function sendError (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const thrown: Thrown = Object(error instanceof ThrownValue ? error.value : error)
  const status = [thrown.status, thrown.statusCode].find(isErrorStatus)
  const body: ErrorResponse = status === undefined
    ? { code: 500, message: 'Internal server error', data: null }
    : {
        code: Number.isInteger(thrown.code) ? thrown.code as number : status,
        message: withoutSecrets(String(thrown.message || STATUS_CODES[status] || 'Error'), request),
        data: null
      }
  // 501 is no failure: a source offers what it has, and not every client looks first.
  if (status === undefined || (status >= 500 && status !== 501)) request.log.error({ err: loggable(error, request) }, 'request failed')
  else request.log.info({ reason: body.message }, 'request refused')

  if (status === 429 && isSeconds(thrown.retryAfter)) reply.header('retry-after', String(Math.ceil(thrown.retryAfter)))
  return sendJson(reply.code(status ?? 500), JSON.stringify(body))
}

const isErrorStatus = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599
const isSeconds = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER

/**
 * An error for the log: its members stay out, since HTTP clients hang requests with their headers on them.
 * The chain of causes is followed, but not round and round.
 */
function loggable (error: unknown, request: FastifyRequest, causes = 10): Error {
  if (!(error instanceof Error)) return new ThrownValue(error)
  const cause = error.cause === undefined || causes === 0 ? {} : { cause: loggable(error.cause, request, causes - 1) }
  const copy = new Error(withoutSecrets(error.message, request), cause)
  copy.stack = withoutSecrets(String(error.stack), request)
  return copy
}

/**
 * A text without the caller's authorization and without the query of any URL: that is where signatures and tokens are.
 * A very short token is no secret, and taking it out would spoil words.
 */
function withoutSecrets (text: string, request: FastifyRequest): string {
  const authorization = request.headers.authorization?.trim() ?? ''
  for (const secret of [authorization, ...authorization.split(/\s+/).slice(1)]) {
    if (secret.length >= 6) text = text.replaceAll(secret, '[authorization]')
  }
  return text.replace(/[^\s"'<>]+/g, withoutQuery)
}

/** By the word: an expression for whole URLs takes quadratic time, and a caller may choose the text. */
function withoutQuery (word: string): string {
  const scheme = word.indexOf('://')
  const length = scheme === -1 ? -1 : word.slice(scheme).search(/[?#]/)
  return length === -1 ? word : `${word.slice(0, scheme + length)}?[query]`
}
