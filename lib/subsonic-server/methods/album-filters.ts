import type { Facets } from '../account/listed-track.ts'
import type { Call } from '../call.ts'

/** The parameters `fromYear` and `toYear`. */
export const yearsOf = ({ parameters }: Call) => [parameters.integer('fromYear'), parameters.integer('toYear')]

/** Whether something is of the years from one to another. */
export const isBetween = (from: number, to: number) => ({ year }: Pick<Facets, 'year'>) =>
  year !== undefined && year >= from && year <= to

/** Whether something is of a genre, in any case. */
export const isOfGenre = (wanted: string) => ({ genres }: Pick<Facets, 'genres'>) =>
  genres.some(genre => genre.toLowerCase() === wanted.toLowerCase())
