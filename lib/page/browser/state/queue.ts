import { computed, effect, signal } from '@preact/signals'
import type { Track } from '../../../client/index.ts'
import { gone } from './gone.ts'
import { loadSimilar, moreOf, type KeptMore, type More } from './more.ts'
import { keep, keepHere, recall, recallHere } from './storage.ts'
import { can, isKept, session, source, type SavedSource } from './sources.ts'
import { tidyTrack } from './tidy.ts'

export interface Entry {
  /** A track may stand in the queue more than once. */
  readonly key: number
  readonly track: Track
}

export type Repeat = 'off' | 'all' | 'one'

interface Rest {
  readonly get: More
  /** The next tracks, until they are in the queue. */
  coming?: Promise<readonly Track[]> | undefined
}

/** Entries around the current one that survive a reload; browsers keep five megabytes. */
const keptEntries = 500

export const entries = signal<readonly Entry[]>([])
/** Index of the current entry; -1 = none. */
export const index = signal(-1)
export const repeat = signal<Repeat>(recall<Repeat>('repeat', 'off'))
export const shuffled = signal(false)
export const current = computed(() => entries.value[index.value])

let count = 0
/** Keys of all entries in the order that they have without shuffling. */
let inOrder: readonly number[] = []
const rest = signal<Rest | undefined>(undefined)

/** Copies the track: the view of the queue tells entries of the same track apart by their objects. */
const entryOf = (track: Track): Entry => ({ key: ++count, track: { ...track } })

/** Replaces the queue. */
export function fill (tracks: readonly Track[], at: number, next?: More): void {
  rest.value = next && { get: next }
  const all = tracks.map(entryOf)
  inOrder = all.map(({ key }) => key)
  const first = all[at]!
  entries.value = shuffled.value ? [first, ...mixed(all.filter(entry => entry !== first))] : all
  index.value = shuffled.value ? 0 : at
}

/** Puts keys behind another one in the order without shuffling; behind none = at the start. */
function order (keys: readonly number[], behind: number | undefined): void {
  const others = inOrder.filter(key => !keys.includes(key))
  inOrder = others.toSpliced(behind === undefined ? 0 : others.indexOf(behind) + 1, 0, ...keys)
}

export function playNext (tracks: readonly Track[]): void {
  const added = tracks.map(entryOf)
  order(added.map(({ key }) => key), current.value?.key)
  entries.value = entries.value.toSpliced(index.value + 1, 0, ...added)
}

export function append (tracks: readonly Track[]): void {
  const added = tracks.map(entryOf)
  inOrder = [...inOrder, ...added.map(({ key }) => key)]
  entries.value = [...entries.value, ...added]
}

/** Returns whether there are such places. */
export function move (from: number, to: number): boolean {
  const entry = entries.value[from]
  if (entry === undefined || to < 0 || to >= entries.value.length) return false
  const { key } = current.value ?? {}
  entries.value = entries.value.toSpliced(from, 1).toSpliced(to, 0, entry)
  order([entry.key], entries.value[to - 1]?.key)
  index.value = entries.value.findIndex(entry => entry.key === key)
  return true
}

/** Takes out the entries of tracks. What comes behind the current one, if there is something, takes its place. */
export function remove (tracks: ReadonlySet<Track>): void {
  const isLeft = ({ track }: Entry) => !tracks.has(track)
  const left = entries.value.filter(isLeft)
  const keys = new Set(left.map(({ key }) => key))
  inOrder = inOrder.filter(key => keys.has(key))
  index.value = entries.value.slice(0, index.value).filter(isLeft).length
  entries.value = left
}

/** Gives what puts back the entries that there are now, unless another list plays then. What came since stays. */
export function remember (): () => void {
  const before = entries.value
  const orderBefore = inOrder
  const restBefore = rest.value
  const indexBefore = index.value
  return () => {
    const key = current.value?.key
    const at = before.findIndex(entry => entry.key === key)
    if (at === -1 && key !== undefined) return
    const known = new Set(orderBefore)
    rest.value = restBefore
    inOrder = [...orderBefore, ...inOrder.filter(key => !known.has(key))]
    entries.value = [...before, ...entries.value.filter(({ key }) => !known.has(key))]
    index.value = key === undefined ? indexBefore : at
  }
}

/** Leaves the current entry alone. */
export function clear (): void {
  rest.value = undefined
  entries.value = current.value === undefined ? [] : [current.value]
  index.value = entries.value.length - 1
  inOrder = entries.value.map(({ key }) => key)
}

/** Mixes what is left to come, or gives it the order that it would have had: from the current entry on, and round. */
export function toggleShuffle (): void {
  shuffled.value = !shuffled.value
  const heard = entries.value.slice(0, index.value + 1)
  const coming = entries.value.slice(index.value + 1)
  if (shuffled.value) {
    entries.value = [...heard, ...mixed(coming)]
    return
  }
  const at = inOrder.indexOf(current.value?.key ?? -1) + 1
  const places = new Map([...inOrder.slice(at), ...inOrder.slice(0, at)].map((key, place) => [key, place]))
  entries.value = [...heard, ...coming.sort((a, b) => places.get(a.key)! - places.get(b.key)!)]
}

