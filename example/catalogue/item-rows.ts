import type { ArtistExtras, TrackExtras } from 'fastify-source-origin'
import { artistId } from '../scan/identify.ts'
import type { ItemTable } from './item-table.ts'
import type { CatalogueAlbum, CatalogueArtist, CatalogueTrack } from './catalogue-items.ts'
import { lastPlace, type TrackData } from './track-rows.ts'

/** A subquery, since SQLite would read all rows of the view `made_by` to count the albums of one artist. */
export const artistColumns = `
  number, id, name, cover, extras, tracks,
  (SELECT count(*) FROM album WHERE album.artist = artist.number) + (
    SELECT count(*) FROM also_by CROSS JOIN album ON album.number = also_by.album
    WHERE also_by.artist = artist.number) AS albums`
export const albumColumns = `
  number, id, name, published, genre, tracks, duration, added, extras, artist,
  (SELECT json_group_array(artist ORDER BY place) FROM also_by WHERE album = number) AS others`
export const trackColumns = 'number, id, album, disc, place, added, data'

export interface ArtistRow {
  number: number
  id: string
  name: string
  cover: string
  extras: string | null
  tracks: number
  albums: number
}

export interface AlbumRow {
  number: number
  id: string
  artist: number
  /** JSON of its other artists. */
  others: string
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

export function readArtist ({ extras, tracks, albums, ...artist }: ArtistRow): CatalogueArtist {
  const { roles = [], ...more } = JSON.parse(extras ?? '{}') as ArtistExtras
  const own = [...albums > 0 ? ['albumartist'] : [], ...tracks > 0 ? ['artist'] : []]
  return { ...artist, extras: { ...more, roles: [...own, ...roles], albumCount: albums } }
}

export const readAlbum = (row: AlbumRow, artists: Artists): CatalogueAlbum => ({
  number: row.number,
  id: row.id,
  name: row.name,
  artists: [row.artist, ...JSON.parse(row.others) as number[]].map(artist => artists.at(artist)!),
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
    extras: withIds(extras, known)
  }
}

/** Adds ids to the contributors of a track that are artists of the library. */
function withIds (extras: TrackExtras, known: Artists): TrackExtras {
  if (extras.contributors === undefined) return extras
  const contributors = extras.contributors.map(({ artist, ...part }) => {
    const id = artistId(artist.name)
    return { ...part, artist: known.knows(id) ? { ...artist, id } : artist }
  })
  return { ...extras, contributors }
}
