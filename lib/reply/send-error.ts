import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OutgoingHttpHeaders } from 'node:http'
import { isResponseClosed } from '../async/on-response-close.ts'
import { isFailure } from '../errors/is-failure.ts'
import { logRefusal } from '../errors/log-refusal.ts'
import { loggable } from '../errors/loggable.ts'
import { readError } from '../errors/read-error.ts'
import { isReported } from '../errors/reported.ts'
import { secretsIn } from '../errors/without-secrets.ts'
import { jsonType } from '../text/media-type-of.ts'
import { wholeSeconds } from '../errors/whole-seconds.ts'
import { ContractError } from '../source/index.ts'
import { developmentLog, type DevelopmentLog } from './development-log.ts'
import { forbidKeeping } from './set-caching-headers.ts'

/**
 * The property of requests whose errors contain their id. It is a symbol, so that no other plugin uses the same name.
 */
export const showsId = Symbol('fastify-source-origin.showsId')

/** A request with internal properties, which the types of Fastify do not include. */
type Noted = FastifyRequest & { readonly [showsId]?: boolean, readonly [developmentLog]?: DevelopmentLog }

/** Replies for which an error was sent. */
const answered = new WeakSet<FastifyReply>()

/**
 * Sends an error in the common format. Only an error with its own status from 400 to 599 is sent with its message
 * (docs/reference/contract.md, Errors).
 *
 * @param answer the public part of the error
 */
export function sendError (
  error: unknown, request: Noted, reply: FastifyReply, answer = readError(error, secretsOf(request))
): FastifyReply {
  const { status = 500, retryAfterSeconds, ...body } = answer
  if (request[showsId] && isFailure(status)) body.message += ` (request ${request.id})`
  if (!isFailure(status)) {
    logRefusal(request, { reason: body.message })
    if (status === 404) request[developmentLog]?.noteMissing(loggable(error, secretsOf(request)), request)
  } else if (isReported(error) && !isResponseClosed(reply.raw)) {
    request.log.info({ reason: body.message }, 'request failed')
  } else logFailure(error, request, reply)

  // The header is set here because, if a hook of the app fails for this response too, no later hook of this package
  // runs.
  forbidKeeping(reply)
  const seconds = wholeSeconds(retryAfterSeconds)
  if (seconds !== undefined) reply.header('retry-after', String(seconds))
  reply.code(status)
  return sendForError(reply, JSON.stringify(body), jsonType)
}

/**
 * Sends the response to an error. If the `onSend` hooks of the app have failed for it already, it bypasses them,
 * because Fastify would send the message of their error.
 */
export function sendForError (reply: FastifyReply, body: string | Buffer, type: string): FastifyReply {
  reply.type(type)
  if (!answered.has(reply)) {
    answered.add(reply)
    return reply.send(body)
  }
  const { raw } = reply.header('content-length', Buffer.byteLength(body)).hijack()
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  raw.end(body)
  return reply
}

/** Logs an error with details for the author of the source, without secrets. */
function logFailure (error: unknown, request: Noted, reply: FastifyReply): void {
  const violations = error instanceof ContractError ? error.violations : undefined
  const err = loggable(error, secretsOf(request))
  const operation = request.routeOptions.config?.sourceOperation
  const line = { err, operation, violations }
  // The client has disconnected, and the work for its response was aborted.
  if (isResponseClosed(reply.raw)) request.log.info(line, 'request aborted')
  else request.log.error(line, 'request failed')
  request[developmentLog]?.note(err, request, reply)
}

/** Secrets of requests besides the `Authorization` header. */
const hidden = new WeakMap<FastifyRequest, readonly string[]>()

/** Removes a secret of a request, and each word of it, from errors. */
export function hideSecret (request: FastifyRequest, secret: string | undefined): void {
  hidden.set(request, [...hidden.get(request) ?? [], ...secretsIn(secret)])
}

/** Returns the secrets of a request: the `Authorization` header, its token, and the secrets added by `hideSecret`. */
export const secretsOf = (request: FastifyRequest): string[] =>
  [...secretsIn(request.headers.authorization), ...hidden.get(request) ?? []]
