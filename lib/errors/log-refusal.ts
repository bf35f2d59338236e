import type { FastifyRequest } from 'fastify'

/** The logging options of an app: Fastify's types of `initialConfig` do not allow a function. */
interface Logging { readonly disableRequestLogging?: boolean | ((request: FastifyRequest) => boolean) }

/** Logs a rejected request, unless the app has disabled the logging of requests (`disableRequestLogging`). */
export function logRefusal (request: FastifyRequest, line: object): void {
  const { disableRequestLogging: isOff } = request.server.initialConfig as Logging
  if (typeof isOff === 'function' ? isOff(request) : isOff) return
  request.log.info(line, 'request rejected')
}
