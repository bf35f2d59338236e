import type { CatalogueTrack } from '../catalogue/items.ts'
import type { Listened } from '../state/listens.ts'

/** A track as services are told of it. */
export const describeListened = (
  { title, artists, album, trackNumber, durationMs }: CatalogueTrack
): Listened => ({
  title,
  artist: artists.map(({ name }) => name).join(', '),
  album: album.name,
  albumArtist: album.artist.name,
  number: trackNumber,
  length: durationMs
})
