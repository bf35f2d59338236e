const signals = ['SIGTERM', 'SIGINT'] as const

const end = () => process.exit(0)

/**
 * Ends at once on a signal during the start, a first scan included: fastify-cli listens from its end on, and the system
 * ends no process 1 of a container that does not listen. What is stored is whole at any time.
 *
 * @returns what is to be called at the end of the start
 */
export function endWhileStarting (): () => void {
  for (const signal of signals) process.on(signal, end)
  const off = () => { for (const signal of signals) process.off(signal, end) }
  // Node.js drops a signal that has no listener when it is dispatched, which may be two turns after it came.
  return () => { setImmediate(() => setImmediate(off)) }
}
