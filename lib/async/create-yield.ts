import { setImmediate } from 'node:timers/promises'

/** The time slice in milliseconds. */
const turn = 10

/** Yields to the event loop if necessary. Long work must call and await it regularly. */
export type Yield = () => Promise<void> | undefined

/**
 * Creates a function that yields to the event loop after each time slice, for long work in JavaScript and for databases
 * that run in this thread.
 *
 * @param signal ends the work: the pause throws its reason
 */
export function createYield (signal?: AbortSignal): Yield {
  let began = performance.now()
  return () => performance.now() - began < turn && signal?.aborted !== true
    ? undefined
    : setImmediate().then(() => {
      signal?.throwIfAborted()
      began = performance.now()
    })
}
