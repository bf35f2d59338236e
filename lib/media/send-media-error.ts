import type { FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from 'node:http'
import { SourceError } from '../contract/errors.ts'
import { readError } from '../errors/read-error.ts'
import { secretsOf, sendError } from '../reply/index.ts'

/** Headers that were meant for the media. */
const ofMedia = ['content-range', 'accept-ranges', 'etag', 'last-modified']

/**
 * Answers a request for media with an error, as `/v1` does, for `setErrorHandler` of your own routes of media. Errors
 * that are not a SourceError may name files, or upstreams whose links have secrets: clients get their status only.
 */
export function sendMediaError (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  for (const name of ofMedia) reply.removeHeader(name)
  reply.header('x-content-type-options', 'nosniff')
  const answer = readError(error, secretsOf(request))
  const message = STATUS_CODES[answer.status ?? 500] ?? 'Error'
  return sendError(error, request, reply, error instanceof SourceError ? answer : { ...answer, message })
}
