import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import { onResponseClose } from '../async/on-response-close.ts'

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
    running.add(response)
    onResponseClose(response, () => running.delete(response))
  }
}
