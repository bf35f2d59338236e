import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { Socket, type Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { elapsed } from '../async/elapsed.ts'
import { endedServers } from '../async/ended-servers.ts'
import { onResponseClose } from '../async/on-response-close.ts'

/**
 * Ends the remaining connections some time after the server begins to close. Otherwise a paused player would hold its
 * stream for hours. Containers are killed after ten seconds. Call it after the registration of anything that delays the
 * closing. Libraries such as close-with-grace end the process after a time, but not the connections.
 *
 * @param timeout time limit of running requests in milliseconds
 * @param grace time limit in milliseconds of requests that have not arrived completely. Requests that arrive while the
 * server begins to close are answered.
 */
export function endStreams (app: FastifyInstance, timeout = 8000, grace = 250): void {
  const { server } = app
  endedServers.add(server)
  const connections = new Map<unknown, Connection>()
  /** The keys of connections without a request. */
  const idle = new Set<unknown>()
  /** Requests to further addresses of `localhost`. Fastify does not expose its servers for these addresses. */
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
      app.log.info({ timeout }, 'connections closed')
      for (const { socket } of [...connections.values(), ...others]) socket.destroy()
    })
    const end = elapsed() + 2 * grace
    // Node.js resets idle connections when it closes, although a next request may be on its way.
    const noneIdle = Promise.race([emptied(idle), new Promise<void>(resolve => wait(grace, resolve))])
    const accepted = noneIdle.then(() => acceptWaiting(server, end))
    // Clients would connect again after their responses before the server closes.
    held = accepted.then(() => inTurns(() => !server.listening, end)).then(() => { held = undefined })
    await accepted
    app.log.info({ timeout }, 'shutdown started')
    const endOthers = () => {
      isGraceOver = true
      connections.forEach(({ requests, socket }) => [...requests].some(hasArrived) || socket.destroy())
    }
    // Requests that have arrived by then are read first, even if the process is busy.
    wait(grace, () => setImmediate(endOthers))
  })
  app.addHook('onClose', async () => {
    // Fastify waits only for requests to its first address.
    await emptied(others)
    timers.forEach(timer => clearTimeout(timer))
    app.log.info({}, 'requests finished')
  })
}

type AnyRequest = IncomingMessage | Http2ServerRequest

interface Connection {
  readonly socket: Socket
  /** Requests without a complete response. */
  readonly requests: Set<AnyRequest>
}

/** With TLS or HTTP/2 a request has another socket object than its connection. A Unix socket has no address. */
const keyOf = (socket: Socket): unknown => socket.remotePort === undefined
  ? socket
  : `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`

const hasArrived = (request: AnyRequest): boolean =>
  'stream' in request ? request.stream.state.remoteClose === 1 : request.complete

/** Returns a function that ends the connection of a request after all data is sent. An ended stream has no session. */
function endingOf (request: AnyRequest): () => void {
  const { socket } = request
  if (!('stream' in request)) return () => socket.destroySoon()
  const { session } = request.stream
  return () => session?.close()
}

/** Accepts the connections that clients have made while the process was busy. Closing would reset them. */
async function acceptWaiting (server: Server, end: number): Promise<void> {
  let turnsWithout = 0
  const accepted = () => { turnsWithout = 0 }
  server.on('connection', accepted)
  // The current event-loop tick may have accepted connections already, so one more tick is needed.
  await inTurns(() => turnsWithout++ === 2, end)
  server.off('connection', accepted)
}

/** Waits until a condition holds, which is checked at each event-loop tick, or until a time. */
async function inTurns (isDone: () => boolean, end: number): Promise<void> {
  while (!isDone() && elapsed() < end) await nextTurn()
}
