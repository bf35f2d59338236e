import { discard } from '../async/unawaited.ts'
import type { LibraryCall, LibraryQuery, SourceLibrary } from '../contract/source-library.ts'
import { partsOf } from './named-library.ts'
import { compareValues, sortValueOf } from './sort-values.ts'

/** A library of a combination, and what gives its ids those of the combination. */
export interface RenamedLibrary {
  readonly library: Pick<SourceLibrary, 'ids' | 'items'>
  readonly rename: (id: string) => string
}

/** Items that a source is asked for at a time. */
const itemsAtATime = 200

type Value = ReturnType<typeof sortValueOf>
/** `item` has the id of the combination. */
type Entry = { readonly item: { readonly id: string }, readonly value: Value }

/** Makes one of the items that are the same. */
type MergeSame = (items: readonly { readonly id: string }[]) => readonly { readonly id: string }[]

/** Ids of one source, with what they are sorted by. */
class SortedIds {
  readonly #source: RenamedLibrary
  readonly #query: LibraryQuery
  readonly #call: LibraryCall
  readonly #parts: AsyncGenerator<readonly string[], void, undefined>
  #ids: readonly string[] = []
  #entries: Entry[] = []
  #at = 0

  constructor (source: RenamedLibrary, query: LibraryQuery, call: LibraryCall) {
    this.#source = source
    this.#query = query
    this.#call = call
    this.#parts = partsOf(source.library, query, call)
  }

  /** The first one that is not taken; `undefined` at the end. */
  get first (): Entry | undefined { return this.#entries[this.#at] }

  /** Takes the first one. */
  take (): void { this.#at++ }

  /** Where the others fail, it does not come to its end. It is not waited for: it may be stuck. */
  end (): void { discard(this.#parts.return()) }

  get isEmpty (): boolean { return this.#at >= this.#entries.length }

  /** Reads the next ones, unless there are some, or none any more. */
  async fill (): Promise<void> {
    while (this.isEmpty) {
      if (this.#ids.length === 0) {
        const { done, value } = await this.#parts.next()
        if (done) return
        this.#ids = value
      }
      const { kind } = this.#query
      const ids = this.#ids.slice(0, itemsAtATime)
      this.#ids = this.#ids.slice(itemsAtATime)
      const items = await this.#source.library.items(kind, ids, this.#call)
      this.#at = 0
      // What is gone meanwhile has no place to stand at.
      this.#entries = ids.flatMap((id, at) => {
        const item = items[at]
        return item ? [{ item: { ...item, id: this.#source.rename(id) }, value: sortValueOf(this.#query, item) }] : []
      })
    }
  }
}

/** The ids of several sources, one behind the other, in parts: for lists in any order that stays the same. */
export async function * joinIds (
  sources: readonly RenamedLibrary[], query: LibraryQuery, call: LibraryCall
): AsyncGenerator<readonly string[], void, undefined> {
  for (const { library, rename } of sources) {
    for await (const ids of partsOf(library, query, call)) yield ids.map(rename)
  }
}

/** The ids of several sources in one order, in parts: of each source only what comes next is read. */
export async function * mergeIds (
  sources: readonly RenamedLibrary[], query: LibraryQuery, call: LibraryCall, merge: MergeSame = items => items
): AsyncGenerator<readonly string[], void, undefined> {
  /** Those that stand at the same place of the order, of which more may come. */
  let equal: Entry[] = []
  const idsOfEqual = () => merge(equal.map(({ item }) => item)).map(({ id }) => id)
  const lists = sources.map(source => new SortedIds(source, query, call))
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
