import type { ItemTable } from './item-table.ts'
import type { CatalogueAlbum, CatalogueArtist, CatalogueTrack } from './items.ts'
import { lastPlace, type TrackData } from './track-rows.ts'

export const artistColumns = 'number, id, name, cover, extras'
export const albumColumns = 'number, id, artist, name, published, genre, tracks, duration, added, extras'
export const trackColumns = 'number, id, album, disc, place, added, data'

export interface ArtistRow {
  number: number
  id: string
  name: string
  cover: string
  extras: string | null
}

export interface AlbumRow {
  number: number
  id: string
  artist: number
  name: string
  published: number | null
  genre: string | null
  tracks: number
  duration: number
  added: number
  extras: string | null
}

export interface TrackRow {
  number: number
  id: string
  album: number
  disc: number
  place: number
  added: number
  data: string
}

type Artists = ItemTable<CatalogueArtist, ArtistRow>

export const readArtist = ({ extras, ...artist }: ArtistRow): CatalogueArtist =>
  extras === null ? artist : { ...artist, extras: JSON.parse(extras) }

export const readAlbum = (row: AlbumRow, artists: Artists): CatalogueAlbum => ({
  number: row.number,
  id: row.id,
  name: row.name,
  artist: artists.at(row.artist)!,
  trackCount: row.tracks,
  durationMs: row.duration,
  publishTime: row.published,
  genre: row.genre ?? undefined,
  added: row.added,
  extras: JSON.parse(row.extras ?? '{}')
})

export function readTrack (
  { number, id, album, disc, place, added, data }: TrackRow, known: Artists, albums: ItemTable<CatalogueAlbum, AlbumRow>
): CatalogueTrack {
  const { title, durationMs, genres, year, artists, files, paths, extras = {} } = JSON.parse(data) as TrackData
  return {
    number,
    id,
    title,
    artists: artists.map(([artist]) => known.at(artist)!),
    album: albums.at(album)!,
    disc,
    trackNumber: place < lastPlace ? place : undefined,
    durationMs,
    genres,
    year,
    files,
    paths,
    added,
    extras
  }
}
