import { isId } from '../state/validate-input.ts'
import type { LibraryDatabase } from '../store/library-database.ts'
import { formerNumber } from './former-ids.ts'
import type { Kind } from './search-words.ts'

/** Those ids of a kind that are former ones, with the one that what they lead to has now. */
export function currentIds (db: LibraryDatabase, kind: Kind, ids: Iterable<string>): Map<string, string> {
  const unknown = db.all<{ id: string }>(`
    SELECT DISTINCT value AS id FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM ${kind} WHERE id = value)`,
  JSON.stringify([...ids].filter(isId)))
  return new Map(unknown.flatMap(({ id }) => {
    const number = formerNumber(db, kind, id)
    const item = number === undefined
      ? undefined
      : db.get<{ id: string }>(`SELECT id FROM ${kind} WHERE number = ?`, number)
    return item === undefined ? [] : [[id, item.id]]
  }))
}

/** Ids that outlive changes of the library, of every kind, with those that they lead to. */
export function withCurrent (db: LibraryDatabase, ids: ReadonlySet<string>): ReadonlySet<string> {
  const kinds = ['track', 'album', 'artist'] as const
  return new Set([...ids, ...kinds.flatMap(kind => [...currentIds(db, kind, ids).values()])])
}
