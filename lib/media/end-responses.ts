import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'

/**
 * Ends the responses that are left some time after the server was told to close: a player that is paused holds its
 * stream for hours, and containers are killed after ten seconds.
 *
 * @param timeout milliseconds that running responses have
 * @returns notes a response that runs
 */
export function endResponses (app: FastifyInstance, timeout = 8000): (response: ServerResponse) => void {
  const running = new Set<ServerResponse>()
  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setTimeout(() => running.forEach(response => response.destroy()), timeout)
  })
  app.addHook('onClose', async () => clearTimeout(timer))
  return response => {
    // The client has left while a hook of the host took its time.
    if (response.destroyed) return
    running.add(response)
    response.once('close', () => running.delete(response))
  }
}
