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
export async function everyPage<T extends { readonly id: string }> (
  most: number, limit: number, fetch: (offset: number, limit: number) => Promise<Page<T> | undefined>, offset = 0
): Promise<T[] | undefined> {
  const all: T[] = []
  const known = new Set<string>()
  let isShort = false
  for (let from = offset; all.length < most;) {
    const asked = Math.min(limit, most - all.length)
    const page = await fetch(from, asked)
    if (page === undefined && from === offset) return undefined
    if (page === undefined) throw new UpstreamError('The source did not give a list to its end')
    // A source may say that there is more, and give the same page or an empty one for ever.
    if (page.items.every(({ id }) => known.has(id))) break
    for (const item of page.items) {
      // A page that has fewer may have left some out: then the next one begins with what it had.
      if (isShort && known.has(item.id)) continue
      known.add(item.id)
      all.push(item)
    }
    if (!page.hasMore) break
    // A source may give fewer than it is asked for, and have more.
    from += page.items.length
    isShort ||= page.items.length < asked
  }
  return all.slice(0, most)
}
