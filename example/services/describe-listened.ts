import type { CatalogueTrack } from '../catalogue/catalogue-items.ts'
import { unknownArtist } from '../scan/name-track.ts'
import type { Listened } from '../state/listens.ts'
import { artistNames } from '../text/artist-names.ts'

/** Returns the description of a track for services; `undefined` if its artist is unknown. */
export function describeListened (
  { title, artists, album, trackNumber, durationMs, extras }: CatalogueTrack
): Listened | undefined {
  if (artists[0]!.name === unknownArtist) return undefined
  const ids = artists.flatMap(({ extras }) => extras.musicBrainzId ?? [])
  return {
    title,
    artist: extras.displayArtist ?? artistNames(artists),
    artists: artists.map(({ name }) => name),
    album: album.name,
    albumArtist: album.extras.displayArtist ?? artistNames(album.artists),
    number: trackNumber,
    length: durationMs,
    recordingId: extras.musicBrainzId,
    releaseId: album.extras.musicBrainzId,
    artistIds: ids.length === artists.length ? ids : undefined
  }
}
