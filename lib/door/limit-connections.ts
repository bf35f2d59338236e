import type { Server, Socket } from 'node:net'
import { networkOf } from './network-of.ts'
import { SharedPlaces } from './shared-places.ts'

/**
 * Ends connections beyond a number of them, of which each address has a share: Node.js keeps idle ones open for
 * minutes.
 *
 * @param server has the connections of all addresses: `endStreams` sees to that
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
