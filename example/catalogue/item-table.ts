import { LRUCache } from 'lru-cache'
import { atMost } from '../at-most.ts'
import { isId } from '../state/validate-input.ts'
import type { LibraryDatabase } from '../store/library-database.ts'
import type { Value } from '../store/open-sqlite.ts'
import { formerNumber } from './former-ids.ts'
import type { Kind } from './search-words.ts'

/** Items of a kind that are kept as they were read, until something changes. */
const mostKept = 5000
/** Items that are read at a time where all of them are. */
const atATime = 200

interface Item { readonly id: string, readonly number: number }

/** The tracks, albums or artists of the library, read from their rows like a map by their ids. */
export class ItemTable<T extends Item, Row = Record<string, Value>> {
  readonly #db: LibraryDatabase
  readonly #kind: Kind
  readonly #from: string
  readonly #read: (row: Row) => T
  readonly #byId = new LRUCache<string, T>(atMost(mostKept))
  readonly #byNumber = new LRUCache<number, T>(atMost(mostKept))

  /** @param columns that are read: each one takes time */
  constructor (db: LibraryDatabase, kind: Kind, columns: string, read: (row: Row) => T) {
    this.#db = db
    this.#from = `SELECT ${columns} FROM ${kind}`
    this.#kind = kind
    this.#read = read
  }

  /** The one that has an id, or that a former id leads to. */
  get (id: string): T | undefined {
    // The driver would cut a text at NUL.
    if (!isId(id)) return undefined
    const item = this.#byId.get(id) ?? this.#keep(this.#db.get<Row>(`${this.#from} WHERE id = ?`, id))
    if (item !== undefined) return item
    const number = formerNumber(this.#db, this.#kind, id)
    return number === undefined ? undefined : this.at(number)
  }

  /** Those of a page of ids that are there, in their order: one query for all of them, and none is kept. */
  some (ids: readonly string[]): T[] {
    const rows = this.#db.all<Row>(
      `${this.#from} WHERE id IN (SELECT value FROM json_each(?))`, JSON.stringify(ids.filter(isId)))
    const found = new Map(rows.map(this.#read).map(item => [item.id, item]))
    return ids.flatMap(id => found.get(id) ?? this.get(id) ?? [])
  }

  at (number: number): T | undefined {
    return this.#byNumber.get(number) ??
      this.#keep(this.#db.get<Row>(`${this.#from} WHERE number = ?`, number))
  }

  /** Those that are there. */
  list (numbers: Iterable<number>): T[] {
    return [...this.each(numbers)]
  }

  /** The same, each of them read when it is taken. */
  * each (numbers: Iterable<number>): Generator<T, void, undefined> {
    for (const number of numbers) {
      const item = this.at(number)
      if (item !== undefined) yield item
    }
  }

  get size (): number {
    return this.#db.get<{ size: number }>(`SELECT count(*) AS size FROM ${this.#kind}`)!.size
  }

  /** All of them, in the order of their numbers; one that stays there while it is read is given once. */
  * values (): Generator<T, void, undefined> {
    let number = -1
    for (;;) {
      const rows = this.#db.all<Row>(
        `${this.#from} WHERE number > ? ORDER BY number LIMIT ${atATime}`, number)
      const items = rows.map(row => this.#read(row))
      yield * items
      if (items.length < atATime) return
      number = items.at(-1)!.number
    }
  }

  /** Forgets what was read. */
  clear (): void {
    this.#byId.clear()
    this.#byNumber.clear()
  }

  #keep (row: Row | undefined): T | undefined {
    if (row === undefined) return undefined
    const item = this.#read(row)
    this.#byId.set(item.id, item)
    this.#byNumber.set(item.number, item)
    return item
  }
}
