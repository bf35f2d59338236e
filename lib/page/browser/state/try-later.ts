import { useEffect, useRef } from 'preact/hooks'
import {
  NotFoundError, RateLimitedError, SourceError, TimeoutError, UnsupportedFeatureError
} from '../../../contract/errors.ts'
import { isUnconnected } from './explain.ts'

/** Seconds of the first pause; each further one is twice as long. */
const firstPause = 2
/** Seconds. */
const longestPause = 60

/** Whether an error says nothing of what was asked for, so that waiting helps. */
export const isPassing = (error: unknown) => isUnconnected(error) || error instanceof RateLimitedError ||
  error instanceof TimeoutError || (error instanceof SourceError && error.status === 503)

/** Whether a second try would fail in the same way. */
export const isLasting = (error: unknown) => error instanceof NotFoundError || error instanceof UnsupportedFeatureError

/** Seconds that the source wants to be left alone. */
const wanted = (error: unknown) => error instanceof SourceError ? error.retryAfter ?? 0 : 0

/**
 * Calls a function once: after a pause that is longer with each attempt, or as soon as there is a connection again or
 * the tab is seen, unless the source wants a pause.
 *
 * @returns a function that calls it off
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

/** Tries again by itself what a view failed at, when that can help. */
export function useTryLater (error: unknown, again: () => void): void {
  const attempts = useRef(0)
  useEffect(() => {
    if (error === undefined) attempts.current = 0
    if (isPassing(error)) return tryLater(error, attempts.current++, again)
  }, [error])
}
