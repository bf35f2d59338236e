import { batch, computed, effect, signal } from '@preact/signals'
import type { Track } from '../../../client/index.ts'
import type { QueueContent, QueueRest } from '../../../queue/internal.ts'
import { gone } from './missing-tracks.ts'
import { loadSimilar, moreOf, type KeptMore, type More } from './more.ts'
import { newId } from './new-id.ts'
import { isKept } from './parked-accounts.ts'
import { source, type SavedSource } from './saved-sources.ts'
import { can, session } from './session.ts'
import { keep, keepHere, recall, recallHere } from './storage.ts'
import { tidyTrack } from './tidy.ts'

export interface Entry {
  /** A unique key, since a track may be in the queue more than once. */
  readonly key: string
  readonly track: Track
}

export type Repeat = 'off' | 'all' | 'one'

interface Rest {
  readonly get: More
  /** The pending request for the next tracks. */
  coming?: Promise<readonly Track[]> | undefined
}

/** The number of entries around the current one that survive a reload; browsers store at most five megabytes. */
const keptEntries = 500

export const entries = signal<readonly Entry[]>([])
/** The index of the current entry; -1 = none. */
export const index = signal(-1)
export const repeat = signal<Repeat>(recall<Repeat>('repeat', 'off'))
export const shuffled = signal(false)
export const current = computed(() => entries.value[index.value])

/** The number of lists that were put into the queue. */
export const lists = signal(0)
/** The keys of all entries in unshuffled order. */
let inOrder: readonly string[] = []
/** The keys of entries that the listener asked for next. Shuffle does not move them. */
const askedNext = new Set<string>()
const rest = signal<Rest | undefined>(undefined)

/** Copies the track: the queue view distinguishes entries of one track by their objects. */
const entryOf = (track: Track): Entry => ({ key: newId(), track: { ...track } })

/** Replaces the queue. */
export function fill (tracks: readonly Track[], at: number, next?: More): void {
  const all = tracks.map(entryOf)
  const first = all[at]!
  inOrder = all.map(({ key }) => key)
  batch(() => {
    rest.value = next && { get: next }
    entries.value = shuffled.value ? [first, ...mixed(all.filter(entry => entry !== first))] : all
    index.value = shuffled.value ? 0 : at
    lists.value++
  })
}

/** Inserts keys after another one in the unshuffled order; `undefined` = at the start. */
function order (keys: readonly string[], behind: string | undefined): void {
  const others = inOrder.filter(key => !keys.includes(key))
  inOrder = others.toSpliced(behind === undefined ? 0 : others.indexOf(behind) + 1, 0, ...keys)
}

export function playNext (tracks: readonly Track[]): void {
  const added = tracks.map(entryOf)
  for (const { key } of added) askedNext.add(key)
  order(added.map(({ key }) => key), current.value?.key)
  entries.value = entries.value.toSpliced(index.value + 1, 0, ...added)
}

export function append (tracks: readonly Track[]): void {
  const added = tracks.map(entryOf)
  inOrder = [...inOrder, ...added.map(({ key }) => key)]
  entries.value = [...entries.value, ...added]
}

/** Moves an entry. Returns whether the indexes exist. */
export function move (from: number, to: number): boolean {
  const entry = entries.value[from]
  if (entry === undefined || to < 0 || to >= entries.value.length) return false
  const { key } = current.value ?? {}
  entries.value = entries.value.toSpliced(from, 1).toSpliced(to, 0, entry)
  order([entry.key], entries.value[to - 1]?.key)
  index.value = entries.value.findIndex(entry => entry.key === key)
  return true
}

/** Removes the entries of tracks. If the current entry is removed, the next one replaces it. */
export function remove (tracks: ReadonlySet<Track>): void {
  const isLeft = ({ track }: Entry) => !tracks.has(track)
  const left = entries.value.filter(isLeft)
  const keys = new Set(left.map(({ key }) => key))
  inOrder = inOrder.filter(key => keys.has(key))
  index.value = entries.value.slice(0, index.value).filter(isLeft).length
  entries.value = left
}

/** Returns a function that restores the current entries, unless another list is playing by then. Newer entries stay. */
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

/** Removes all entries except the current one. */
export function clear (): void {
  rest.value = undefined
  entries.value = current.value === undefined ? [] : [current.value]
  index.value = entries.value.length - 1
  inOrder = entries.value.map(({ key }) => key)
}

/**
 * Shuffles the remaining entries, or restores their original order, from the current entry and wrapping around. Those
 * that the listener asked for next stay next.
 */
