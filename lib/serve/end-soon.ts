import type { FastifyBaseLogger } from 'fastify'

/** Milliseconds that a process has to end by itself when its server is closed. */
const grace = 5000

/**
 * Ends the process though something of the author's code is still open, a timer for example, and logs what it is.
 * close-with-grace would not log it.
 */
export function endSoon (log: FastifyBaseLogger): void {
  setTimeout(() => {
    const open = [...new Set(process.getActiveResourcesInfo())].join(', ')
    log.warn(`Closed, and the process does not end by itself. It is ended; still open: ${open}`)
    process.exit()
  }, grace).unref()
}
