import { UpstreamError } from '../contract/errors.ts'

interface Page<T> { readonly items: readonly T[], readonly hasMore: boolean }

/**
 * The items of a paged list, from `offset` on; `undefined` where there is no such list.
 *
 * @param most how many items at most
 * @param limit how many are asked for at once
 * @param fetch a page; `undefined` where the source has none
 * @throws UpstreamError where a later page is missing: half a list must not look like the whole
 */
export async function everyPage<T> (
  most: number, limit: number, fetch: (offset: number, limit: number) => Promise<Page<T> | undefined>, offset = 0
): Promise<T[] | undefined> {
  const items: T[] = []
  while (items.length < most) {
    const page = await fetch(offset + items.length, Math.min(limit, most - items.length))
    if (page === undefined) {
      if (items.length === 0) return undefined
      throw new UpstreamError('The source did not give a list to its end')
    }
    items.push(...page.items)
    // A source that says there is more and gives nothing would go on for ever.
    if (!page.hasMore || page.items.length === 0) break
  }
  return items.slice(0, most)
}
