import { computed, signal } from '@preact/signals'
import { enter, leave, type HistoryEntry } from './history-entries.ts'

export interface Route {
  /** The first part of the path: `album`. Empty = home. */
  readonly view: string
  /** The rest, decoded: an id, or a search keyword. */
  readonly id: string
  readonly query: URLSearchParams
  /** The stored state of the history entry. */
  readonly entry: HistoryEntry
}

const arrive = () => ({ fragment: location.hash, entry: enter() })

const here = signal(arrive())

addEventListener('hashchange', () => {
  leave()
  here.value = arrive()
})

/** The current view. It is in the fragment, so that the server needs no route for it at any prefix. */
export const route = computed<Route>(() => {
  const { fragment, entry } = here.value
  const [path = '', query] = fragment.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/')
  const id = rest.join('/')
  return { view, id: decoded(id) ?? id, query: new URLSearchParams(query), entry }
})

/** Returns the href of a view. */
export function hrefOf (view: string, id?: string, query?: Record<string, string>): string {
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
  return `#/${view}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search}`
}

/**
 * Navigates to a view.
 *
 * @param replace whether the current view is removed from the history
 */
export function go (href: string, replace = false): void {
  if (href === location.hash) return
  leave()
  if (replace) history.replaceState(history.state, '', href)
  else history.pushState(null, '', href)
  here.value = arrive()
}

/** Returns a percent-decoded text; `undefined` if it is malformed. */
export function decoded (text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
