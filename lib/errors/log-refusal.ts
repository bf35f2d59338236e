import type { FastifyRequest } from 'fastify'

/** As a host may have it: Fastify's types of `initialConfig` know no function. */
interface Logging { readonly disableRequestLogging?: boolean | ((request: FastifyRequest) => boolean) }

/** Logs that a request is refused, unless the host logs no requests (`disableRequestLogging`). */
export function logRefusal (request: FastifyRequest, line: object): void {
  const { disableRequestLogging: isOff } = request.server.initialConfig as Logging
  if (typeof isOff === 'function' ? isOff(request) : isOff) return
  request.log.info(line, 'request refused')
}
