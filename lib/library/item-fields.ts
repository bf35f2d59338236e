import { extras } from '../../schemas/extras.ts'
import type { Album, Track } from '../../schemas/index.ts'

type Tagged = Pick<Album, typeof extras | 'genre' | 'publishTime'>

export const genresIn = ({ genre, [extras]: more }: Tagged): readonly string[] =>
  more?.genres ?? (genre ? [genre] : [])

export const genresOf = (track: Track): readonly string[] => track[extras]?.genres ?? genresIn(track.album)

export function yearOf ({ publishTime, [extras]: more }: Tagged): number | undefined {
  if (more?.year !== undefined) return more.year
  // Upstreams send midnight of their own time zone.
  return typeof publishTime === 'number' ? new Date(publishTime + 43_200_000).getUTCFullYear() : undefined
}

export const yearOfTrack = (track: Track) => track[extras]?.year ?? yearOf(track.album)

export function timeOf ({ publishTime, [extras]: more }: Tagged): number | undefined {
  const time = Date.parse(more?.created ?? '')
  return Number.isNaN(time) ? publishTime ?? undefined : time
}

/** Returns the time at which a track was added. Default: the publication time of its album. */
export const timeOfTrack = (track: Track) =>
  timeOf({ ...track.album, [extras]: { created: track[extras]?.created ?? '' } })
