import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { explain } from './explain.ts'

export interface Loaded<T> {
  readonly data: T | undefined
  /** A sentence for people; empty = none. */
  readonly error: string
  readonly again: () => void
}

/**
 * Loads something whenever the key changes. An answer that comes after the key has changed again is dropped.
 *
 * @param keepLast give the data of the last key until that of this one comes
 */
export function useLoad<T> (key: string, load: (signal: AbortSignal) => Promise<T>, keepLast = false): Loaded<T> {
  const [state, setState] = useState<{ key: string, data?: T, error: string }>({ key, error: '' })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    const settle = (result: { data?: T, error: string }) => {
      if (!controller.signal.aborted) setState({ key, ...result })
    }
    load(controller.signal).then(data => settle({ data, error: '' }), error => settle({ error: explain(error) }))
    return () => controller.abort()
  }, [key, attempt])
  const again = useCallback(() => {
    setState(({ data }) => keepLast && data !== undefined ? { key, data, error: '' } : { key, error: '' })
    setAttempt(attempt => attempt + 1)
  }, [key])
  if (state.key === key) return { data: state.data, error: state.error, again }
  return { data: keepLast ? state.data : undefined, error: '', again }
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
}

export interface Pages<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
  readonly error: string
  /** Asks for the next page, unless one is on its way. Resolves with its items. */
  readonly more: () => Promise<readonly T[]>
}

interface List<T> {
  items: readonly T[]
  hasMore: boolean
  error: string
  asked: Promise<readonly T[]> | undefined
  readonly controller: AbortController
}

/**
 * A list that is asked for page by page. It starts anew when the key changes.
 *
 * @param keepLast give the items of the last key until the first of this one come
 */
export function usePages<T> (
  key: string, load: (offset: number, signal: AbortSignal) => Promise<Page<T>>, keepLast = false
): Pages<T> {
  const [, draw] = useState(0)
  const kept = useRef<{ key: string, list: List<T>, more: () => Promise<readonly T[]> } | undefined>(undefined)
  const last = useRef<readonly T[]>([])
  if (kept.current?.key !== key) {
    last.current = keepLast ? kept.current?.list.items ?? [] : []
    kept.current?.list.controller.abort()
    const list: List<T> = { items: [], hasMore: true, error: '', asked: undefined, controller: new AbortController() }
    const { signal } = list.controller
    const redraw = () => { if (!signal.aborted) draw(count => count + 1) }
    const ask = async (): Promise<readonly T[]> => {
      try {
        const page = await load(list.items.length, signal)
        list.items = [...list.items, ...page.items]
        // A page without items has no next one, whatever the source says.
        list.hasMore = page.hasMore && page.items.length > 0
        return page.items
      } catch (error) {
        list.error = explain(error)
        return []
      } finally {
        list.asked = undefined
        redraw()
      }
    }
    const more = () => {
      if (!list.hasMore) return Promise.resolve([])
      if (list.asked === undefined) {
        list.error = ''
        list.asked = ask()
        redraw()
      }
      return list.asked
    }
    kept.current = { key, list, more }
  }
  const { list, more } = kept.current
  useEffect(() => { more() }, [key])
  useEffect(() => () => kept.current?.list.controller.abort(), [])
  const isWaiting = list.items.length === 0 && list.hasMore && list.error === ''
  return { items: isWaiting ? last.current : list.items, hasMore: list.hasMore, error: list.error, more }
}
