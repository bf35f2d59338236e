import type { FastifyInstance } from 'fastify'
import type { Socket } from 'node:net'

/** The maximum number of pending requests of a connection. Browsers and proxies send one at a time. */
const mostAhead = 20

/**
 * Closes an HTTP/1.1 connection that sends too many requests before their responses. Node.js handles all requests that
 * it has read, more than a thousand at once, so that a few of these connections would block all others. Their requests
 * do not get beyond this hook.
 *
 * @param onEnd called for each connection that is closed
 */
export function limitAhead (app: FastifyInstance, onEnd: () => void): void {
  const running = new WeakMap<Socket, number>()
  app.addHook('onRequest', ({ raw }, reply, done) => {
    // HTTP/2 streams run in parallel and have their own limits.
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
  // Node.js would respond to each of these requests itself and continue reading.
  app.server.on('checkExpectation', (_request, response) => response.writeHead(417, { connection: 'close' }).end())
}
