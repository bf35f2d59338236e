import { effect, signal } from '@preact/signals'
import { askOwn, hasSources, partial, session } from './sources.ts'

/** The time between two requests, in milliseconds. */
const pause = 30_000

/** The ids of the sources that are not available. */
const unavailable = signal<readonly string[]>([])

/** Returns whether the source of an item is not available. */
export const isUnavailable = (id: string): boolean => unavailable.value.some(source => id.startsWith(`${source}:`))

/** Requests the state of the sources while the page is visible. */
effect(() => {
  if (session.value !== 'open' || !hasSources()) {
    unavailable.value = []
    return
  }
  const controller = new AbortController()
  const look = async () => {
    if (document.visibilityState !== 'visible') return
    // A request that fails says nothing about the sources.
    const { items } = await askOwn('GET unavailable', undefined, controller.signal).catch(() => ({ items: undefined }))
    if (items !== undefined && !controller.signal.aborted) unavailable.value = items
  }
  const timer = setInterval(look, pause)
  document.addEventListener('visibilitychange', look)
  const stop = partial.subscribe(look)
  return () => {
    controller.abort()
    stop()
    clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
  }
})
