import type { FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from 'node:http'
import { SourceError } from '../contract/errors.ts'
import { errorStatus } from '../errors/read-error.ts'
import { wholeSeconds } from '../errors/whole-seconds.ts'

type Thrown = Error & { status?: unknown, statusCode?: unknown }

type ForClients = Pick<SourceError, 'message' | 'code' | 'retryAfter'>

/** Headers that were meant for the media. */
const ofMedia = ['content-range', 'accept-ranges', 'etag', 'last-modified']

/**
 * Answers an error as docs/reference/contract.md, Errors has it. Only the message of a SourceError was written for
 * clients.
 */
export function sendError (error: Thrown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = errorStatus(error) ?? 500
  const serialized: ForClients = error instanceof SourceError ? error : { message: STATUS_CODES[status] ?? 'Error' }
  const { code = status, message, retryAfter } = serialized
  if (status >= 500) request.log.error({ err: error }, 'media failed')
  else request.log.info({ reason: message }, 'media refused')

  for (const name of ofMedia) reply.removeHeader(name)
  const seconds = wholeSeconds(retryAfter)
  if (seconds !== undefined) reply.header('retry-after', String(seconds))
  reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify({ code, message, data: null }))
}
