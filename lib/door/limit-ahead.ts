import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Requests of a connection that are not answered yet. Browsers and proxies send one. */
const mostAhead = 20

/**
 * Ends a connection of HTTP/1.1 that sends too many requests ahead of their answers.
 * Node.js calls for all that it has read, more
 * than a thousand at once, and some connections of that kind would block all others: these get no further than here.
 *
 * @param server has the connections of all addresses: `endStreams` sees to that
 * @param onEnd is called for each connection that is ended
 */
export function limitAhead (server: Server, onEnd: () => void): void {
  const running = new WeakMap<Socket, number>()
  const limited = (listener: Listener): Listener => (request, response) => {
    // Streams of HTTP/2 run side by side, and have limits of their own.
    if (request.httpVersionMajor === 2) return listener(request, response)
    const { socket } = request
    // Ended by an earlier request.
    if (!socket.writable) return
    const ahead = running.get(socket) ?? 0
    if (ahead === mostAhead) {
      socket.destroy()
      return onEnd()
    }
    running.set(socket, ahead + 1)
    response.once('close', () => running.set(socket, running.get(socket)! - 1))
    listener(request, response)
  }
  const [handle] = server.listeners('request') as [Listener]
  server.off('request', handle).on('request', limited(handle))
  // Node.js answers these by itself.
  server.on('checkExpectation', limited((_request, response) => response.writeHead(417, { connection: 'close' }).end()))
}