export function toggleShuffle (): void {
  shuffled.value = !shuffled.value
  const start = index.value + 1
  const mixable = entries.value.findIndex(({ key }, at) => at >= start && !askedNext.has(key))
  const [heard, coming] = mixable < 0
    ? [entries.value, []]
    : [entries.value.slice(0, mixable), entries.value.slice(mixable)]
  if (shuffled.value) {
    entries.value = [...heard, ...mixed(coming)]
    return
  }
  const at = inOrder.indexOf(current.value?.key ?? '') + 1
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

/** Returns the index of the next entry whose track is not missing; -1 = none. */
export function following (): number {
  const isThere = (entry: Entry) => !gone.value.has(entry.track.id)
  for (let at = index.value + 1; at < entries.value.length; at++) if (isThere(entries.value[at]!)) return at
  return repeat.value === 'all' ? entries.value.findIndex(isThere) : -1
}

/** Returns whether playback can continue after the current entry. */
export const hasNext = () => following() !== -1 || restNow() !== undefined

/** Whether the queue continues with tracks similar to its last one. */
export const goesOn = signal(recall('goesOn', false))
effect(() => keep('goesOn', goesOn.value))

/** Loads tracks similar to the last one that are not in the queue. */
const similar: Rest = {
  get: async () => {
    const last = entries.value.at(-1)!.track
    const known = new Set(entries.value.map(({ track }) => track.id))
    return (await loadSimilar(last.id)).filter(({ id }) => !known.has(id))
  }
}

const restNow = () => rest.value ??
  (goesOn.value && can('similarTracks') && repeat.value === 'off' && entries.value.length > 0 ? similar : undefined)

/** Requests more tracks near the end. */
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
  // Tracks for a replaced list are stored, because Undo may restore that list.
  if (asked !== rest.value && tracks !== undefined) return
  asked.coming = undefined
  if (tracks === undefined) return
  if (tracks.length === 0) rest.value = undefined
  append(tracks)
}

/** Returns the queue as devices of an account share it. */
export const content = (): QueueContent => ({
  entries: entries.value.map(({ key, track }) => [key, track.id]),
  current: current.value?.key,
  order: shuffled.value ? inOrder : undefined,
  rest: rest.value?.get.kept?.() as QueueRest | undefined
})

/**
 * Shows a queue that devices of the account share. Known entries stay the same objects.
 *
 * @param trackOf returns the track of an id
 */
export function adopt (
  { entries: given, current: key, order, rest: more }: QueueContent, trackOf: (id: string) => Track
): void {
  const known = new Map(entries.value.map(entry => [entry.key, entry]))
  const get = moreOf(more)
  batch(() => {
    rest.value = get && { get }
    entries.value = given.map(([key, id]) => known.get(key) ?? { key, track: { ...trackOf(id) } })
    inOrder = order ?? given.map(([key]) => key)
    shuffled.value = order !== undefined
    index.value = given.findIndex(([id]) => id === key)
  })
}

interface Kept {
  readonly tracks: readonly Track[]
  /** The keys of the entries. Default: new ones */
  readonly keys?: readonly string[]
  readonly index: number
  readonly position: number
  /** The indexes of the tracks in unshuffled order; absent = not shuffled. */
  readonly order?: readonly number[]
  /** The continuation of the queue. */
  readonly more?: KeptMore | undefined
}

/** Returns a hash that distinguishes tokens without revealing them. */
function numberOf (token: string): number {
  let hash = 5381
  for (const character of token) hash = (hash * 33 + character.codePointAt(0)!) % 2 ** 32
  return hash
}

/** Returns the storage key for data of an account. Accounts without a known name are identified by their token. */
export const nameOf = (
  kind: 'queue' | 'shared' | 'heard' | 'plays' | 'volume' | 'sorts', { url, token, account }: Omit<SavedSource, 'name'>
) =>
  `${kind}:${url}:${account === undefined ? numberOf(token) : `@${account}`}`

/** Stores the queue. @param position seconds */
export function keepQueue (position: number): void {
  if (session.value !== 'open' || !isKept()) return
  const start = Math.max(0, index.value - keptEntries / 2)
  const kept = entries.value.slice(start, start + keptEntries)
  const places = new Map(kept.map(({ key }, place) => [key, place]))
  const order = inOrder.flatMap(key => places.get(key) ?? [])
  const tracks = kept.map(({ track }) => track)
  const isToEnd = start + kept.length === entries.value.length
  const more = isToEnd ? rest.value?.get.kept?.() : undefined
  const keys = kept.map(({ key }) => key)
  const value: Kept = { tracks, keys, index: index.value - start, position, ...(shuffled.value && { order }), more }
  keepHere(nameOf('queue', source.value), value)
}

/** Restores the queue of the current source. Returns the position in seconds. */
export function recallQueue (): number {
  const none: Kept = { tracks: [], index: -1, position: 0 }
  const { tracks, keys: known = [], index: at, position, order, more } = recallHere(nameOf('queue', source.value), none)
  const get = moreOf(more)
  rest.value = get && { get }
  const list = Array.isArray(tracks) ? tracks : []
  entries.value = list.map((track, at) => ({ ...entryOf(tidyTrack(track)), ...known[at] && { key: known[at] } }))
  index.value = entries.value[at] === undefined ? entries.value.length - 1 : at
  const keys = entries.value.map(({ key }) => key)
  shuffled.value = Array.isArray(order)
  // Each entry has one position, even if the stored order is damaged.
  inOrder = [...new Set([...(order ?? []).flatMap(place => keys[place] ?? []), ...keys])]
  return Number(position) || 0
}
