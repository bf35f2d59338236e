import { longestRetryAfter } from '../errors/retry-after.ts'

/** Milliseconds of a monotonic clock. */
export const now = () => performance.now()

/**
 * Waits, and ends at once when the signal is aborted or, with `wakers`, when somebody calls what is put there.
 *
 * @throws the signal's reason
 */
export function sleep (milliseconds: number, signal: AbortSignal, wakers?: Set<() => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const end = () => {
      clearTimeout(timer)
      wakers?.delete(end)
      signal.removeEventListener('abort', end)
      if (signal.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, Math.ceil(milliseconds))
    wakers?.add(end)
    signal.addEventListener('abort', end)
  })
}

/**
 * Milliseconds before a repetition, the first being 1. A part is random, so that calls are not repeated all at once.
 */
export const backoff = (repetition: number) => Math.min((250 + Math.random() * 500) * 2 ** (repetition - 1), 5000)

/** Seconds to wait, a day at the most; `undefined` if there is nothing to wait for. */
export const sensible = (seconds = 0) => seconds > 0 ? Math.min(seconds, longestRetryAfter) : undefined
