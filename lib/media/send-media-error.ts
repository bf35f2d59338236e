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
 * Answers a request for media with an error, as `/v1` does, for `setErrorHandler` of your own routes of media. Errors
 * that are not a SourceError may name files, or upstreams whose links have secrets: clients get their status only.
 */
export function sendMediaError (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  withoutMediaHeaders(reply)
  reply.header('x-content-type-options', 'nosniff')
  const answer = readError(error, secretsOf(request))
  const { status, message: hidden } = answer
  const message = status === undefined ? hidden : STATUS_CODES[status] ?? 'Error'
  return sendError(error, request, reply, error instanceof SourceError ? answer : { ...answer, message })
}
