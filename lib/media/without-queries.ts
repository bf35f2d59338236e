import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { withoutUrlSecrets } from '../errors/without-secrets.ts'

type Serializer = (request: FastifyRequest) => unknown

/** The key of Pino's serializers. Pino is Fastify's logger; other loggers have none. */
const serializers = Symbol.for('pino.serializers')

/**
 * Creates a serializer of requests that calls the parent app's serializer with a URL without a query. A URL with a host
 * (as sent to proxies) may contain a login. Pino's option `redact` removes a complete URL, not only its query.
 *
 * @param own the serializer of a route or plugin. Default: the logger's
 */
export function serializerWithoutQuery (log: FastifyBaseLogger, own?: Serializer): Serializer {
  const { req } = (log as { [serializers]?: { req?: Serializer } })[serializers] ?? {}
  const serialize = own ?? req ?? describe
  return request => {
    const url = { value: withoutUrlSecrets(request.url.split(/[?#]/, 1)[0]!) }
    const raw = { value: Object.create(request.raw, { url }) }
    return serialize(Object.create(request, { url, originalUrl: url, query: { value: {} }, raw }))
  }
}

const describe = ({ method, url, host, ip }: FastifyRequest) => ({ method, url, host, remoteAddress: ip })

/**
 * Returns an error with its causes for the log, without the queries and logins of URLs, and without properties added by
 * libraries.
 */
export function errorWithoutQueries (error: Error) {
  const chain = [error]
  // A chain of causes may be circular.
  while (chain.at(-1)!.cause instanceof Error && chain.length < 10) chain.push(chain.at(-1)!.cause as Error)
  return {
    type: error.name,
    message: chain.map(({ message }) => withoutUrlSecrets(message)).join(': '),
    stack: chain.map(({ stack }) => withoutUrlSecrets(String(stack))).join('\ncaused by: ')
  }
}

/**
 * Removes the queries of URLs from the log of the parent app: they contain signatures of media URLs and search terms.
 * Call it before routes and plugins are registered. The app's serializer of requests and its `childLoggerFactory` are
 * still called; the factory must pass its options on.
 *
 * Fastify's default not-found handler writes the complete URL into a message. It is replaced by an equivalent handler
 * without the URL. Set a custom not-found handler before this call.
 */
export function withoutQueries (app: FastifyInstance): void {
  const { childLoggerFactory } = app
  app.setChildLoggerFactory(function (logger, bindings, { serializers, ...options }, request) {
    const req = serializerWithoutQuery(logger, serializers?.req) as () => string
    const withReq = { ...options, serializers: { ...serializers, req } }
    return childLoggerFactory.call(this, logger, bindings, withReq, request)
  })
  try {
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).header('cache-control', 'no-store')
        .send({ statusCode: 404, error: 'Not Found', message: 'Path not found' }))
  } catch {
    // The parent app's handler stays.
  }
}
