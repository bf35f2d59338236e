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
  } else if (cacheControl !== 'no-store') addVary(reply, 'Authorization')
  done(null, payload)
}

/** The onSend hook of what changes with the process that answers: a cache in front must not answer for a dead one. */
export function forbidKeepingByDefault (
  _request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: null, payload: unknown) => void
): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  done(null, payload)
}

/** Says that an answer depends on a header of the request too: others, as `Origin` with CORS, stay in `Vary`. */
export function addVary (reply: FastifyReply, name: string): FastifyReply {
  const names = String(reply.getHeader('vary') ?? '').split(',').map(text => text.trim()).filter(text => text !== '')
  const isThere = names.some(other => other === '*' || other.toLowerCase() === name.toLowerCase())
  return isThere ? reply : reply.header('vary', [...names, name].join(', '))
}

/** Takes back what was said of an answer before it became an error. */
export const forbidKeeping = (reply: FastifyReply): FastifyReply =>
  reply.removeHeader('etag').removeHeader('cache-status').header('cache-control', 'no-store')
