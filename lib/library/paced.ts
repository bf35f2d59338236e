import { elapsed } from '../async/elapsed.ts'
import { sleep } from '../async/sleep.ts'

/** The minimum time between two calls of a read in the background, in milliseconds. Tests change it. */
export const pace = { between: 100 }

/** Returns a function that waits until the next call of a read may begin. */
export function paced (): () => Promise<void> {
  let calledAt = -Infinity
  return async () => {
    await sleep(Math.max(0, calledAt + pace.between - elapsed()))
    calledAt = elapsed()
  }
}
