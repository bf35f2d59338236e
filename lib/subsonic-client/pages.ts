import type { Given } from './tolerate.ts'

/** Returns a page of a complete list. */
export const pageOf = <T>(items: readonly T[], offset: number, limit: number) =>
  ({ items: items.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < items.length })

/**
 * Returns a page of a list that was requested with one extra item.
 *
 * @param convert converts items of the server, and may omit some
 */
export async function pageOfMore<T> (
  given: readonly Given[], offset: number, limit: number, convert: (given: Given[]) => T[] | Promise<T[]>
) {
  return { items: await convert(given.slice(0, limit)), offset, limit, hasMore: given.length > limit }
}
