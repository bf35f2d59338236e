import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'

/**
 * Ends the responses that are left some time after the server was told to close: a player that is paused holds its
 * stream for hours, and containers are killed after ten seconds.
 *
 * @param patience milliseconds that running responses have
 */
export function endResponses (app: FastifyInstance, running: ReadonlySet<ServerResponse>, patience = 8000): void {
  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setTimeout(() => running.forEach(response => response.destroy()), patience)
  })
  app.addHook('onClose', async () => clearTimeout(timer))
}
