import type { FastifyInstance } from 'fastify'

/** A named function, so that it is registered only once and can be removed. */
const ignore = () => {}

/**
 * Ignores SIGHUP, on which fastify-cli would end, if the source runs as a service. Log rotation sends SIGHUP, but the
 * source logs to its standard output. The system also sends SIGHUP when the user of the service logs out.
 * In a terminal, SIGHUP means that the window was closed, and the source ends.
 */
export function ignoreHangUp (app: FastifyInstance): void {
  if (process.stdin.isTTY || process.stdout.isTTY) return
  const replaceOthers = async () => {
    process.removeAllListeners('SIGHUP')
    process.on('SIGHUP', ignore)
  }
  // fastify-cli registers its listener at the start, and again at the first signal.
  app.addHook('onListen', replaceOthers)
  app.addHook('preClose', replaceOthers)
  app.addHook('onClose', async () => { process.off('SIGHUP', ignore) })
}
