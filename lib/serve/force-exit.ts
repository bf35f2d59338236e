import type { FastifyBaseLogger } from 'fastify'

/** The time in milliseconds in which the process may end by itself after its server is closed. */
const grace = 5000

/**
 * Ends the process even if the author's code still has an open handle, such as a timer, and logs the open handles.
 * close-with-grace would not log them.
 */
export function forceExit (log: FastifyBaseLogger): void {
  setTimeout(() => {
    log.warn({ open: [...new Set(process.getActiveResourcesInfo())] }, 'exit forced')
    process.exit()
  }, grace).unref()
}
