import { signal } from '@preact/signals'

/** The number of times that the source reported changed lists. */
export const reloads = signal(0)

/** The number of times that the listener returned to the tab. */
export const returns = signal(0)
document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') returns.value++ })

/** The stored state of a history entry, restored on return. */
export interface HistoryEntry {
  /** The scroll position in pixels. */
  scroll: number
  /** The data loaded by its view, by name. */
  readonly loaded: Map<string, unknown>
  /** A selector of the focused element, with its index among those found. */
  focus?: readonly [selector: string, index: number] | undefined
  /** Whether the listener has returned to it. */
  isBack: boolean
}

/** The maximum number of stored history entries. */
const mostEntries = 12
/** The maximum number of stored lists of a view. */
const mostLoaded = 24

/** By the key of the history entry, the latest last. */
const entries = new Map<string, HistoryEntry>()
let key = ''
let count = 0

const trim = (map: Map<string, unknown>, most: number) => {
  for (const oldest of map.keys()) if (map.size > most) map.delete(oldest)
}

/** Returns the state of the current history entry. */
export function enter (): HistoryEntry {
  const { key: known } = history.state as { key?: unknown } | null ?? {}
  key = typeof known === 'string' ? known : `${performance.timeOrigin} ${++count}`
  if (key !== known) history.replaceState({ key }, '')
  const before = entries.get(key)
  const entry = before ?? { scroll: 0, loaded: new Map(), isBack: false }
  entry.isBack = before !== undefined
  entries.delete(key)
  entries.set(key, entry)
  trim(entries, mostEntries)
  return entry
}

/** Returns a selector of the focused card, row or link, which survives that the view is rendered again. */
function focusIn (main: HTMLElement): HistoryEntry['focus'] {
  const focused = document.activeElement as HTMLElement
  const name = ['href', 'aria-label'].find(name => focused.hasAttribute(name))
  if (name === undefined || !main.contains(focused)) return undefined
  const row = focused.closest<HTMLElement>('[data-index]')?.dataset.index
  const selector = `${row ? `[data-index="${row}"] ` : ''}[${name}="${CSS.escape(focused.getAttribute(name)!)}"]`
  return [selector, [...main.querySelectorAll(selector)].indexOf(focused)]
}

/** Stores the scroll position and the focus of the view that is about to close. */
export function leave (): void {
  const entry = entries.get(key)
  const main = document.getElementById('main')
  if (entry === undefined || main === null) return
  entry.scroll = main.scrollTop
  entry.focus = focusIn(main)
}

/** Milliseconds in which a view that was restored shows the element that had the focus. */
const mostPause = 2000

/** Focuses the element that one came from, once the view shows it, unless the focus moves elsewhere before. */
export function restoreFocus ({ focus }: HistoryEntry, heading: HTMLElement): void {
  if (focus === undefined) return
  const main = document.getElementById('main')!
  const [selector, index] = focus
  const look = () => {
    const found = main.querySelectorAll<HTMLElement>(selector)[index]
    if (document.activeElement === heading) found?.focus({ preventScroll: true })
    if (document.activeElement !== heading) observer.disconnect()
  }
  const observer = new MutationObserver(look)
  observer.observe(main, { childList: true, subtree: true })
  setTimeout(() => observer.disconnect(), mostPause)
  look()
}

export function keepLoaded ({ loaded }: HistoryEntry, name: string, value: unknown): void {
  loaded.delete(name)
  loaded.set(name, value)
  trim(loaded, mostLoaded)
}

/** The last loaded data by name. Views show it until new data arrives. */
export const latest = new Map<string, unknown>()

export function keepLatest (name: string, value: unknown): void {
  latest.delete(name)
  latest.set(name, value)
  trim(latest, mostLoaded)
}

/** Clears the data for another source or account. */
export function forgetLoaded (): void {
  latest.clear()
  for (const { loaded } of entries.values()) loaded.clear()
}
