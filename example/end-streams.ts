import type { FastifyInstance } from 'fastify'

/**
 * Ends the connections that are left some time after the server began to close: a player that is paused holds its
 * stream for hours. Containers are killed after ten seconds. To be called after what delays the closing is registered.
 *
 * @param timeout milliseconds that running requests have
 */
export function endStreams (app: FastifyInstance, timeout = 8000): void {
  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    app.log.info({ timeout }, 'closing: no new connections, and running requests have until the timeout')
    timer = setTimeout(() => {
      app.log.info('closing: the connections that are left are ended')
      app.server.closeAllConnections()
    }, timeout)
  })
  app.addHook('onClose', async () => {
    clearTimeout(timer)
    app.log.info('closing: all requests have ended')
  })
}
