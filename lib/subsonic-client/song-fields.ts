import type { Artist } from '../../schemas/index.ts'
import { dateOf, listOf, numberOf, textOf, type Given } from './tolerate.ts'

/** Returns Unix milliseconds. Most servers know the year only. */
export const publishTimeOf = ({ releaseDate, originalReleaseDate, year }: Given): number | undefined =>
  dateOf(releaseDate) ?? dateOf(originalReleaseDate) ?? dateOf({ year })

/** Returns the position of a song in its album, `undefined` for a song without a number. */
export function placeOf ({ discNumber, track }: Given): number | undefined {
  const number = numberOf(track)
  return number ? (numberOf(discNumber) ?? 1) * 100_000 + number : undefined
}

/** Returns the songs of an album in a stable order. Some servers vary the order of songs with equal numbers. */
export function songsOf (album: Given): Given[] {
  const songs = listOf(album.song)
  if (!songs.every(placeOf)) return songs
  return songs.sort((a, b) => placeOf(a)! - placeOf(b)! || (textOf(a.id) < textOf(b.id) ? -1 : 1))
}

/** The id prefix of artists that have only a name on the server. */
export const namePrefix = 'name:'

export function artistsOf (song: Given): Artist[] {
  const several = listOf(song.artists).filter(({ name }) => textOf(name) !== '')
  const given = several.length > 0 ? several : [{ id: song.artistId, name: song.artist }]
  return given.filter(({ name }) => textOf(name) !== '')
    .map(({ id, name }) => ({ id: textOf(id) || namePrefix + textOf(name), name: textOf(name) }))
}
