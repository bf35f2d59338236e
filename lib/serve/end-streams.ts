import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { Socket, type Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { elapsed } from '../async/elapsed.ts'
import { endedServers } from '../async/ended-servers.ts'
import { onResponseClose } from '../async/on-response-close.ts'

/**
 * Ends the connections that are left some time after the server began to close: a player that is paused holds its
 * stream for hours. Containers are killed after ten seconds. To be called after what delays the closing is registered.
 * Libraries such as close-with-grace end the process after a time, and not the connections.
 *
 * @param timeout milliseconds that running requests have
 * @param grace milliseconds that others have: what arrives as the server begins to close is answered, and what never
 * arrives as a whole is not waited for
 */
export function endStreams (app: FastifyInstance, timeout = 8000, grace = 250): void {
  const { server } = app
  endedServers.add(server)
  const connections = new Map<unknown, Connection>()
  /** Keys of those without a request. */
  const idle = new Set<unknown>()
  /** Requests to further addresses of `localhost`: Fastify does not show the servers that it makes for them. */
  const others = new Set<AnyRequest>()
  let [isClosing, isGraceOver] = [false, false]
  let check = () => {}
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket)
    connections.set(key, { socket, requests: new Set() })
    idle.add(key)
    socket.once('close', () => {
      connections.delete(key)
      idle.delete(key)
      check()
    })
  })
  server.on('request', (request: AnyRequest, response: ServerResponse) => {
    const key = keyOf(request.socket)
    const requests = connections.get(key)?.requests
    const end = endingOf(request)
    requests?.add(request)
    idle.delete(key)
    check()
    onResponseClose(response, () => {
      requests?.delete(request)
      if (requests?.size !== 0) return
      if (connections.has(key)) idle.add(key)
      if (isGraceOver) end()
    })
  })

  let held: Promise<void> | undefined
  app.addHook('onRequest', ({ raw }, reply, done) => {
    // Requests of `inject` have no socket.
    if (raw.socket instanceof Socket && !connections.has(keyOf(raw.socket))) {
      const end = endingOf(raw)
      others.add(raw)
      onResponseClose(reply.raw, () => {
        others.delete(raw)
        if (isClosing) end()
        check()
      })
    }
    if (held === undefined) done()
    else held.then(() => done(), done)
  })

  const timers: NodeJS.Timeout[] = []
  const wait = (time: number, callback: () => void) => timers.push(setTimeout(callback, time))
  const emptied = (set: Set<unknown>) => new Promise<void>(resolve => {
    check = () => { if (set.size === 0) resolve() }
    check()
  })
  app.addHook('preClose', async () => {
    isClosing = true
    wait(timeout, () => {
      app.log.info('closing: the connections that are left are ended')
      for (const { socket } of [...connections.values(), ...others]) socket.destroy()
    })
    const end = elapsed() + 2 * grace
    // Node.js resets idle connections as it closes, though a next request may be on its way.
    const noneIdle = Promise.race([emptied(idle), new Promise<void>(resolve => wait(grace, resolve))])
    const accepted = noneIdle.then(() => acceptWaiting(server, end))
    // Clients that got answers would connect again before the server closes.
    held = accepted.then(() => inTurns(() => !server.listening, end)).then(() => { held = undefined })
    await accepted
    app.log.info({ timeout }, 'closing: no new connections, and running requests have until the timeout')
    const endOthers = () => {
      isGraceOver = true
      connections.forEach(({ requests, socket }) => [...requests].some(hasArrived) || socket.destroy())
    }
    // What has arrived by then is read first, however busy the process is.
    wait(grace, () => setImmediate(endOthers))
  })
  app.addHook('onClose', async () => {
    // Fastify waits for requests to its first address only.
    await emptied(others)
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
