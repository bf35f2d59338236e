import { BadRequestError } from '../contract/errors.ts'

/** Ids that one call may name: as many as long lists have. */
export const mostIds = 20_000

/** @throws BadRequestError for more ids than one call may name */
export function refuseMany (...lists: readonly (readonly unknown[])[]): void {
  if (lists.some(({ length }) => length > mostIds)) throw new BadRequestError(`A call names at most ${mostIds} ids`)
}
