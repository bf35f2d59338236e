import type { LibraryDatabase } from '../store/library-database.ts'
import { takeTurns, type Pause } from '../take-turns.ts'

/** Ids of the tracks of an album, in its order. */
export interface AlbumTracks {
  readonly albumId: string
  readonly trackIds: readonly string[]
}

export interface TrackFacets { readonly genres: string[], readonly year?: number }

const none: TrackFacets = { genres: [] }

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
  const ids = await idsByRow(db, pause)
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
      const trackIds = (JSON.parse(rows) as number[]).filter(row => ids.has(row)).map(row => ids.get(row)!)
      listed.push({ albumId: id, trackIds })
    }
    last = albums.at(-1)!
    await pause()
  }
}

/** Genres of all tracks, and years of those that have another one than their album, by their ids. */
export async function listFacets (db: LibraryDatabase): Promise<ReadonlyMap<string, TrackFacets>> {
  const pause = takeTurns()
  const facets = await genresByRow(db, pause)
  for (let last = -1; ;) {
    const albums = db.all<{ number: number, dates: string }>(`
      SELECT number, (
        SELECT json_group_object(rowid, published) FROM track
        WHERE album = album.number AND published IS NOT NULL AND published IS NOT album.published
      ) AS dates FROM album WHERE number > ? ORDER BY number LIMIT ${mostAlbums}`, last)
    if (albums.length === 0) break
    for (const [row, published] of albums.flatMap(({ dates }) => Object.entries<number>(JSON.parse(dates)))) {
      facets.set(Number(row), { ...facets.get(Number(row)) ?? none, year: new Date(published).getUTCFullYear() })
    }
    last = albums.at(-1)!.number
    await pause()
  }
  return new Map(Array.from(await idsByRow(db, pause), ([row, id]) => [id, facets.get(row) ?? none]))
}

async function idsByRow (db: LibraryDatabase, pause: Pause): Promise<ReadonlyMap<number, string>> {
  const byRow = new Map<number, string>()
  const readAfter = (id: string) => db.get<{ rows: string, ids: string, last: string | null }>(`
    SELECT json_group_array(at) AS rows, json_group_array(id) AS ids, max(id) AS last
    FROM (SELECT rowid AS at, id FROM track WHERE id > ? ORDER BY id LIMIT ${mostIds})`, id)!
  for (let some = readAfter(''); some.last !== null; some = readAfter(some.last)) {
    const ids = JSON.parse(some.ids) as string[]
    for (const [index, row] of (JSON.parse(some.rows) as number[]).entries()) byRow.set(row, ids[index]!)
    await pause()
  }
  return byRow
}

/** The genres of the tracks that have any, by their rows; tracks of the same genres share one object. */
async function genresByRow (db: LibraryDatabase, pause: Pause): Promise<Map<number, TrackFacets>> {
  const byRow = new Map<number, TrackFacets>()
  const shared = new Map<string, TrackFacets>()
  const readAfter = (genre: string, path: string) => db.get<{ names: string, rows: string, last: string | null }>(`
    SELECT json_group_array(name) AS names, json_group_array(at) AS rows, max(path) AS last FROM (
      SELECT name, genre_track.path AS path, track.rowid AS at
      FROM genre_track CROSS JOIN track ON track.number = genre_track.track
      WHERE genre = ? AND genre_track.path > ? ORDER BY genre_track.path LIMIT ${mostIds}
    )`, genre, path)!
  const all = db.all<{ genre: string }>('SELECT genre FROM playlist WHERE genre IS NOT NULL ORDER BY genre')
  for (const { genre } of all) {
    for (let some = readAfter(genre, ''); some.last !== null; some = readAfter(genre, some.last)) {
      const rows = JSON.parse(some.rows) as number[]
      for (const [index, name] of (JSON.parse(some.names) as string[]).entries()) {
        const genres = [...byRow.get(rows[index]!)?.genres ?? [], name]
        const key = genres.join('\0')
        const facets = shared.get(key) ?? { genres }
        shared.set(key, facets)
        byRow.set(rows[index]!, facets)
      }
      await pause()
    }
  }
  return byRow
}
