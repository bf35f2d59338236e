import type { IndexReader } from '../database/index-database.ts'
import type { Value } from '../database/open-sqlite.ts'

/** A part of a list. */
export interface Slice { readonly offset?: number, readonly limit: number }

/** The sort columns before the order of files. */
const orders = {
  none: '',
  new: 'track.published DESC, track.added DESC, ',
  title: 'track.sort, '
}

export type ArtistOrder = keyof typeof orders

const numbers = (db: IndexReader, sql: string, ...values: Value[]): number[] =>
  db.all<{ number: number }>(sql, ...values).map(({ number }) => number)

/** Returns the numbers of the tracks that an artist plays on. */
export const artistTracks = (
  db: IndexReader, artist: number, { offset = 0, limit }: Slice, order: ArtistOrder = 'none'
): number[] => numbers(db, `
  SELECT track.number FROM credit JOIN track ON track.number = credit.track
  WHERE credit.artist = ? AND credit.played = 1 ORDER BY ${orders[order]}credit.path LIMIT ? OFFSET ?`,
artist, limit, offset)

/** Returns the same tracks, with the number of playlist files that contain each. */
export const artistHeat = (db: IndexReader, artist: number) =>
  db.all<{ number: number, id: string, lists: number }>(`
    SELECT track.number, track.id,
      (SELECT count(DISTINCT playlist) FROM entry WHERE entry.track = credit.track) AS lists
    FROM credit JOIN track ON track.number = credit.track
    WHERE credit.artist = ? AND credit.played = 1 ORDER BY credit.path`, artist)

/** Returns the numbers of an artist's albums, newest first, then of albums by others with the artist's tracks. */
export const artistAlbums = (db: IndexReader, artist: number, { offset = 0, limit }: Slice): number[] =>
  numbers(db, `
    SELECT number FROM (
      SELECT number, 0 AS other, row_number() OVER (ORDER BY published DESC, sort, number) AS place
      FROM made_by JOIN album ON number = album WHERE made_by.artist = ?1
      UNION ALL
      SELECT album.number, 1, row_number() OVER (ORDER BY min(credit.path))
      FROM credit JOIN track ON track.number = credit.track JOIN album ON album.number = track.album
      WHERE credit.artist = ?1 AND credit.played = 1
        AND NOT EXISTS (SELECT 1 FROM made_by WHERE made_by.artist = ?1 AND made_by.album = album.number)
      GROUP BY album.number
    ) ORDER BY other, place LIMIT ?2 OFFSET ?3`, artist, limit, offset)
