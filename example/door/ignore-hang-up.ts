import type { FastifyInstance } from 'fastify'

/** Named, so that it is there once. */
const ignore = () => {}

/**
 * A service goes on when SIGHUP tells it to open its log anew, or when who started it logs out: it logs to its output.
 * fastify-cli would end. In a terminal the signal says that the window was closed, and the source ends.
 */
export function ignoreHangUp (app: FastifyInstance): void {
  if (process.stdin.isTTY || process.stdout.isTTY) return
  const replaceOthers = async () => {
    process.removeAllListeners('SIGHUP')
    process.on('SIGHUP', ignore)
  }
  // fastify-cli listens from the start on, and again from the first signal on.
  app.addHook('onListen', replaceOthers)
  app.addHook('preClose', replaceOthers)
  app.addHook('onClose', async () => { process.off('SIGHUP', ignore) })
}
