import type { FastifyInstance } from 'fastify'
import type { Socket } from 'node:net'

/** Requests of a connection that are not answered yet. Browsers and proxies send one. */
const mostAhead = 20

/**
 * Ends a connection of HTTP/1.1 that sends too many requests ahead of their answers. Node.js calls for all that it has
 * read, more than a thousand at once, and some connections of that kind would block all others: these get no further
 * than this hook.
 *
 * @param onEnd is called for each connection that is ended
 */
export function limitAhead (app: FastifyInstance, onEnd: () => void): void {
  const running = new WeakMap<Socket, number>()
  app.addHook('onRequest', ({ raw }, reply, done) => {
    // Streams of HTTP/2 run side by side, and have limits of their own.
    if (raw.httpVersionMajor === 2) return done()
    const { socket } = raw
    const ahead = running.get(socket) ?? 0
    if (ahead === mostAhead && !socket.destroyed) {
      socket.destroy()
      onEnd()
    }
    // The client does not wait for the response.
    if (socket.destroyed) return reply.hijack()
    running.set(socket, ahead + 1)
    reply.raw.once('close', () => running.set(socket, running.get(socket)! - 1))
    done()
  })
  // Node.js answers each of these by itself, and reads on.
  app.server.on('checkExpectation', (_request, response) => response.writeHead(417, { connection: 'close' }).end())
}
