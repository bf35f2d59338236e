import { createYield } from 'fastify-source-origin'
import { LRUCache } from 'lru-cache'
import { lruOptions } from '../text/lru-options.ts'
import { isId } from './validate-input.ts'
import type { IndexReader } from '../database/index-database.ts'
import type { Value } from '../database/open-sqlite.ts'
import type { CurrentIds } from './find-current-ids.ts'
import { formerNumber } from './former-ids.ts'
import type { SearchKind } from './search-words.ts'

/** The maximum number of cached items of a kind. They are cached until something changes. */
const mostKept = 5000
/** The number of rows per read of all items. */
const rowsAtATime = 200

interface Item { readonly id: string, readonly number: number }

/** The tracks, albums or artists of the library, read from their rows like a map by id. */
export class ItemTable<T extends Item, Row = Record<string, Value>> {
  readonly #db: IndexReader
  readonly #current: CurrentIds
  readonly #kind: SearchKind
  readonly #from: string
  readonly #read: (row: Row) => T
  readonly #byId = new LRUCache<string, T>(lruOptions(mostKept))
  readonly #byNumber = new LRUCache<number, T>(lruOptions(mostKept))
  readonly #known = new LRUCache<string, boolean>(lruOptions(mostKept))

  /** @param columns the columns to read; each one takes time */
  constructor (db: IndexReader, current: CurrentIds, kind: SearchKind, columns: string, read: (row: Row) => T) {
    this.#db = db
    this.#current = current
    this.#from = `SELECT ${columns} FROM ${kind}`
    this.#kind = kind
    this.#read = read
  }

  /** Returns the item with an id, also with a former one. */
  get (id: string): T | undefined {
    // The driver would truncate a string at NUL.
    if (!isId(id)) return undefined
    const item = this.#byId.get(id) ?? this.#keep(this.#db.get<Row>(`${this.#from} WHERE id = ?`, id))
    if (item !== undefined) return item
    const number = formerNumber(this.#db, this.#kind, id)
    return number === undefined ? undefined : this.at(number)
  }

  /** Returns the items of a page of ids in order, with one query for current ids and without caching. */
  some (ids: readonly string[]): (T | undefined)[] {
    const found = this.#among('id', ids, ids)
    if (!found.includes(undefined)) return found
    const others = ids.filter((_id, at) => found[at] === undefined)
    const current = this.#current.some(this.#kind, others)
    const led = this.#among('id', [...new Set(current.values())], ids.map(id => current.get(id)))
    return found.map((item, at) => item ?? led[at])
  }

  /** Returns the items of any number of ids, and yields to the event loop. */
  find (ids: readonly string[]): Promise<(T | undefined)[]> {
    return inPages(ids, some => this.some(some))
  }

  /** Returns whether an item currently has this id. */
  knows (id: string): boolean {
    let isKnown = this.#known.get(id)
    if (isKnown === undefined) {
      isKnown = this.#db.get(`SELECT 1 FROM ${this.#kind} WHERE id = ?`, id) !== undefined
      this.#known.set(id, isKnown)
    }
    return isKnown
  }

  /** Returns the existing items of any number of row numbers. */
  async read (numbers: readonly number[]): Promise<T[]> {
    const read = await inPages(numbers, some => this.#among('number', some, some))
    return read.filter(item => item !== undefined)
  }

  /** @param wanted the keys in the order of the result */
  #among<K extends 'id' | 'number'> (
    key: K, keys: readonly Item[K][], wanted: readonly (Item[K] | undefined)[]
  ): (T | undefined)[] {
    const rows = this.#db.all<Row>(
      `${this.#from} WHERE ${key} IN (SELECT value FROM json_each(?))`, JSON.stringify(keys))
    const found = new Map<Item[K] | undefined, T>(rows.map(this.#read).map(item => [item[key], item]))
    return wanted.map(key => found.get(key))
  }

  at (number: number): T | undefined {
    return this.#byNumber.get(number) ??
      this.#keep(this.#db.get<Row>(`${this.#from} WHERE number = ?`, number))
  }

  /** Returns the existing items of row numbers. */
  list (numbers: Iterable<number>): T[] {
    return [...this.each(numbers)]
  }

  /** Yields the items of row numbers, reading each on demand. */
  * each (numbers: Iterable<number>): Generator<T, void, undefined> {
    for (const number of numbers) {
      const item = this.at(number)
      if (item !== undefined) yield item
    }
  }

  get size (): number {
    return this.#db.get<{ size: number }>(`SELECT count(*) AS size FROM ${this.#kind}`)!.size
  }

  /** Yields all items in the order of their numbers. An item that stays unchanged during the iteration occurs once. */
  * values (): Generator<T, void, undefined> {
    let number = -1
    for (;;) {
      const rows = this.#db.all<Row>(
        `${this.#from} WHERE number > ? ORDER BY number LIMIT ${rowsAtATime}`, number)
      const items = rows.map(row => this.#read(row))
      yield * items
      if (items.length < rowsAtATime) return
      number = items.at(-1)!.number
    }
  }

  /** Clears the cache. */
  clear (): void {
    this.#byId.clear()
    this.#byNumber.clear()
    this.#known.clear()
  }

  #keep (row: Row | undefined): T | undefined {
    if (row === undefined) return undefined
    const item = this.#read(row)
    this.#byId.set(item.id, item)
    this.#byNumber.set(item.number, item)
    return item
  }
}

/** Maps a long list page by page. */
async function inPages<K, R> (keys: readonly K[], map: (page: readonly K[]) => R[]): Promise<R[]> {
  const pause = createYield()
  const mapped: R[] = []
  for (let from = 0; from < keys.length; from += rowsAtATime) {
    mapped.push(...map(keys.slice(from, from + rowsAtATime)))
    await pause()
  }
  return mapped
}
