import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { withoutUrlSecrets } from '../errors/without-secrets.ts'

type Serializer = (request: FastifyRequest) => unknown

/** Where Pino, the logger of Fastify, has its serializers. Other loggers have none. */
const serializers = Symbol.for('pino.serializers')

/**
 * Makes a serializer of requests that calls the host's own one, which sees no query. A URL with a host (as for proxies)
 * may have a login. Pino's option `redact` removes a whole URL, and not its query.
 *
 * @param own of a route or plugin. Default: that of the logger
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
 * Call it before routes and plugins are registered. The host's own serializer of requests and its `childLoggerFactory`
 * are called; the factory has to hand its options on.
 *
 * Fastify's own not-found handler writes the whole URL into a message, so it is replaced by one that answers the same
 * without the URL. A host that wants a not-found handler of its own sets it before.
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
    // The host's own handler stays.
  }
}
