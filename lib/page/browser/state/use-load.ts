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
  readonly limit: number
  readonly hasMore: boolean
}

export interface Pages<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
  readonly error: string
  /** Asks for the next page, unless one is on its way. */
  readonly more: () => void
  /** Gives what comes after the items that are there now, each time some more; none = the end. Needs no view. */
  readonly rest: () => () => Promise<readonly T[]>
}

interface List<T> {
  items: readonly T[]
  /** Where the next page begins: a page may have fewer items than its limit. */
  offset: number
  hasMore: boolean
  error: string
  asked: Promise<void> | undefined
  readonly controller: AbortController
}

const isWaiting = ({ items, hasMore, error }: List<unknown>) => items.length === 0 && hasMore && error === ''

/**
 * A list that is asked for page by page. It starts anew when the key changes.
 *
 * @param keepLast give the items of the last key until the first of this one come
 */
export function usePages<T> (
  key: string, load: (offset: number, signal?: AbortSignal) => Promise<Page<T>>, keepLast = false
): Pages<T> {
  const [, draw] = useState(0)
  const kept = useRef<Pick<Pages<T>, 'more' | 'rest'> & { key: string, list: List<T> } | undefined>(undefined)
  const last = useRef<readonly T[]>([])
  if (kept.current?.key !== key) {
    const before = kept.current?.list
    if (!keepLast) last.current = []
    else if (before !== undefined && !isWaiting(before)) last.current = before.items
    before?.controller.abort()
    const list: List<T> = {
      items: [], offset: 0, hasMore: true, error: '', asked: undefined, controller: new AbortController()
    }
    const { signal } = list.controller
    const redraw = () => { if (!signal.aborted) draw(count => count + 1) }
    const ask = async () => {
      try {
        // The queue goes on with a list whose view has gone.
        const { items, limit, hasMore } = await load(list.offset, signal.aborted ? undefined : signal)
        list.items = [...list.items, ...items]
        list.offset += Math.max(Number(limit) || 0, items.length)
        // A page without items has no next one, whatever the source says.
        list.hasMore = hasMore && items.length > 0
      } catch (error) {
        list.error = explain(error)
        throw error
      } finally {
        list.asked = undefined
        redraw()
      }
    }
    const next = () => {
      if (list.asked === undefined) {
        list.error = ''
        list.asked = ask()
        redraw()
      }
      return list.asked
    }
    const more = () => { if (list.hasMore) next().catch(() => {}) }
    const rest = () => {
      let given = list.items.length
      return async () => {
        if (given === list.items.length && list.hasMore) await next()
        const items = list.items.slice(given)
        given += items.length
        return items
      }
    }
    kept.current = { key, list, more, rest }
  }
  const { list, more, rest } = kept.current
  useEffect(more, [key])
  useEffect(() => () => kept.current?.list.controller.abort(), [])
  const { items, hasMore, error } = list
  return isWaiting(list)
    ? { items: last.current, hasMore, error, more, rest: () => async () => [] }
    : { items, hasMore, error, more, rest }
}
