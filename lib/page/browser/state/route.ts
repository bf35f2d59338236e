import { computed, signal } from '@preact/signals'

export interface Route {
  /** First part of the path: `album`. Empty = home. */
  readonly view: string
  /** The rest, decoded: an id, or what is searched for. */
  readonly id: string
  readonly query: URLSearchParams
}

const fragment = signal(location.hash)

addEventListener('hashchange', () => { fragment.value = location.hash })

/** Where the page is. It is in the fragment, so that the server needs no route for it, whatever its prefix. */
export const route = computed<Route>(() => {
  const [path = '', query] = fragment.value.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/')
  return { view, id: decode(rest.join('/')), query: new URLSearchParams(query) }
})

/** The href of a view. */
export function hrefOf (view: string, id?: string, query?: Record<string, string>): string {
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
  return `#/${view}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search}`
}

/** @param replace whether the way back skips the place that is left */
export function go (href: string, replace = false): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  fragment.value = location.hash
}

function decode (text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
