import type { Server, Socket } from 'node:net'
import { networkOf } from './network-of.ts'
import { SharedPlaces } from './shared-places.ts'

/**
 * Ends connections beyond a number of them, of which each address has a share: Node.js keeps idle ones open for
 * minutes.
 *
 * @param server that of the first address. Fastify makes another one for each further address of `localhost`, which
 * only this machine reaches
 * @param onEnd is called for each connection that is ended
 */
export function limitConnections (server: Server, most: number, onEnd: () => void): void {
  const places = new SharedPlaces(most)
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress!)
    if (places.isBeyondShare(network)) {
      socket.destroy()
      return onEnd()
    }
    places.count(network, 1)
    socket.once('close', () => places.count(network, -1))
  })
}
