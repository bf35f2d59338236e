import type { AlbumOfTrack } from '../account/listing.ts'
import type { Call } from '../call.ts'
import { writeTime } from '../times.ts'

/** The parameters `fromYear` and `toYear`. */
export const yearsOf = ({ parameters }: Call) => [parameters.integer('fromYear'), parameters.integer('toYear')]

/** Whether an album is of the years from one to another. */
export const isBetween = (from: number, to: number) => ({ publishTime }: Pick<AlbumOfTrack, 'publishTime'>) => {
  const { year } = writeTime(publishTime)
  return year !== undefined && year >= from && year <= to
}

/** Whether an album is of a genre, in any case. */
export const isOfGenre = (wanted: string) => ({ genre }: Pick<AlbumOfTrack, 'genre'>) =>
  genre?.toLowerCase() === wanted.toLowerCase()
