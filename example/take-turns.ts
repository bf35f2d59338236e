import { setImmediate } from 'node:timers/promises'

/** Milliseconds after which others have their turn. */
const turn = 10

/** To be awaited now and then in long work. */
export type Pause = () => Promise<void> | undefined

/** What lets others have their turn when it has been called for long enough, and ends with a signal. */
export function takeTurns (signal?: AbortSignal): Pause {
  let began = performance.now()
  return () => performance.now() - began < turn && signal?.aborted !== true
    ? undefined
    : setImmediate(undefined, signal && { signal }).then(() => { began = performance.now() })
}
