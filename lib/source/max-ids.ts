import { BadRequestError } from '../contract/errors.ts'

/** The maximum number of ids in one call. Long lists have as many. */
export const maxIds = 20_000

/** @throws BadRequestError if the lists exceed the maximum number of ids per call */
export function rejectMany (...lists: readonly (readonly unknown[])[]): void {
  if (lists.some(({ length }) => length > maxIds)) throw new BadRequestError(`A call names at most ${maxIds} ids`)
}
