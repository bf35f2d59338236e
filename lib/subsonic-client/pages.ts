import type { Given } from './tolerate.ts'

/** A page of a list that is at hand. */
export const pageOf = <T>(items: readonly T[], offset: number, limit: number) =>
  ({ items: items.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < items.length })

/**
 * A page of a list that was asked for one more than is due.
 *
 * @param convert makes items of what the server gave, and may leave some out
 */
export async function pageOfMore<T> (
  given: readonly Given[], offset: number, limit: number, convert: (given: Given[]) => T[] | Promise<T[]>
) {
  return { items: await convert(given.slice(0, limit)), offset, limit, hasMore: given.length > limit }
}
