import { setTimeout } from 'node:timers/promises'

/** The time within which an available source is called again, in milliseconds. */
export const comesBackWithin = 35_000

/** Waits until something holds, for so many milliseconds at most: what comes late fails where it is looked at. */
export async function until (holds: () => boolean | Promise<boolean>, longest: number): Promise<void> {
  const end = performance.now() + longest
  while (!await holds() && performance.now() < end) await setTimeout(20)
}
