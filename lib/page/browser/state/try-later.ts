import { useEffect, useRef } from 'preact/hooks'
import {
  NotFoundError, RateLimitedError, SourceError, TimeoutError, UnsupportedFeatureError
} from '../../../contract/errors.ts'
import { isUnconnected } from './explain.ts'

/** The first pause in seconds. Each further pause is twice as long. */
const firstPause = 2
/** The maximum pause in seconds. */
const longestPause = 60

/** Returns whether an error is temporary, so that a retry may help. */
export const isPassing = (error: unknown) => isUnconnected(error) || error instanceof RateLimitedError ||
  error instanceof TimeoutError || (error instanceof SourceError && error.status === 503)

/** Returns whether a retry would fail in the same way. */
export const isLasting = (error: unknown) => error instanceof NotFoundError || error instanceof UnsupportedFeatureError

/** Returns the `Retry-After` of an error in seconds. */
const wanted = (error: unknown) => error instanceof SourceError ? error.retryAfterSeconds ?? 0 : 0

/**
 * Calls a function once: after a pause that grows with each attempt, or as soon as the browser is online again or the
 * tab becomes visible, unless the source requires a pause.
 *
 * @returns a function that cancels the call
 */
export function tryLater (error: unknown, attempt: number, again: () => void): () => void {
  const least = wanted(error)
  const now = () => {
    callOff()
    again()
  }
  const onSeen = () => { if (document.visibilityState === 'visible') now() }
  const timer = setTimeout(now, Math.max(least, Math.min(longestPause, firstPause * 2 ** attempt)) * 1000)
  const callOff = () => {
    clearTimeout(timer)
    removeEventListener('online', now)
    document.removeEventListener('visibilitychange', onSeen)
  }
  if (least === 0) {
    addEventListener('online', now)
    document.addEventListener('visibilitychange', onSeen)
  }
  return callOff
}

/** Retries a failed load of a view automatically, if a retry may help. */
export function useTryLater (error: unknown, again: () => void): void {
  const attempts = useRef(0)
  useEffect(() => {
    if (error === undefined) attempts.current = 0
    if (isPassing(error)) return tryLater(error, attempts.current++, again)
  }, [error])
}
