import type { LibraryQuery, RandomIds } from 'fastify-source-origin'
import { randomInt } from 'node:crypto'
import type { IndexReader } from '../database/index-database.ts'
import { hasGenre, listOf, partOf, tracksOf } from './library-lists.ts'

/** The number of rows tried for each requested id at first, and the maximum number of rows tried. */
const tries = { each: 4, most: 5000 }

/**
 * Chooses random ids. A query with few matching tracks, and albums and artists, cost more than the number of chosen
 * ids.
 */
export function randomIds (db: IndexReader, query: LibraryQuery, count: number): RandomIds {
  const chosen = query.kind === 'tracks'
    ? tryTracks(db, query, count, tries.each * count) ?? tryTracks(db, query, count, tries.most)
    : undefined
  return chosen ?? chooseAmongAll(db, query, count)
}

/** Tries random rows. Returns `undefined` if too few fit: deleted tracks leave holes. */
function tryTracks (db: IndexReader, query: LibraryQuery, count: number, most: number): RandomIds | undefined {
  const last = db.get<{ last: number | null }>('SELECT max(rowid) AS last FROM track')!.last ?? 0
  const rows = new Set(Array.from({ length: Math.min(last, most) }, () => randomInt(last) + 1))
  const { condition, values } = tracksOf(query, hasGenre)
  const found = db.all<{ id: string, place: number }>(`
    SELECT track.id, tried.key AS place FROM json_each(?) AS tried CROSS JOIN track ON track.rowid = tried.value
    WHERE ${condition} LIMIT ?`, JSON.stringify([...rows]), ...values, count)
  const end = found[count - 1]
  return end && { ids: found.map(({ id }) => id), total: Math.round(last * count / (end.place + 1)) }
}

function chooseAmongAll (db: IndexReader, query: LibraryQuery, count: number): RandomIds {
  const { condition, values: given } = tracksOf(query, 'number IN (SELECT track FROM genre_track WHERE genre = ?)')
  const { from, values } = query.kind === 'tracks'
    ? { from: `FROM track WHERE ${condition}`, values: given }
    : partOf(query)
  const ids = listOf<string>(db, `SELECT json_group_array(id) AS list ${from}`, ...values)
  const { length: total } = ids
  for (let at = 0; at < Math.min(count, total); at++) {
    const place = randomInt(at, total);
    [ids[at], ids[place]] = [ids[place]!, ids[at]!]
  }
  return { ids: ids.slice(0, count), total }
}
