import { longestRetryAfter } from '../errors/retry-after.ts'

/** Returns the milliseconds of a monotonic clock. */
export const now = () => performance.now()

/**
 * Returns the delay in milliseconds before a retry, numbered from 1. A part is random, so that calls are not all
 * repeated at once.
 */
export const backoff = (repetition: number) => Math.min((250 + Math.random() * 500) * 2 ** (repetition - 1), 5000)

/** Returns a valid delay in seconds, at most a day; `undefined` for no delay. */
export const sensible = (seconds = 0) => seconds > 0 ? Math.min(seconds, longestRetryAfter) : undefined
