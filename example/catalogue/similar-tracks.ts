import type { IndexReader } from '../database/index-database.ts'
import type { CatalogueTrack } from './catalogue-items.ts'
import { genreKey } from './track-rows.ts'

/** The number of years that count as one era. */
const era = 5
/** The maximum number of tracks of an artist or a genre that are compared. */
const mostSimilar = 1000

/** Returns the numbers of similar tracks: by the same artists, of the same genres, of its era first. */
export function findSimilar (
  db: IndexReader, { number, artists, genres, year }: CatalogueTrack, limit: number
): number[] {
  const likeness: Record<number, number> = {}
  const add = (sql: string, of: string | number, more: number) => {
    for (const { track } of db.all<{ track: number }>(sql, of, mostSimilar)) {
      likeness[track] = (likeness[track] ?? 0) + more
    }
  }
  for (const artist of artists) {
    add('SELECT track FROM credit WHERE artist = ? AND played = 1 ORDER BY path LIMIT ?', artist.number, 3)
  }
  for (const genre of genres) {
    add('SELECT track FROM genre_track WHERE genre = ? ORDER BY path LIMIT ?', genreKey(genre), 2)
  }
  delete likeness[number]
  return db.all<{ number: number }>(`
    SELECT track.number FROM json_each(?) AS likeness JOIN track ON track.number = CAST(likeness.key AS INTEGER)
    ORDER BY likeness.value + coalesce(abs(track.data ->> '$.year' - ?) <= ${era}, 0) DESC, track.id LIMIT ?`,
  JSON.stringify(likeness), year ?? null, limit).map(({ number }) => number)
}
