import type { Artist } from '../../schemas/index.ts'
import { dateOf, listOf, numberOf, textOf, type Given } from './tolerate.ts'

/** Unix milliseconds; most servers know the year only. */
export const publishTimeOf = ({ releaseDate, originalReleaseDate, year }: Given): number | undefined =>
  dateOf(releaseDate) ?? dateOf(originalReleaseDate) ?? dateOf({ year })

/** The place of a song in its album. Songs without a number are last. */
export const placeOf = ({ discNumber, track }: Given): number =>
  (numberOf(discNumber) ?? 1) * 100_000 + (numberOf(track) ?? 99_999)

/** The songs of an album. Some servers give those of one number in another order each time. */
export function songsOf (album: Given): Given[] {
  const songs = listOf(album.song)
  if (!songs.every(({ track }) => numberOf(track))) return songs
  return songs.sort((a, b) => placeOf(a) - placeOf(b) || (textOf(a.id) < textOf(b.id) ? -1 : 1))
}

/** Prefix of the id of an artist that the server only names. */
export const namePrefix = 'name:'

export function artistsOf (song: Given): Artist[] {
  const several = listOf(song.artists).filter(({ name }) => textOf(name) !== '')
  const given = several.length > 0 ? several : [{ id: song.artistId, name: song.artist }]
  return given.filter(({ name }) => textOf(name) !== '')
    .map(({ id, name }) => ({ id: textOf(id) || namePrefix + textOf(name), name: textOf(name) }))
}
