import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * The onSend hook of every `/v1` answer (docs/reference/contract.md, Caching): what the cache did not allow to be kept
 * is not kept, and what is kept is for one caller. An error may come after the headers of an answer: from a hook of the
 * host, for example.
 */
export function setCachingHeaders (
  _request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: null, payload: unknown) => void
): void {
  const cacheControl = reply.getHeader('cache-control')
  if (reply.statusCode >= 400) forbidKeeping(reply)
  else if (cacheControl === undefined || !/\b(?:private|no-store)\b/i.test(String(cacheControl))) {
    reply.header('cache-control', 'no-store')
  } else if (cacheControl !== 'no-store') varyByCaller(reply)
  done(null, payload)
}

/** The onSend hook of what changes with the process that answers: a cache in front must not answer for a dead one. */
export function forbidKeepingByDefault (
  _request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: null, payload: unknown) => void
): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  done(null, payload)
}

function varyByCaller (reply: FastifyReply): void {
  const vary = reply.getHeader('vary')
  if (vary === undefined) reply.header('vary', 'Authorization')
  else if (!/(?:^|,)\s*(?:\*|authorization)\s*(?:,|$)/i.test(String(vary))) {
    reply.header('vary', `${vary}, Authorization`)
  }
}

/** Takes back what was said of an answer before it became an error. */
export const forbidKeeping = (reply: FastifyReply): FastifyReply =>
  reply.removeHeader('etag').removeHeader('cache-status').header('cache-control', 'no-store')
