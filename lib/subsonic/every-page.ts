interface Page<T> { readonly items: readonly T[], readonly hasMore: boolean }

/**
 * The items of a paged list, from `offset` on.
 *
 * @param most how many items at most
 * @param limit how many are asked for at once
 * @param fetch a page; `undefined` ends the list
 */
export async function everyPage<T> (
  most: number, limit: number, fetch: (offset: number, limit: number) => Promise<Page<T> | undefined>, offset = 0
): Promise<T[]> {
  const items: T[] = []
  while (items.length < most) {
    const page = await fetch(offset + items.length, Math.min(limit, most - items.length))
    items.push(...page?.items ?? [])
    // A source that says there is more and gives nothing would go on for ever.
    if (page === undefined || !page.hasMore || page.items.length === 0) break
  }
  return items.slice(0, most)
}
