import { computed, signal } from '@preact/signals'
import type { Track } from '../../../client/index.ts'
import { keep, recall } from './storage.ts'
import { session, source } from './sources.ts'
import { tidyTrack } from './tidy.ts'

export interface Entry {
  /** A track may stand in the queue more than once. */
  readonly key: number
  readonly track: Track
}

export type Repeat = 'off' | 'all' | 'one'

/** Gives more tracks for the end of the queue, none when there are no more. */
export type More = () => Promise<readonly Track[]>

/** Entries around the current one that survive a reload; browsers keep five megabytes. */
const keptEntries = 500

export const entries = signal<readonly Entry[]>([])
/** Index of the current entry; -1 = none. */
export const index = signal(-1)
export const repeat = signal<Repeat>(recall<Repeat>('repeat', 'off'))
export const shuffled = signal(false)
export const current = computed(() => entries.value[index.value])

let count = 0
let more: More | undefined
let fetching: Promise<void> | undefined

const entryOf = (track: Track): Entry => ({ key: ++count, track })

/** Replaces the queue. */
export function fill (tracks: readonly Track[], at: number, next?: More): void {
  more = next
  entries.value = tracks.map(entryOf)
  index.value = at
  if (shuffled.value) mix()
}

export function playNext (tracks: readonly Track[]): void {
  entries.value = entries.value.toSpliced(index.value + 1, 0, ...tracks.map(entryOf))
}

export function append (tracks: readonly Track[]): void {
  entries.value = [...entries.value, ...tracks.map(entryOf)]
}

export function move (from: number, to: number): void {
  const entry = entries.value[from]
  if (entry === undefined || to < 0 || to >= entries.value.length) return
  const { key } = current.value ?? {}
  entries.value = entries.value.toSpliced(from, 1).toSpliced(to, 0, entry)
  index.value = entries.value.findIndex(entry => entry.key === key)
}

export function replace (key: number, track: Track): void {
  entries.value = entries.value.map(entry => entry.key === key ? { key, track } : entry)
}

export function remove (at: number): void {
  if (at < index.value) index.value--
  entries.value = entries.value.toSpliced(at, 1)
}

/** Leaves the current entry alone. */
export function clear (): void {
  more = undefined
  entries.value = current.value === undefined ? [] : [current.value]
  index.value = entries.value.length - 1
}

/** Mixes what comes after the current entry, or puts everything back in the order in which it came. */
export function toggleShuffle (): void {
  shuffled.value = !shuffled.value
  if (shuffled.value) return mix()
  const { key } = current.value ?? {}
  entries.value = entries.value.toSorted((a, b) => a.key - b.key)
  index.value = entries.value.findIndex(entry => entry.key === key)
}

function mix (): void {
  const first = current.value
  const rest = entries.value.filter(entry => entry !== first)
  for (let at = rest.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [rest[at], rest[other]] = [rest[other]!, rest[at]!]
  }
  entries.value = first === undefined ? rest : [first, ...rest]
  index.value = first === undefined ? -1 : 0
}

export function cycleRepeat (): void {
  repeat.value = ({ off: 'all', all: 'one', one: 'off' } as const)[repeat.value]
  keep('repeat', repeat.value)
}

/** Index of the entry that follows; -1 = none. */
export function following (): number {
  if (index.value + 1 < entries.value.length) return index.value + 1
  return repeat.value === 'all' && entries.value.length > 0 ? 0 : -1
}

/** Asks for more tracks where the end is near. */
export function extend (): Promise<void> | undefined {
  if (more === undefined || entries.value.length - index.value > 5) return fetching
  const asked = more
  fetching ??= asked().then(tracks => {
    if (asked !== more) return
    if (tracks.length === 0) more = undefined
    append(tracks)
  }, () => {}).finally(() => { fetching = undefined })
  return fetching
}

interface Kept {
  readonly tracks: readonly Track[]
  readonly index: number
  readonly position: number
}

const nameOf = () => `queue:${source.value.url}`

/** @param position seconds */
export function keepQueue (position: number): void {
  if (session.value !== 'open') return
  const start = Math.max(0, index.value - keptEntries / 2)
  const tracks = entries.value.slice(start, start + keptEntries).map(({ track }) => track)
  keep(nameOf(), { tracks, index: index.value - start, position } satisfies Kept)
}

/** The queue of the current source as it was left. Returns the position in seconds. */
export function recallQueue (): number {
  more = undefined
  const { tracks, index: at, position } = recall<Kept>(nameOf(), { tracks: [], index: -1, position: 0 })
  entries.value = (Array.isArray(tracks) ? tracks : []).map(track => entryOf(tidyTrack(track)))
  index.value = entries.value[at] === undefined ? entries.value.length - 1 : at
  return Number(position) || 0
}
