import { setTimeout } from 'node:timers/promises'

/** Waits for some work, and for so many milliseconds at most, for which the process does not stay. */
export async function atLongest (ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, setTimeout(ms, undefined, { ref: false })])
}
