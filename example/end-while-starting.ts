const signals = ['SIGTERM', 'SIGINT'] as const

const end = () => process.exit(0)

/**
 * Ends the process at once on a signal during the start and the first scan. fastify-cli handles signals only after the
 * start, and the system does not end process 1 of a container without a signal handler. Stored data is consistent at
 * any time.
 *
 * @returns a function to call at the end of the start
 */
export function endWhileStarting (): () => void {
  for (const signal of signals) process.on(signal, end)
  const off = () => { for (const signal of signals) process.off(signal, end) }
  // Node.js may dispatch a signal two event-loop ticks after its arrival, and drops the signal without a listener.
  return () => { setImmediate(() => setImmediate(off)) }
}
