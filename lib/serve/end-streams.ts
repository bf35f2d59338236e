import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
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
  /** Requests that are not answered yet, by connection. */
  const running = new Map<Socket, Set<IncomingMessage>>()
  let isGraceOver = false
  server.on('connection', (socket: Socket) => {
    running.set(socket, new Set())
    socket.once('close', () => running.delete(socket))
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const requests = running.get(socket)
    requests?.add(request)
    onResponseClose(response, () => {
      requests?.delete(request)
      if (isGraceOver && requests?.size === 0) socket.destroySoon()
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
      running.forEach((requests, socket) => [...requests].some(({ complete }) => complete) || socket.destroy())
    }
    const endAll = () => {
      app.log.info('closing: the connections that are left are ended')
      server.closeAllConnections()
    }
    // What has arrived by then is read first, however busy the process is.
    timers = [setTimeout(() => setImmediate(endOthers), grace), setTimeout(endAll, timeout)]
  })
  app.addHook('onClose', async () => {
    timers.forEach(timer => clearTimeout(timer))
    app.log.info('closing: all requests have ended')
  })
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
