import { readFileSync } from 'node:fs'
import type { Server, Socket } from 'node:net'

/** Files and connections that the process may have open. With all of them Node.js cannot read its memory use. */
export const mostOpen = readMostOpen()

function readMostOpen (): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))![1])
  } catch {
    return Infinity
  }
}

/**
 * Ends connections beyond a number of them.
 *
 * @param server has the connections of all addresses: `endStreams` sees to that
 * @param onEnd is called for each connection that is ended
 */
export function limitConnections (server: Server, most: number, onEnd: () => void): void {
  let open = 0
  server.on('connection', (socket: Socket) => {
    if (open >= most) {
      socket.destroy()
      return onEnd()
    }
    open++
    socket.once('close', () => { open-- })
  })
}
