import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Keeps queries out of the log: the signatures of media URLs are in them, and what people search for.
 * Fastify logs the URL of what it does not find by itself, so that handler is replaced too.
 */
export function logWithoutQueries (app: FastifyInstance): void {
  const serializers = {
    req: (request: FastifyRequest) => ({ method: request.method, url: withoutQuery(request.url), host: request.host, remoteAddress: request.ip })
  }
  app.setChildLoggerFactory((logger, bindings, options) =>
    logger.child(bindings, { ...options, serializers: { ...options.serializers, ...serializers } }))
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ statusCode: 404, error: 'Not Found', message: 'There is no such path' }))
}

const withoutQuery = (url: string) => url.replace(/[?#].*$/s, '')
