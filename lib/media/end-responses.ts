import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import { endedServers } from '../async/ended-servers.ts'
import { onResponseClose } from '../async/on-response-close.ts'

/** Milliseconds that running responses have. */
const timeout = 8000

/**
 * Ends the responses that are left some time after the server was told to close: a player that is paused holds its
 * stream for hours, and containers are killed after ten seconds. Does nothing where `endStreams` has a limit for them.
 *
 * @returns notes a response that runs
 */
export function endResponses (app: FastifyInstance): (response: ServerResponse) => void {
  const running = new Set<ServerResponse>()
  let timer: NodeJS.Timeout | undefined
  let isClosing = false
  app.addHook('preClose', async () => {
    if (endedServers.has(app.server)) return
    timer = setTimeout(() => running.forEach(response => response.destroy()), timeout)
    isClosing = true
  })
  app.addHook('onClose', async () => clearTimeout(timer))
  return response => {
    running.add(response)
    onResponseClose(response, () => {
      running.delete(response)
      // Its connection is kept for a next request otherwise, as its headers have said, and the server waits for that.
      if (isClosing) setImmediate(() => app.server.closeIdleConnections())
    })
  }
}
