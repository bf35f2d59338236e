import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getHeapStatistics } from 'node:v8'
import { isResponseClosed, onResponseClose } from '../async/on-response-close.ts'
import { fairScheduling } from './fair-scheduling.ts'
import { jsonType } from '../text/media-type-of.ts'
import { lacksPackage } from '../errors/lacks-package.ts'
import { logRefusal } from '../errors/log-refusal.ts'
import { limitAhead } from './limit-ahead.ts'
import { limitConnections } from './limit-connections.ts'
import { mostOpen } from './open-file-limit.ts'
import { networkOfRequest } from './network-of.ts'
import { SharedSlots } from './shared-slots.ts'
import { publishRefusal } from './publish-refusal.ts'

/** The limits of the process. */
export const bounds = {
  /** The maximum delay of the event loop in milliseconds, as the mean over a second. */
  maxEventLoopDelay: 1000,
  /** The maximum size of the heap in bytes. */
  maxHeapUsedBytes: getHeapStatistics().heap_size_limit * 0.9,
  /**
   * The maximum number of connections, of which an address may use a share. Further ones are closed, so that files can
   * be opened.
   */
  maxConnections: Math.floor(mostOpen / 2),
  /** The maximum number of concurrent requests, including media streams, which use one file each. */
  maxRunning: Math.min(1000, Math.floor(mostOpen / 4)),
  /** The maximum number of requests that wait for their start. */
  maxWaiting: 5000
}

/** The value of `Retry-After` in seconds. */
const retryAfterSeconds = 10

/** The time in milliseconds after the start in which the event loop's delay is caused by the start: two samples. */
const start = 2000

/** The body of a rejection, in the error format of the contract. */
const refusal = JSON.stringify({ code: 503, message: 'The source is too busy', data: null })

/**
 * Rejects requests with a 503 while the process is beyond its limits. Routes with `shedLoad: false` in their `config`,
 * such as `/status` and `/ready`, still respond, because monitoring would otherwise restart the process.
 */
export async function shedLoad (
  app: FastifyInstance,
  { maxEventLoopDelay, maxHeapUsedBytes, maxConnections, maxRunning, maxWaiting } = bounds
): Promise<void> {
  const { default: underPressure } =
    await import('@fastify/under-pressure').catch(lacksPackage('@fastify/under-pressure', 'protection'))
  const isExempt = (request: FastifyRequest) => request.routeOptions.config.shedLoad === false
  const publishEnded = (bound: string) => () => {
    app.log.info({ bound }, 'connection ended')
    publishRefusal(bound)
  }
  limitConnections(app.server, maxConnections, publishEnded('connections'))
  limitAhead(app, publishEnded('ahead'))
  const beginInTurn = fairScheduling(maxWaiting)
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    // The client has disconnected, so the request is dropped.
    const begin = () => {
      if (socket.destroyed || isResponseClosed(reply.raw)) reply.hijack()
      else done()
    }
    if (beginInTurn(networkOfRequest(request), begin)) return
    // A client that sends requests continuously would be served before all others.
    reply.header('connection', 'close')
    if (isExempt(request)) done()
    else reply.send(refuse(request, reply, 'waiting', undefined))
  })

  let readyAt = Infinity
  app.addHook('onReady', async () => { readyAt = performance.now() })
  const isStarting = () => performance.now() < readyAt + start
  await app.register(underPressure, {
    maxEventLoopDelay,
    maxHeapUsedBytes,
    // The returned string is sent, and the request ends. The types of the plugin do not allow a string.
    pressureHandler: (request, reply, bound, value) =>
      (isExempt(request) || (bound === 'eventLoopDelay' && isStarting())
        ? undefined
        : refuse(request, reply, bound, value)) as undefined
  })

  // Running requests use few resources while they wait, so their number is limited. They are counted after their bodies
  // have arrived, because requests whose bodies never arrive would otherwise block the others.
  const running = new SharedSlots(maxRunning)
  app.addHook('preHandler', (request, reply, done) => {
    const network = networkOfRequest(request)
    if (running.isBeyondShare(network) && !isExempt(request)) {
      return reply.send(refuse(request, reply, 'running', running.taken))
    }
    running.count(network, 1)
    onResponseClose(reply.raw, () => running.count(network, -1))
    done()
  })
}

/** @returns the body to send */
function refuse (request: FastifyRequest, reply: FastifyReply, bound: string, value: number | undefined): string {
  logRefusal(request, { bound, value })
  publishRefusal(bound)
  reply.code(503).header('retry-after', retryAfterSeconds).type(jsonType)
  return refusal
}
