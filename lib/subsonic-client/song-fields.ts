import type { Artist } from '../../schemas/index.ts'
import { dateOf, listOf, numberOf, textOf, type Given } from './tolerate.ts'

/** Returns Unix milliseconds. Most servers know the year only. */
export const publishTimeOf = ({ releaseDate, originalReleaseDate, year }: Given): number | undefined =>
  dateOf(releaseDate) ?? dateOf(originalReleaseDate) ?? dateOf({ year })

/** Returns the position of a song in its album. Songs without a number are last. */
export const placeOf = ({ discNumber, track }: Given): number =>
  (numberOf(discNumber) ?? 1) * 100_000 + (numberOf(track) ?? 99_999)

/** Returns the songs of an album in a stable order. Some servers vary the order of songs with equal numbers. */
export function songsOf (album: Given): Given[] {
  const songs = listOf(album.song)
  if (!songs.every(({ track }) => numberOf(track))) return songs
  return songs.sort((a, b) => placeOf(a) - placeOf(b) || (textOf(a.id) < textOf(b.id) ? -1 : 1))
}

/** The id prefix of artists that have only a name on the server. */
export const namePrefix = 'name:'

export function artistsOf (song: Given): Artist[] {
  const several = listOf(song.artists).filter(({ name }) => textOf(name) !== '')
  const given = several.length > 0 ? several : [{ id: song.artistId, name: song.artist }]
  return given.filter(({ name }) => textOf(name) !== '')
    .map(({ id, name }) => ({ id: textOf(id) || namePrefix + textOf(name), name: textOf(name) }))
}
