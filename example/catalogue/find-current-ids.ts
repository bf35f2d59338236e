import { createYield } from 'fastify-source-origin'
import { LRUCache } from 'lru-cache'
import { lruOptions } from '../text/lru-options.ts'
import { isId } from './validate-input.ts'
import type { IndexReader } from '../database/index-database.ts'
import { formerNumber, leadingIds } from './former-ids.ts'
import type { SearchKind } from './search-words.ts'

/** The maximum number of cached ids. */
const mostKept = 100_000
/** The number of ids per look-up. */
const idsAtATime = 500

/** Resolves ids that survive changes of the library. */
export class CurrentIds {
  readonly #db: IndexReader
  /** By kind and id, until the library changes; `''` if the item was deleted. */
  readonly #known = new LRUCache<string, string>(lruOptions(mostKept))

  constructor (db: IndexReader) {
    this.#db = db
  }

  /** Returns the current ids of former ids; ids of deleted items are left out. */
  async find (kind: SearchKind, ids: Iterable<string>): Promise<Map<string, string>> {
    const pause = createYield()
    const all = [...ids]
    const found = new Map<string, string>()
    for (let from = 0; from < all.length; from += idsAtATime) {
      for (const [id, current] of this.some(kind, all.slice(from, from + idsAtATime))) found.set(id, current)
      await pause()
    }
    return found
  }

  /** Resolves a single batch of ids. */
  some (kind: SearchKind, ids: readonly string[]): Map<string, string> {
    const found = new Map(ids.map(id => [id, this.#known.get(`${kind} ${id}`)]))
    const unknown = ids.filter(id => found.get(id) === undefined)
    if (unknown.length > 0) {
      const looked = leadsOf(this.#db, kind, unknown)
      for (const id of unknown) {
        const current = looked.get(id) ?? ''
        found.set(id, current)
        this.#known.set(`${kind} ${id}`, current)
      }
    }
    return new Map([...found].filter((entry): entry is [string, string] => Boolean(entry[1])))
  }

  /** Clears the cache. */
  clear (): void {
    this.#known.clear()
  }
}

/** Runs two statements, and more for each former id that still resolves. */
function leadsOf (db: IndexReader, kind: SearchKind, ids: readonly string[]): Map<string, string> {
  // The driver would truncate a string at NUL.
  const given = JSON.stringify(ids.filter(isId))
  const there = db.all<{ id: string }>(
    `SELECT value AS id FROM json_each(?) WHERE EXISTS (SELECT 1 FROM ${kind} WHERE id = value)`, given)
  const found = new Map(there.map(({ id }) => [id, id]))
  const others = ids.filter(id => isId(id) && !found.has(id))
  if (others.length === 0) return found
  for (const id of leadingIds(db, kind, others)) {
    const number = formerNumber(db, kind, id)
    if (number === undefined) continue
    found.set(id, db.get<{ id: string }>(`SELECT id FROM ${kind} WHERE number = ?`, number)!.id)
  }
  return found
}
