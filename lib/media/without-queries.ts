import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withoutUrlSecrets } from '../errors/without-secrets.ts'

/** The request as Fastify logs it, but with its path only. A URL with a host (as for proxies) may have a login. */
export const requestWithoutQuery = (request: FastifyRequest) => ({
  method: request.method,
  url: withoutUrlSecrets(request.url.split(/[?#]/, 1)[0]!),
  host: request.host,
  remoteAddress: request.ip
})

/** An error with its causes as it is logged: without queries and logins of URLs, and members that libraries add. */
export function errorWithoutQueries (error: Error) {
  const chain = [error]
  // A chain of causes may be a circle.
  while (chain.at(-1)!.cause instanceof Error && chain.length < 10) chain.push(chain.at(-1)!.cause as Error)
  return {
    type: error.name,
    message: chain.map(({ message }) => withoutUrlSecrets(message)).join(': '),
    stack: chain.map(({ stack }) => withoutUrlSecrets(String(stack))).join('\ncaused by: ')
  }
}

/**
 * Keeps the queries of URLs out of a host's log: the signatures of media URLs are in them, and what people search for.
 * Call it before routes and plugins are registered.
 *
 * Fastify's own not-found handler writes the whole URL into a message, so it is replaced by one that answers the same
 * without the URL. A host that wants a not-found handler of its own sets it before.
 */
export function withoutQueries (app: FastifyInstance): void {
  app.setChildLoggerFactory((logger, bindings, options) =>
    logger.child(bindings, { ...options, serializers: { ...options.serializers, req: requestWithoutQuery } }))
  try {
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).header('cache-control', 'no-store')
        .send({ statusCode: 404, error: 'Not Found', message: 'There is no such path' }))
  } catch {
    // The host's own handler stays.
  }
}
