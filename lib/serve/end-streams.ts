import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Server, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { elapsed } from '../async/elapsed.ts'
import { endedServers } from '../async/ended-servers.ts'
import { onResponseClose } from '../async/on-response-close.ts'
import { joinServers } from './join-servers.ts'

/**
 * Ends the connections that are left some time after the server began to close: a player that is paused holds its
 * stream for hours. Containers are killed after ten seconds. To be called after what delays the closing is registered.
 *
 * @param timeout milliseconds that running requests have
 * @param grace milliseconds that others have: what arrives as the server begins to close is answered, and what never
 * arrives as a whole is not waited for
 */
export function endStreams (app: FastifyInstance, timeout = 8000, grace = 250): void {
  const { server } = app
  endedServers.add(server)
  joinServers(app)
  const connections = new Map<unknown, Connection>()
  let isGraceOver = false
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket)
    connections.set(key, { socket, requests: new Set() })
    socket.once('close', () => connections.delete(key))
  })
  server.on('request', (request: AnyRequest, response: ServerResponse) => {
    const requests = connections.get(keyOf(request.socket))?.requests
    const end = endingOf(request)
    requests?.add(request)
    onResponseClose(response, () => {
      requests?.delete(request)
      if (isGraceOver && requests?.size === 0) end()
    })
  })

  let held: Promise<void> | undefined
  app.addHook('onRequest', (_request, _reply, done) => {
    if (held === undefined) done()
    else held.then(() => done(), done)
  })

  let timers: NodeJS.Timeout[] = []
  app.addHook('preClose', async () => {
    const end = elapsed() + grace
    const accepted = acceptWaiting(server, end)
    // Clients that got answers would connect again before the server closes.
    held = accepted.then(() => inTurns(() => !server.listening, end)).then(() => { held = undefined })
    await accepted
    app.log.info({ timeout }, 'closing: no new connections, and running requests have until the timeout')
    // Node.js would reset a connection whose next request is on its way.
    server.closeIdleConnections = () => {}
    const endOthers = () => {
      isGraceOver = true
      connections.forEach(({ requests, socket }) => [...requests].some(hasArrived) || socket.destroy())
    }
    const endAll = () => {
      app.log.info('closing: the connections that are left are ended')
      connections.forEach(({ socket }) => socket.destroy())
    }
    // What has arrived by then is read first, however busy the process is.
    timers = [setTimeout(() => setImmediate(endOthers), grace), setTimeout(endAll, timeout)]
  })
  app.addHook('onClose', async () => {
    timers.forEach(timer => clearTimeout(timer))
    app.log.info('closing: all requests have ended')
  })
}

type AnyRequest = IncomingMessage | Http2ServerRequest

interface Connection {
  readonly socket: Socket
  /** Requests that are not answered yet. */
  readonly requests: Set<AnyRequest>
}

/** With TLS or HTTP/2 a request has another socket object than its connection. A Unix socket has no address. */
const keyOf = (socket: Socket): unknown => socket.remotePort === undefined
  ? socket
  : `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`

const hasArrived = (request: AnyRequest): boolean =>
  'stream' in request ? request.stream.state.remoteClose === 1 : request.complete

/** Returns what ends the connection of a request when all is sent. A stream that has ended has no session. */
function endingOf (request: AnyRequest): () => void {
  const { socket } = request
  if (!('stream' in request)) return () => socket.destroySoon()
  const { session } = request.stream
  return () => session?.close()
}

/** Accepts the connections that clients have made while the process was busy: closing would reset them. */
async function acceptWaiting (server: Server, end: number): Promise<void> {
  let turnsWithout = 0
  const accepted = () => { turnsWithout = 0 }
  server.on('connection', accepted)
  // The turn that runs may have looked for connections before.
  await inTurns(() => turnsWithout++ === 2, end)
  server.off('connection', accepted)
}

/** Waits for something, which it asks for in each turn of the event loop. */
async function inTurns (isDone: () => boolean, end: number): Promise<void> {
  while (!isDone() && elapsed() < end) await nextTurn()
}
