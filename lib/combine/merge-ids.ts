import { IdList } from '../async/id-list.ts'
import type { LibraryCall, LibraryQuery } from '../contract/source-library.ts'
import { onDemand, type OrderedLibrary } from '../contract/ordered-library.ts'
import { compareValues, sortValueOf } from '../library/internal.ts'
import { partsOf } from './named-library.ts'

/** A library of a combination, what it is asked for, and what gives its ids those of the combination. */
export interface RenamedLibrary {
  readonly library: OrderedLibrary
  readonly query: LibraryQuery
  readonly rename: (id: string) => string
}

/** Items that a source is asked for at first, and at a time. */
const items = { first: 25, most: 200 }

/**
 * The ids of one source, all of them as they are now: the list of the combination may be read minutes later. Those of a
 * combination are read as far as they are asked for.
 */
const idsOf = ({ library, query }: RenamedLibrary, call: LibraryCall) =>
  new IdList(partsOf(library, query, call), library[onDemand])

type Value = ReturnType<typeof sortValueOf>
/** `item` has the id of the combination. */
type Entry = { readonly item: { readonly id: string }, readonly value: Value }

/** Makes one of the items that are the same. */
type MergeSame = (items: readonly { readonly id: string }[]) => readonly { readonly id: string }[]

/** Ids of one source, with what they are sorted by. */
class SortedIds {
  readonly #source: RenamedLibrary
  readonly #call: LibraryCall
  readonly #list: IdList
  /** How many have been read, and how many are read next. */
  #read = 0
  #count = items.first
  #entries: Entry[] = []
  #at = 0

  constructor (source: RenamedLibrary, call: LibraryCall) {
    this.#source = source
    this.#call = call
    this.#list = idsOf(source, call)
  }

  /** The first one that is not taken; `undefined` at the end. */
  get first (): Entry | undefined { return this.#entries[this.#at] }

  /** Takes the first one. */
  take (): void { this.#at++ }

  /** Where the others fail, it does not come to its end. */
  end (): void { this.#list.end() }

  get isEmpty (): boolean { return this.#at >= this.#entries.length }

  /** Reads the next ones, unless there are some, or none any more. */
  async fill (): Promise<void> {
    const { library, query, rename } = this.#source
    while (this.isEmpty) {
      await this.#list.first(this.#read + 1)
      const ids = this.#list.ids.slice(this.#read, this.#read + this.#count)
      if (ids.length === 0) return
      this.#read += ids.length
      this.#count = Math.min(items.most, 2 * this.#count)
      const found = await library.items(query.kind, ids, this.#call)
      this.#at = 0
      // What is gone meanwhile has no place to stand at.
      this.#entries = ids.flatMap((id, at) => {
        const item = found[at]
        return item ? [{ item: { ...item, id: rename(id) }, value: sortValueOf(query, item) }] : []
      })
    }
  }
}

/** Returns the ids of several sources in parts, one source after the other. */
export async function * joinIds (
  sources: readonly RenamedLibrary[], call: LibraryCall
): AsyncGenerator<readonly string[], void, undefined> {
  for (const source of sources) {
    const list = idsOf(source, call)
    for (let read = 0; ;) {
      await list.first(read + 1)
      const ids = list.ids.slice(read)
      if (ids.length === 0) break
      read += ids.length
      yield ids.map(source.rename)
    }
  }
}

/** The ids of several sources in one order, in parts: of each source only what comes next is read. */
export async function * mergeIds (
  sources: readonly RenamedLibrary[], query: LibraryQuery, call: LibraryCall, merge: MergeSame = items => items
): AsyncGenerator<readonly string[], void, undefined> {
  /** Those that stand at the same place of the order, of which more may come. */
  let equal: Entry[] = []
  const idsOfEqual = () => merge(equal.map(({ item }) => item)).map(({ id }) => id)
  const lists = sources.map(source => new SortedIds(source, call))
  try {
    for (;;) {
      await Promise.all(lists.map(list => list.fill()))
      const part: string[] = []
      const going = lists.filter(({ isEmpty }) => !isEmpty)
      // As far as each source has something: what it has next may come before all others.
      while (going.length > 0 && going.every(({ isEmpty }) => !isEmpty)) {
        const next = going.reduce((best, list) =>
          compareValues(query, list.first!.value, best.first!.value) < 0 ? list : best)
        const entry = next.first!
        if (equal.length > 0 && compareValues(query, equal[0]!.value, entry.value) !== 0) {
          part.push(...idsOfEqual())
          equal = []
        }
        equal.push(entry)
        next.take()
      }
      if (going.length === 0) {
        if (equal.length > 0) yield idsOfEqual()
        return
      }
      if (part.length > 0) yield part
    }
  } finally {
    for (const list of lists) list.end()
  }
}
