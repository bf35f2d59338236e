import type { Server, Socket } from 'node:net'
import { networkOf } from './network-of.ts'
import { SharedSlots } from './shared-slots.ts'

/**
 * Closes connections beyond a maximum, of which each address may use a share. Node.js would leave idle connections open
 * for minutes.
 *
 * @param server the server of the first address. Fastify creates another one for each further address of `localhost`,
 * which only this machine reaches
 * @param onEnd called for each connection that is closed
 */
export function limitConnections (server: Server, most: number, onEnd: () => void): void {
  const places = new SharedSlots(most)
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
