import { setTimeout } from 'node:timers/promises'

/** Waits until the work ends, but for at most `ms` milliseconds. The timer does not hold up the end of the process. */
export async function waitAtMost (ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, setTimeout(ms, undefined, { ref: false })])
}
