import type { FastifyInstance } from 'fastify'
import { onResponseClose } from '../async/on-response-close.ts'
import type { Socket } from 'node:net'

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
  /** Requests that are answered, by connection. */
  const running = new Map<Socket, number>()
  let isGraceOver = false
  const count = (socket: Socket, by: number) => {
    const requests = (running.get(socket) ?? 0) + by
    if (running.has(socket)) running.set(socket, requests)
    if (isGraceOver && requests === 0) socket.destroySoon()
  }
  server.on('connection', (socket: Socket) => {
    running.set(socket, 0)
    socket.once('close', () => running.delete(socket))
  })
  // Its body is there.
  app.addHook('preHandler', async (request, reply) => {
    const { socket } = request.raw
    count(socket, 1)
    onResponseClose(reply.raw, () => count(socket, -1))
  })

  let timers: NodeJS.Timeout[] = []
  app.addHook('preClose', async () => {
    app.log.info({ timeout }, 'closing: no new connections, and running requests have until the timeout')
    // Node.js would reset a connection whose next request is on its way.
    server.closeIdleConnections = () => {}
    const endOthers = () => {
      isGraceOver = true
      running.forEach((requests, socket) => requests === 0 && socket.destroy())
    }
    const endAll = () => {
      app.log.info('closing: the connections that are left are ended')
      server.closeAllConnections()
    }
    timers = [setTimeout(endOthers, grace), setTimeout(endAll, timeout)]
  })
  app.addHook('onClose', async () => {
    timers.forEach(timer => clearTimeout(timer))
    app.log.info('closing: all requests have ended')
  })
}
