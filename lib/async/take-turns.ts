import { setImmediate } from 'node:timers/promises'

/** Milliseconds after which others have their turn. */
const turn = 10

/** To be awaited now and then in long work. */
export type Pause = () => Promise<void> | undefined

/**
 * Lets others have their turn when it has been called for long enough: for long work in JavaScript, and databases that
 * work in this thread.
 *
 * @param signal ends the work: the pause throws its reason
 */
export function takeTurns (signal?: AbortSignal): Pause {
  let began = performance.now()
  return () => performance.now() - began < turn && signal?.aborted !== true
    ? undefined
    : setImmediate().then(() => {
      signal?.throwIfAborted()
      began = performance.now()
    })
}
