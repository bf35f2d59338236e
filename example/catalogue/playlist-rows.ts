import type { IndexReader } from '../database/index-database.ts'
import type { CataloguePlaylist } from './catalogue-items.ts'

interface PlaylistRow {
  id: string
  genre: string | null
  name: string
  genres: string
  tracks: number
  cover: string | null
  updated: number
}

/** The columns by which tracks of a playlist can be sorted. */
export const playlistOrders: Readonly<Record<string, { label: string, column: string }>> = {
  title: { label: 'Title', column: 'track.sort' },
  artist: {
    label: 'Artist',
    column: '(SELECT sort FROM artist WHERE number = json_extract(track.data, \'$.artists[0][0]\'))'
  },
  album: { label: 'Album', column: '(SELECT sort FROM album WHERE number = track.album)' },
  added: { label: 'Added', column: 'track.added' }
}

/** A sort order of tracks. */
export interface Sorting { readonly sort?: string | undefined, readonly order?: 'asc' | 'desc' | undefined }

/** Returns the playlist files by name, then one playlist for each genre, largest first. */
export const listPlaylists = (db: IndexReader): ReadonlyMap<string, CataloguePlaylist> =>
  new Map(db.all<PlaylistRow>(`
    SELECT id, genre, name, genres, tracks, cover, updated FROM playlist
    ORDER BY genre IS NOT NULL, CASE WHEN genre IS NULL THEN 0 ELSE -tracks END, sort, id`
  ).map(({ id, genre, name, genres, tracks, cover, updated }) => [id, {
    id,
    name,
    genres: JSON.parse(genres),
    genre: genre ?? undefined,
    trackCount: tracks,
    cover: cover ?? undefined,
    updatedAt: updated
  }]))

/** The order of a genre's tracks: album by album, in album order. */
export const genreOrder = 'album.sort, album.number, track.disc, track.place, track.sort, track.number'

/** The maximum number of a genre's tracks that are sorted; longer lists are read in the order of indexes. */
const mostSorted = 1000

/** Returns the FROM clause for the tracks of a genre, which depends on their number. */
export const genreFrom = (tracks: number, { sort }: Sorting): string => `
  ${sort === undefined && tracks > mostSorted
  ? 'album CROSS JOIN track CROSS JOIN genre_track'
  : 'genre_track CROSS JOIN track CROSS JOIN album'}
  WHERE genre_track.genre = ? AND genre_track.path = track.path AND genre_track.track = track.number
    AND track.album = album.number`

/** Returns the first terms of an ORDER BY; empty for an unknown order. */
export function orderOf ({ sort, order }: Sorting): string {
  const column = sort === undefined ? undefined : playlistOrders[sort]?.column
  return column === undefined ? '' : `${column} ${order === 'desc' ? 'DESC' : 'ASC'}, `
}
