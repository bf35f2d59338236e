import type { FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from 'node:http'
import { SourceError } from '../contract/errors.ts'
import { readError } from '../errors/read-error.ts'
import { secretsOf, sendError } from '../reply/index.ts'

/** Removes the headers that were meant for the media. */
export function withoutMediaHeaders (reply: FastifyReply): void {
  for (const name of ['content-range', 'accept-ranges', 'etag', 'last-modified']) reply.removeHeader(name)
}

/**
 * Responds to a media request with an error, as `/v1` does. Use it with `setErrorHandler` for custom media routes.
 * Errors that are not a SourceError may contain file names or upstream URLs with secrets, so clients receive only their
 * status.
 */
export function sendMediaError (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  withoutMediaHeaders(reply)
  reply.header('x-content-type-options', 'nosniff')
  const answer = readError(error, secretsOf(request))
  const { status, message: hidden } = answer
  const message = status === undefined ? hidden : STATUS_CODES[status] ?? 'Error'
  return sendError(error, request, reply, error instanceof SourceError ? answer : { ...answer, message })
}
