import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import { endedServers } from '../async/ended-servers.ts'
import { onResponseClose } from '../async/on-response-close.ts'

/** The time for running responses to finish, in milliseconds. */
const timeout = 8000

/**
 * Ends the remaining responses some time after the server began to close: a paused player holds its stream for hours,
 * and containers are killed after ten seconds. Does nothing if `endStreams` already limits them.
 *
 * @returns a function that registers a running response
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
      // Otherwise the connection stays open for the next request, as its headers announced, and the server waits for
      // it.
      if (isClosing) setImmediate(() => app.server.closeIdleConnections())
    })
  }
}
