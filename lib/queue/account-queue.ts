// The queue of an account and the operations on it. Pure: the server and the browser compute the same.

/** The id of an entry, made by the device that added it, and the id of its track. */
export type QueueEntry = readonly [id: string, track: string]

/** An entry to insert, or the id of an existing entry to move. */
export type PutEntry = readonly [id: string, track?: string]

/** Tracks that follow the entries of a queue, described for the page. */
export type QueueRest = Readonly<Record<string, unknown>>

/** The content of a queue. */
export interface QueueContent {
  /** In playing order. */
  readonly entries: readonly QueueEntry[]
  /** The id of the current entry. Default: none */
  readonly current?: string | undefined
  /** The ids of the entries in unshuffled order. Default: the queue is not shuffled */
  readonly order?: readonly string[] | undefined
  readonly rest?: QueueRest | undefined
}

/** A change of a list that stays the same list. */
export interface QueueEdit {
  /** The ids of the entries to remove. */
  readonly remove?: readonly string[] | undefined
  /** Entries to insert or move, each group behind an entry. Default of `behind`: at the start */
  readonly put?: readonly { readonly behind?: string | undefined, readonly entries: readonly PutEntry[] }[] | undefined
  /** An empty list ends the shuffled order, an empty object the rest. */
  readonly order?: readonly string[] | undefined
  readonly rest?: QueueRest | undefined
}

/** An operation of a device. */
export interface QueueOperation {
  /** A random id, so that a repeated operation has no effect. */
  readonly id: string
  /** The list that `edit` changes. */
  readonly list?: string | undefined
  readonly edit?: QueueEdit | undefined
  /** Replaces the queue by another list. */
  readonly fill?: QueueContent | undefined
}

export interface AccountQueue extends QueueContent {
  /** The number of accepted operations. 0 = the account has no queue. */
  readonly revision: number
  /** The id of the operation that filled the queue. */
  readonly list?: string | undefined
  /** The ids of the last operations. */
  readonly done: readonly string[]
}

/** The maximum number of entries. */
export const mostEntries = 5000

/** The maximum number of operations that are recognised when a device repeats them. */
const mostDone = 100

export const noQueue: AccountQueue = { revision: 0, entries: [], done: [] }

/**
 * Returns the queue after an operation; `undefined` if the operation edits another list.
 *
 * @param current the id of the entry that is current by now. Default: the stored one
 */
export function applyOperation (
  queue: AccountQueue, { id, list, edit, fill }: QueueOperation, current = queue.current
): AccountQueue | undefined {
  if (queue.done.includes(id)) return queue
  const next = { revision: queue.revision + 1, done: [...queue.done, id].slice(-mostDone) }
  if (fill !== undefined) return { ...tidy(fill), ...next, list: id }
  if (list !== queue.list) return undefined
  return { ...applyEdit({ ...queue, current }, edit ?? {}), ...next, list }
}

function applyEdit (queue: QueueContent, { remove = [], put = [], order, rest }: QueueEdit): QueueContent {
  const removed = new Set(remove)
  let entries = queue.entries.filter(([id]) => !removed.has(id))
  for (const { behind, entries: wanted } of put) entries = putBehind(entries, behind, wanted)
  const isIn = new Set(entries.map(([id]) => id))
  return tidy({
    entries,
    current: isIn.has(queue.current ?? '') ? queue.current : followerOf(queue, isIn),
    order: order ?? queue.order,
    rest: rest ?? queue.rest
  })
}

/** An entry that another device has removed is not moved. Without the entry in front, entries are at the end. */
function putBehind (
  entries: readonly QueueEntry[], behind: string | undefined, wanted: readonly PutEntry[]
): QueueEntry[] {
  const known = new Map(entries.map(entry => [entry[0], entry]))
  const put = wanted.flatMap(([id, track]): QueueEntry[] => {
    const entry = known.get(id)
    if (entry !== undefined) return [entry]
    return track === undefined ? [] : [[id, track]]
  })
  const isPut = new Set(put.map(([id]) => id))
  const others = entries.filter(([id]) => !isPut.has(id))
  const at = behind === undefined ? 0 : others.findIndex(([id]) => id === behind) + 1 || others.length
  return others.toSpliced(at, 0, ...put)
}

/** Returns the first entry after the current one that is left, else the last one that is. */
function followerOf ({ entries, current }: QueueContent, isLeft: ReadonlySet<string>): string | undefined {
  const at = entries.findIndex(([id]) => id === current)
  const left = (entry: QueueEntry) => isLeft.has(entry[0])
  return (entries.slice(at + 1).find(left) ?? entries.findLast(left))?.[0]
}

/** Each id occurs once, the order has the ids of the entries, and one of them is current. */
function tidy ({ entries: given, current, order, rest }: QueueContent): QueueContent {
  const entries = [...new Map(given.map(entry => [entry[0], entry])).values()].slice(0, mostEntries)
  const ids = entries.map(([id]) => id)
  const isIn = new Set(ids)
  return {
    entries,
    current: isIn.has(current ?? '') ? current : ids[0],
    ...order && order.length > 0 && { order: [...new Set([...order.filter(id => isIn.has(id)), ...ids])] },
    ...rest && Object.keys(rest).length > 0 && { rest }
  }
}

/** Returns the edit that makes one content of another. Both have the same list. */
export function editBetween (before: QueueContent, after: QueueContent): QueueEdit {
  const isAfter = new Set(after.entries.map(([id]) => id))
  const remove = before.entries.flatMap(([id]) => isAfter.has(id) ? [] : [id])
  const places = new Map(before.entries.filter(([id]) => isAfter.has(id)).map(([id], place) => [id, place]))
  const stays = longestRise(after.entries.flatMap(([id]) => places.get(id) ?? []))
  const put: { behind: string | undefined, entries: PutEntry[] }[] = []
  let last: string | undefined
  let group: { behind: string | undefined, entries: PutEntry[] } | undefined
  for (const entry of after.entries) {
    const [id] = entry
    const place = places.get(id)
    if (place !== undefined && stays.has(place)) group = undefined
    else {
      if (group === undefined) put.push(group = { behind: last, entries: [] })
      group.entries.push(place === undefined ? entry : [id])
    }
    last = id
  }
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  return {
    ...remove.length > 0 && { remove },
    ...put.length > 0 && { put },
    ...!isSame(before.order, after.order) && { order: after.order ?? [] },
    ...!isSame(before.rest, after.rest) && { rest: after.rest ?? {} }
  }
}

export const isEmptyEdit = (edit: QueueEdit): boolean => Object.keys(edit).length === 0

/** Returns the numbers of one of the longest rising subsequences. Entries outside of it have moved. */
function longestRise (numbers: readonly number[]): ReadonlySet<number> {
  /** The index of the smallest last number of a subsequence, by its length minus one. */
  const ends: number[] = []
  const before: number[] = []
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (numbers[ends[middle]!]! < number) low = middle + 1
      else high = middle
    }
    before[index] = ends[low - 1] ?? -1
    ends[low] = index
  }
  const rise = new Set<number>()
  for (let index = ends.at(-1) ?? -1; index !== -1; index = before[index]!) rise.add(numbers[index]!)
  return rise
}
