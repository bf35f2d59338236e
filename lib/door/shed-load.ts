import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getHeapStatistics } from 'node:v8'
import { isResponseClosed, onResponseClose } from '../async/on-response-close.ts'
import { fairTurns } from './fair-turns.ts'
import { jsonType } from '../text/media-type-of.ts'
import { lacksPackage } from '../errors/lacks-package.ts'
import { logRefusal } from '../errors/log-refusal.ts'
import { limitAhead } from './limit-ahead.ts'
import { limitConnections } from './limit-connections.ts'
import { mostOpen } from './most-open.ts'
import { networkOfRequest } from './network-of.ts'
import { SharedPlaces } from './shared-places.ts'
import { publishRefusal } from './publish-refusal.ts'

/** What the process can bear. */
export const bounds = {
  /** Milliseconds that the event loop may be late, the mean over a second. */
  maxEventLoopDelay: 1000,
  /** Bytes. */
  maxHeapUsedBytes: getHeapStatistics().heap_size_limit * 0.9,
  /** Connections, of which an address has its share: others are ended, so that files can be opened. */
  maxConnections: Math.floor(mostOpen / 2),
  /** Requests that may run at the same time, the streams of players among them, which have a file each. */
  maxRunning: Math.min(1000, Math.floor(mostOpen / 4)),
  /** Requests that may wait for their turn to begin. */
  maxWaiting: 5000
}

/** Seconds after which a client may try again. */
const retryAfter = 10

/** Milliseconds after the start in which the event loop's delay is that of the start: two samples. */
const start = 2000

/** What is refused, as the contract has errors. */
const refusal = JSON.stringify({ code: 503, message: 'The source is too busy', data: null })

/**
 * Refuses requests with a 503 while the process is beyond its bounds. Routes with `shedLoad: false` in their `config`
 * are answered all the same, as `/status` and `/ready` are: whoever looks after the process would take it for dead.
 */
export async function shedLoad (
  app: FastifyInstance,
  { maxEventLoopDelay, maxHeapUsedBytes, maxConnections, maxRunning, maxWaiting } = bounds
): Promise<void> {
  const { default: underPressure } =
    await import('@fastify/under-pressure').catch(lacksPackage('@fastify/under-pressure', 'door'))
  const isExempt = (request: FastifyRequest) => request.routeOptions.config.shedLoad === false
  const publishEnded = (bound: string) => () => {
    app.log.info({ bound }, 'connection ended')
    publishRefusal(bound)
  }
  limitConnections(app.server, maxConnections, publishEnded('connections'))
  limitAhead(app, publishEnded('ahead'))
  const beginInTurn = fairTurns(maxWaiting)
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    // Nobody waits for the answer of a client that has left.
    const begin = () => {
      if (socket.destroyed || isResponseClosed(reply.raw)) reply.hijack()
      else done()
    }
    if (beginInTurn(networkOfRequest(request), begin)) return
    // A client that sends on and on would be answered before all others.
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
    // A text is sent, and the request goes no further; its types do not say so.
    pressureHandler: (request, reply, bound, value) =>
      (isExempt(request) || (bound === 'eventLoopDelay' && isStarting())
        ? undefined
        : refuse(request, reply, bound, value)) as undefined
  })

  // Requests that wait cost neither time nor much memory, so they are counted: after their bodies are there, since
  // those whose bodies never come would keep the others out.
  const running = new SharedPlaces(maxRunning)
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

/** @returns what is to be sent */
function refuse (request: FastifyRequest, reply: FastifyReply, bound: string, value: number | undefined): string {
  logRefusal(request, { bound, value })
  publishRefusal(bound)
  reply.code(503).header('retry-after', retryAfter).type(jsonType)
  return refusal
}
