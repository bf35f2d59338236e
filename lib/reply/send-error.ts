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

/** Property of requests whose errors name their id. It is a symbol, so that no other plugin uses the same name. */
export const showsId = Symbol('fastify-source-origin.showsId')

/** The types of Fastify do not have them: they are for this package alone. */
type Noted = FastifyRequest & { readonly [showsId]?: boolean, readonly [developmentLog]?: DevelopmentLog }

/** Replies that an error was sent for. */
const answered = new WeakSet<FastifyReply>()

/**
 * Answers an error in the one shape that all of them have. Only an error with a status from 400 to 599 of its own keeps
 * its message (docs/reference/contract.md, Errors).
 *
 * @param answer what clients may know of it
 */
export function sendError (
  error: unknown, request: Noted, reply: FastifyReply, answer = readError(error, secretsOf(request))
): FastifyReply {
  const { status = 500, retryAfter, ...body } = answer
  if (request[showsId] && isFailure(status)) body.message += ` (request ${request.id})`
  if (!isFailure(status)) {
    logRefusal(request, { reason: body.message })
    if (status === 404) request[developmentLog]?.noteMissing(loggable(error, secretsOf(request)), request)
  } else if (isReported(error) && !isResponseClosed(reply.raw)) {
    request.log.info({ reason: body.message }, 'request failed')
  } else logFailure(error, request, reply)

  // Also where a hook of the host fails for this answer too: no later hook of ours runs then.
  forbidKeeping(reply)
  const seconds = wholeSeconds(retryAfter)
  if (seconds !== undefined) reply.header('retry-after', String(seconds))
  reply.code(status)
  return sendForError(reply, JSON.stringify(body), jsonType)
}

/**
 * Sends the response to an error. If the `onSend` hooks of the host have failed for it already, it bypasses them:
 * Fastify would send the message of their error.
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

/** Logs an error with what helps the author of the source, and without secrets. */
function logFailure (error: unknown, request: Noted, reply: FastifyReply): void {
  const violations = error instanceof ContractError ? error.violations : undefined
  const err = loggable(error, secretsOf(request))
  const operation = request.routeOptions.config?.sourceOperation
  const line = { err, operation, violations }
  // Nobody gets the answer, and what was asked for it was told to end.
  if (isResponseClosed(reply.raw)) request.log.info(line, 'request failed for a client that left')
  else request.log.error(line, 'request failed')
  request[developmentLog]?.note(err, request, reply)
}

/** Secrets that requests contain besides the `Authorization` header. */
const hidden = new WeakMap<FastifyRequest, readonly string[]>()

/** Keeps a secret of a request, and each word of it, out of errors. */
export function hideSecret (request: FastifyRequest, secret: string | undefined): void {
  hidden.set(request, [...hidden.get(request) ?? [], ...secretsIn(secret)])
}

/** Returns the secrets of a request: the `Authorization` header, its token, and what `hideSecret` was given. */
export const secretsOf = (request: FastifyRequest): string[] =>
  [...secretsIn(request.headers.authorization), ...hidden.get(request) ?? []]
