import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * The onSend hook of every `/v1` response (docs/reference/contract.md, Caching). It adds `no-store` unless the cache
 * allowed caching, and `Vary` to cacheable responses. An error may occur after the headers of a response were set, for
 * example in a hook of the app.
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

/** The onSend hook of responses that depend on the process: a cache in front must not respond for a dead process. */
export function forbidKeepingByDefault (
  _request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: null, payload: unknown) => void
): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  done(null, payload)
}

/** Adds a request header to `Vary`. Existing headers, such as `Origin` with CORS, stay in `Vary`. */
export function addVary (reply: FastifyReply, name: string): FastifyReply {
  const names = String(reply.getHeader('vary') ?? '').split(',').map(text => text.trim()).filter(text => text !== '')
  const isThere = names.some(other => other === '*' || other.toLowerCase() === name.toLowerCase())
  return isThere ? reply : reply.header('vary', [...names, name].join(', '))
}

/** Removes the caching headers of a response that became an error. */
export const forbidKeeping = (reply: FastifyReply): FastifyReply =>
  reply.removeHeader('etag').removeHeader('cache-status').header('cache-control', 'no-store')
