import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isLost } from './connection.ts'
import { explain, isUnconnected } from './explain.ts'
import { keepLatest, keepLoaded, latest, reloads, returns } from './history-entries.ts'
import type { KeptMore, Origin } from './more.ts'
import { route } from './route.ts'
import { source } from './saved-sources.ts'
import { isLasting, useTryLater } from './try-later.ts'

export interface Loaded<T> {
  readonly data: T | undefined
  /** A message for users; empty = none. */
  readonly error: string
  readonly again: () => void
  /** Loads the data again after an error; `undefined` if a retry would fail in the same way. */
  readonly retry: (() => void) | undefined
}

interface State<T> {
  readonly key: string
  readonly data?: T
  readonly error: string
  readonly failure?: unknown
}

/**
 * Loads data when the key changes, and when the source reports changed lists. Responses for an earlier key are dropped.
 *
 * @param keepLast return the data of the last key until new data arrives
 * @param isShared load again when the listener returns to the tab, because other apps may have changed the data
 */
export function useLoad<T> (
  key: string, load: (signal: AbortSignal) => Promise<T>, keepLast = false, isShared = false
): Loaded<T> {
  const { entry } = route.value
  const before = (entry.loaded.get(key) ?? (keepLast ? latest.get(key) : undefined)) as T | undefined
  const [state, setState] = useState<State<T>>({ key, error: '' })
  const [attempt, setAttempt] = useState(0)
  const tried = useRef(attempt)
  useEffect(() => {
    const isWanted = tried.current !== attempt
    tried.current = attempt
    const controller = new AbortController()
    const settle = (result: Omit<State<T>, 'key'>) => {
      if (!controller.signal.aborted) setState({ key, ...result })
    }
    load(controller.signal).then(data => {
      isLost.value = false
      settle({ data, error: '' })
    }, error => {
      if (controller.signal.aborted) return
      // On return to a view the stored data is shown, and a failed update of it is ignored.
      // Without a connection, views keep their data.
      const last = isUnconnected(error) ? before ?? latest.get(key) as T | undefined : undefined
      if (last !== undefined) isLost.value = true
      if (before !== undefined && !isWanted) return
      settle(last === undefined ? { error: explain(error), failure: error } : { data: last, error: '', failure: error })
    })
    return () => controller.abort()
  }, [key, attempt, reloads.value, isShared && returns.value])
  useEffect(() => {
    if (state.data === undefined) return
    keepLoaded(entry, state.key, state.data)
    keepLatest(state.key, state.data)
  }, [entry, state])
  useTryLater(state.key === key ? state.failure : undefined, () => setAttempt(attempt => attempt + 1))
  const again = useCallback(() => {
    setState(({ data }) => keepLast && data !== undefined ? { key, data, error: '' } : { key, error: '' })
    setAttempt(attempt => attempt + 1)
  }, [key])
  if (state.key === key && (state.data !== undefined || state.error !== '')) {
    return { data: state.data, error: state.error, again, retry: isLasting(state.failure) ? undefined : again }
  }
  const last = keepLast ? state.data : undefined
  return { data: attempt === 0 ? before ?? last : last, error: '', again, retry: again }
}

/** Returns state of a view that is restored when the user returns to it. */
export function useKept<T> (name: string, initial: T): readonly [T, (value: T) => void] {
  const { entry } = route.value
  const [value, set] = useState(() => entry.loaded.has(name) ? entry.loaded.get(name) as T : initial)
  return [value, value => {
    keepLoaded(entry, name, value)
    set(value)
  }]
}

interface Page<T, A> {
  readonly items: readonly T[]
  readonly limit: number
  readonly hasMore: boolean
  readonly about?: A
}

export interface Pages<T, A = unknown> {
  readonly items: readonly T[]
  /** The description of the complete list, from its first page. */
  readonly about: A | undefined
  readonly hasMore: boolean
  readonly error: string
  /** Requests the next page, unless a request is pending. */
  readonly more: () => void
  /** Loads the page again after an error; `undefined` if a retry would fail in the same way. */
  readonly retry: (() => void) | undefined
  /**
   * Returns a function that returns further items with each call; empty = the end. It works after the view has closed.
   */
  readonly rest: () => (() => Promise<readonly T[]>) & { readonly kept?: (() => KeptMore) | undefined }
}

interface List<T, A> extends Pick<Pages<T>, 'more' | 'rest'> {
  items: readonly T[]
  about: A | undefined
  /** The offset of the next page, since a page may have fewer items than its limit. */
  offset: number
  /** The offsets of earlier pages by the number of items at that time. */
  ends: Map<number, number>
  hasMore: boolean
  error: string
  failure: unknown
  asked: Promise<void> | undefined
  /** Aborted when the view closes. */
  controller: AbortController
  redraw: () => void
}

