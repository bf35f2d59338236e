import { extras } from '../../../schemas/extras.ts'
import type { Album } from '../../../schemas/index.ts'
import { writeTime } from '../times.ts'
import type { Facets, ListedTrack } from './listed-track.ts'

const genreOf = ({ genre }: { genre?: string | undefined }) => genre ? [genre] : []

export const albumFacets = (album: Album): Facets => ({
  genres: album[extras]?.genres ?? genreOf(album), year: album[extras]?.year ?? writeTime(album.publishTime).year
})

export function trackFacets (track: ListedTrack): Facets {
  if (!('title' in track)) return track.facets
  const own = track[extras]
  const { genres, year } = albumFacets(track.album)
  return { genres: own?.genres ?? genres, year: own?.year ?? year }
}

/** A genre with its songs, and the albums that are of it or have a song of it. */
export interface Genre { readonly name: string, readonly songs: number, readonly albumIds: ReadonlySet<string> }

/** All genres of a library. Songs of an album that are not all known are those that it says it has. */
export function countGenres (albums: readonly Album[], tracks: readonly ListedTrack[]): Genre[] {
  const genres = new Map<string, { name: string, songs: number, albumIds: Set<string> }>()
  const note = (name: string, songs: number, albumId?: string) => {
    const genre = genres.get(name) ?? { name, songs: 0, albumIds: new Set() }
    genres.set(name, genre)
    genre.songs += songs
    if (albumId !== undefined) genre.albumIds.add(albumId)
  }
  const byAlbum = new Map<string, ListedTrack[]>(albums.map(({ id }) => [id, []]))
  for (const track of tracks) {
    const ofAlbum = byAlbum.get(track.album.id)
    if (ofAlbum !== undefined) ofAlbum.push(track)
    else for (const name of trackFacets(track).genres) note(name, 1)
  }
  for (const album of albums) {
    const known = byAlbum.get(album.id)!
    const { trackCount = 0 } = album
    const own = new Set(albumFacets(album).genres)
    const areAllKnown = known.length >= trackCount
    for (const name of own) note(name, areAllKnown ? 0 : trackCount, album.id)
    for (const track of known) {
      for (const name of trackFacets(track).genres) note(name, areAllKnown || !own.has(name) ? 1 : 0, album.id)
    }
  }
  return [...genres.values()]
}