function mixed (list: readonly Entry[]): Entry[] {
  const rest = [...list]
  for (let at = rest.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [rest[at], rest[other]] = [rest[other]!, rest[at]!]
  }
  return rest
}

export function cycleRepeat (): void {
  repeat.value = ({ off: 'all', all: 'one', one: 'off' } as const)[repeat.value]
  keep('repeat', repeat.value)
}

/** Index of the entry that follows, of those that are not gone; -1 = none. */
export function following (): number {
  const isThere = (entry: Entry) => !gone.value.has(entry.track.id)
  for (let at = index.value + 1; at < entries.value.length; at++) if (isThere(entries.value[at]!)) return at
  return repeat.value === 'all' ? entries.value.findIndex(isThere) : -1
}

/** Whether there is something to go on to. */
export const hasNext = () => following() !== -1 || restNow() !== undefined

/** Whether a queue goes on with tracks like its last one. */
export const goesOn = signal(recall('goesOn', false))
effect(() => keep('goesOn', goesOn.value))

/** What is like the last track, and not in the queue. */
const similar: Rest = {
  get: async () => {
    const last = entries.value.at(-1)!.track
    const known = new Set(entries.value.map(({ track }) => track.id))
    return (await loadSimilar(last.id)).filter(({ id }) => !known.has(id))
  }
}

const restNow = () => rest.value ??
  (goesOn.value && can('similarTracks') && repeat.value === 'off' && entries.value.length > 0 ? similar : undefined)

/** Asks for more tracks where the end is near. */
export async function extend (): Promise<void> {
  const asked = restNow()
  const end = entries.value.at(-1)
  if (asked === undefined || entries.value.length - index.value > (asked === similar ? 1 : 5)) return
  const coming = asked.coming ??= asked.get()
  const tracks = await coming.catch(() => undefined)
  if (asked.coming !== coming) return
  if (asked === similar) {
    asked.coming = undefined
    if (tracks !== undefined && restNow() === similar && entries.value.at(-1) === end) append(tracks)
    return
  }
  // Tracks that arrive for a list that was left are kept, because Undo may bring that list back.
  if (asked !== rest.value && tracks !== undefined) return
  asked.coming = undefined
  if (tracks === undefined) return
  if (tracks.length === 0) rest.value = undefined
  append(tracks)
}

interface Kept {
  readonly tracks: readonly Track[]
  readonly index: number
  readonly position: number
  /** The tracks in the order that they have without shuffling, by their places; not there = not shuffled. */
  readonly order?: readonly number[]
  /** What it goes on with. */
  readonly more?: KeptMore | undefined
}

/** A number that tells tokens apart, and nothing of them. */
function numberOf (token: string): number {
  let hash = 5381
  for (const character of token) hash = (hash * 33 + character.codePointAt(0)!) % 2 ** 32
  return hash
}

/** Under which name something of an account of a source is kept: of one that is not known by its name, by its token. */
export const nameOf = (
  kind: 'queue' | 'heard' | 'plays' | 'volume' | 'sorts', { url, token, account }: Omit<SavedSource, 'name'>
) =>
  `${kind}:${url}:${account === undefined ? numberOf(token) : `@${account}`}`

/** @param position seconds */
export function keepQueue (position: number): void {
  if (session.value !== 'open' || !isKept()) return
  const start = Math.max(0, index.value - keptEntries / 2)
  const kept = entries.value.slice(start, start + keptEntries)
  const places = new Map(kept.map(({ key }, place) => [key, place]))
  const order = inOrder.flatMap(key => places.get(key) ?? [])
  const tracks = kept.map(({ track }) => track)
  const isToEnd = start + kept.length === entries.value.length
  const more = isToEnd ? rest.value?.get.kept?.() : undefined
  const value: Kept = { tracks, index: index.value - start, position, ...(shuffled.value && { order }), more }
  keepHere(nameOf('queue', source.value), value)
}

/** The queue of the current source as it was left. Returns the position in seconds. */
export function recallQueue (): number {
  const none: Kept = { tracks: [], index: -1, position: 0 }
  const { tracks, index: at, position, order, more } = recallHere(nameOf('queue', source.value), none)
  const get = moreOf(more)
  rest.value = get && { get }
  entries.value = (Array.isArray(tracks) ? tracks : []).map(track => entryOf(tidyTrack(track)))
  index.value = entries.value[at] === undefined ? entries.value.length - 1 : at
  const keys = entries.value.map(({ key }) => key)
  shuffled.value = Array.isArray(order)
  // Every entry has one place, whatever this browser kept.
  inOrder = [...new Set([...(order ?? []).flatMap(place => keys[place] ?? []), ...keys])]
  return Number(position) || 0
}