type Load<T, A> = (offset: number, signal?: AbortSignal) => Promise<Page<T, A>>

const isWaiting = ({ items, hasMore, error }: List<unknown, unknown>) => items.length === 0 && hasMore && error === ''

function createList<T, A> (name: string, load: Load<T, A>, origin: Origin | undefined): List<T, A> {
  const ask = async () => {
    try {
      const { signal } = list.controller
      // The queue may continue with the list of a closed view.
      const { items, limit, hasMore, about } = await load(list.offset, signal.aborted ? undefined : signal)
      list.items = [...list.items, ...items]
      list.about ??= about
      list.offset += Math.max(Number(limit) || 0, items.length)
      list.ends.set(list.items.length, list.offset)
      // A page without items is the last one, even if the source reports more.
      list.hasMore = hasMore && items.length > 0
      list.failure = undefined
      isLost.value = false
      keepLatest(`pages ${name}`, list)
    } catch (error) {
      const last = latest.get(`pages ${name}`) as List<T, A> | undefined
      if (last !== undefined && isUnconnected(error)) isLost.value = true
      if (last !== undefined && isUnconnected(error) && list.items.length === 0) {
        const { items, about, offset, ends, hasMore } = last
        Object.assign(list, { items, about, offset, ends: new Map(ends), hasMore })
      } else list.error = explain(error)
      list.failure = error
      throw error
    } finally {
      list.asked = undefined
      list.redraw()
    }
  }
  const next = () => {
    if (list.asked === undefined) {
      list.error = ''
      list.asked = ask()
      list.redraw()
    }
    return list.asked
  }
  const list: List<T, A> = {
    items: [],
    about: undefined,
    offset: 0,
    ends: new Map([[0, 0]]),
    hasMore: true,
    error: '',
    failure: undefined,
    asked: undefined,
    controller: new AbortController(),
    redraw: () => {},
    more: () => { if (list.hasMore) next().catch(() => {}) },
    rest: () => {
      let given = list.items.length
      const kept = origin && (() => ({ ...origin, offset: list.ends.get(given)! }))
      return Object.assign(async () => {
        if (given === list.items.length && list.hasMore) {
          const { signal } = list.controller
          const asked = source.value
          await next().catch(error => {
            // The request was aborted because the view has closed.
            if (signal.aborted && asked === source.value) return next()
            throw error
          })
        }
        const items = list.items.slice(given)
        given += items.length
        return items
      }, { kept })
    }
  }
  return list
}

const nothing = { items: [], about: undefined }

/**
 * Returns a paged list. It restarts when the key changes, and when the source reports changed lists. On return to the
 * view, its pages are restored.
 */
export function usePages<T, A = unknown> (
  name: string, load: Load<T, A>, keepLast = false, origin?: Origin
): Pages<T, A> {
  const { entry } = route.value
  const key = `${reloads.value} ${name}`
  const [, draw] = useState(0)
  const shown = useRef<{ key: string, name: string, list: List<T, A> } | undefined>(undefined)
  const last = useRef<Pick<Pages<T, A>, 'items' | 'about'>>(nothing)
  if (shown.current?.key !== key) {
    const before = shown.current?.list
    if (!keepLast && shown.current?.name !== name) last.current = nothing
    else if (before !== undefined && !isWaiting(before)) {
      last.current = { items: before.items, about: before.about ?? last.current.about }
    }
    before?.controller.abort()
    const list = entry.loaded.get(key) as List<T, A> | undefined ?? createList(name, load, origin)
    const controller = list.controller = new AbortController()
    list.error = ''
    list.failure = undefined
    list.redraw = () => { if (!controller.signal.aborted) draw(count => count + 1) }
    shown.current = { key, name, list }
  }
  const { list } = shown.current
  const { items, about = last.current.about, hasMore, error, more, rest } = list
  useEffect(() => { if (isWaiting(list)) more() }, [key])
  useEffect(() => keepLoaded(entry, key, list), [entry, list])
  useTryLater(list.failure, more)
  const retry = isLasting(list.failure) ? undefined : more
  useEffect(() => () => shown.current?.list.controller.abort(), [])
  return isWaiting(list)
    ? { items: last.current.items, about, hasMore, error, more, retry, rest: () => async () => [] }
    : { items, about, hasMore, error, more, retry, rest }
}
