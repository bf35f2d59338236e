import { IdList } from '../async/id-list.ts'
import type { LibraryCall, LibraryQuery } from '../contract/source-library.ts'
import { onDemand, type OrderedLibrary } from '../contract/ordered-library.ts'
import { compareValues, sortValueOf } from '../library/internal.ts'
import { partsOf } from './named-library.ts'

/** A library, its query, and the function that translates its ids to the combination's ids. */
export interface RenamedLibrary {
  readonly library: OrderedLibrary
  readonly query: LibraryQuery
  readonly rename: (id: string) => string
}

/** The number of items of the first request, and the maximum per request. */
const items = { first: 25, most: 200 }

/**
 * Reads all ids of one source at the start, since the combination's list may be read minutes later. Ids of nested
 * combinations are read on demand.
 */
const idsOf = ({ library, query }: RenamedLibrary, call: LibraryCall) =>
  new IdList(partsOf(library, query, call), library[onDemand])

type Value = ReturnType<typeof sortValueOf>
/** An item with the combination's id, and its sort value. */
type Entry = { readonly item: { readonly id: string }, readonly value: Value }

/** Merges duplicates among items. */
type MergeSame = (items: readonly { readonly id: string }[]) => readonly { readonly id: string }[]

/** The ids of one source with their sort values. */
class SortedIds {
  readonly #source: RenamedLibrary
  readonly #call: LibraryCall
  readonly #list: IdList
  /** The number of read ids, and the number of ids to read next. */
  #read = 0
  #count = items.first
  #entries: Entry[] = []
  #at = 0

  constructor (source: RenamedLibrary, call: LibraryCall) {
    this.#source = source
    this.#call = call
    this.#list = idsOf(source, call)
  }

  /** The first entry that was not taken; `undefined` at the end. */
  get first (): Entry | undefined { return this.#entries[this.#at] }

  /** Removes the first entry. */
  take (): void { this.#at++ }

  /** Ends the list early, if another source fails. */
  end (): void { this.#list.end() }

  get isEmpty (): boolean { return this.#at >= this.#entries.length }

  /** Reads the next entries if none is left. */
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
      // Deleted items have no sort value.
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

/** Yields the ids of several sources in one order, in parts. Of each source only the next items are read. */
export async function * mergeIds (
  sources: readonly RenamedLibrary[], query: LibraryQuery, call: LibraryCall, merge: MergeSame = items => items
): AsyncGenerator<readonly string[], void, undefined> {
  /** Entries with an equal sort value, of which more may follow. */
  let equal: Entry[] = []
  const idsOfEqual = () => merge(equal.map(({ item }) => item)).map(({ id }) => id)
  const lists = sources.map(source => new SortedIds(source, call))
  try {
    for (;;) {
      await Promise.all(lists.map(list => list.fill()))
      const part: string[] = []
      const going = lists.filter(({ isEmpty }) => !isEmpty)
      // Continues while each source has a next item, since any of them may sort first.
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
