import { signal } from '@preact/signals'

/** Counts how often the source has said that its lists are others. */
export const reloads = signal(0)

/** Counts how often the listener has come back to the tab. */
export const returns = signal(0)
document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') returns.value++ })

/** What is kept of an entry of the history, for who comes back to it. */
export interface HistoryEntry {
  /** Pixels that its view was scrolled by. */
  scroll: number
  /** What its view loaded, by names. */
  readonly loaded: Map<string, unknown>
  /** Whether one has come back to it. */
  isBack: boolean
}

/** Entries of the history that are kept. */
const mostEntries = 12
/** Lists of one view that are kept. */
const mostLoaded = 12

/** By the key that the entry of the history has; the latest comes last. */
const entries = new Map<string, HistoryEntry>()
let key = ''
let count = 0

const trim = (map: Map<string, unknown>, most: number) => {
  for (const oldest of map.keys()) if (map.size > most) map.delete(oldest)
}

/** What is kept of the entry that the history is at now. */
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

/** Keeps how far the view is scrolled that is about to go. */
export function leave (): void {
  const entry = entries.get(key)
  const main = document.getElementById('main')
  if (entry !== undefined && main !== null) entry.scroll = main.scrollTop
}

export function keepLoaded ({ loaded }: HistoryEntry, name: string, value: unknown): void {
  loaded.delete(name)
  loaded.set(name, value)
  trim(loaded, mostLoaded)
}

/** What was loaded last, by names, for views that show it until what they ask for comes. */
export const latest = new Map<string, unknown>()

export function keepLatest (name: string, value: unknown): void {
  latest.delete(name)
  latest.set(name, value)
  trim(latest, mostLoaded)
}

/** For another source, or another account of it. */
export function forgetLoaded (): void {
  latest.clear()
  for (const { loaded } of entries.values()) loaded.clear()
}
