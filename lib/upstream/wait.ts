import { longestRetryAfter } from '../errors/retry-after.ts'

/** Milliseconds of a monotonic clock. */
export const now = () => performance.now()

/**
 * Milliseconds before a repetition, the first being 1. A part is random, so that calls are not repeated all at once.
 */
export const backoff = (repetition: number) => Math.min((250 + Math.random() * 500) * 2 ** (repetition - 1), 5000)

/** Seconds to wait, a day at the most; `undefined` if there is nothing to wait for. */
export const sensible = (seconds = 0) => seconds > 0 ? Math.min(seconds, longestRetryAfter) : undefined
