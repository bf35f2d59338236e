import type { LibraryDatabase } from '../store/library-database.ts'
import { takeTurns } from '../take-turns.ts'

/** Ids of the tracks of an album, in its order. */
export interface AlbumTracks { readonly albumId: string, readonly trackIds: readonly string[] }

/** Ids that are read at a time. */
const mostIds = 5000
/** Albums that are read at a time. */
const mostAlbums = 200

/**
 * Ids of all tracks, album by album in the order of their names. Only indexes are read, and each row has many ids: the
 * rows of tracks, one by one, take ten times as long.
 */
export async function listTrackIds (db: LibraryDatabase): Promise<AlbumTracks[]> {
  const pause = takeTurns()
  const byRow = new Map<number, string>()
  for (let last = ''; ;) {
    const { rows, ids } = db.get<{ rows: string, ids: string }>(`
      SELECT json_group_array(at) AS rows, json_group_array(id) AS ids
      FROM (SELECT rowid AS at, id FROM track WHERE id > ? ORDER BY id LIMIT ${mostIds})`, last)!
    const some = JSON.parse(ids) as string[]
    if (some.length === 0) break
    for (const [index, row] of (JSON.parse(rows) as number[]).entries()) byRow.set(row, some[index]!)
    last = some.at(-1)!
    await pause()
  }
  const listed: AlbumTracks[] = []
  for (let last = { sort: '', number: -1 }; ;) {
    const albums = db.all<{ sort: string, number: number, id: string, rows: string }>(`
      SELECT sort, number, id, (
        SELECT json_group_array(at) FROM (
          SELECT rowid AS at FROM track WHERE album = album.number ORDER BY disc, place, sort, number
        )
      ) AS rows
      FROM album WHERE (sort, number) > (?, ?) ORDER BY sort, number LIMIT ${mostAlbums}`, last.sort, last.number)
    if (albums.length === 0) return listed
    for (const { id, rows } of albums) {
      // What came or went meanwhile is left out.
      const trackIds = (JSON.parse(rows) as number[]).map(row => byRow.get(row)).filter(id => id !== undefined)
      listed.push({ albumId: id, trackIds })
    }
    last = albums.at(-1)!
    await pause()
  }
}
