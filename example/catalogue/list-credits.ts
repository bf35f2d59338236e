import type { LibraryDatabase } from '../store/library-database.ts'
import { takeTurns } from '../take-turns.ts'

/** Albums or artists that are read at a time. */
const atATime = 200

interface Row { readonly number: number, readonly id: string, readonly tracks: string }

/**
 * Ids of the artists that play on each album, by its number. Only indexes are read, and each row has many numbers: the
 * rows of tracks take several times as long.
 */
export async function listCredits (db: LibraryDatabase): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const pause = takeTurns()
  const eachOf = async (kind: string, ofTracks: string, note: (row: Row, tracks: readonly number[]) => void) => {
    let rows: Row[]
    let last = -1
    do {
      rows = db.all<Row>(`
        SELECT number, id, (SELECT json_group_array(${ofTracks} AS tracks
        FROM ${kind} WHERE number > ? ORDER BY number LIMIT ${atATime}`, last)
      for (const row of rows) {
        note(row, JSON.parse(row.tracks))
        last = row.number
      }
      await pause()
    } while (rows.length === atATime)
  }
  const credits = new Map<number, Set<string>>()
  const byTrack = new Map<number, Set<string>>()
  await eachOf('album', 'number) FROM track WHERE album = album.number)', ({ number }, tracks) => {
    const artists = new Set<string>()
    credits.set(number, artists)
    for (const track of tracks) byTrack.set(track, artists)
  })
  await eachOf('artist', 'track) FROM credit WHERE artist = artist.number AND played = 1)', ({ id }, tracks) => {
    // Some may have come meanwhile.
    for (const track of tracks) byTrack.get(track)?.add(id)
  })
  return credits
}
