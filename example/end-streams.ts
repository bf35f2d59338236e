import type { FastifyInstance } from 'fastify'

/**
 * Ends the connections that are left some time after the server was told to close: a player that is paused holds its
 * stream for hours. Containers are killed after ten seconds.
 *
 * @param timeout milliseconds that running requests have
 */
export function endStreams (app: FastifyInstance, timeout = 8000): void {
  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setTimeout(() => app.server.closeAllConnections(), timeout)
  })
  app.addHook('onClose', async () => clearTimeout(timer))
}
