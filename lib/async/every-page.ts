import { UpstreamError } from '../contract/errors.ts'
import { PageReader, type AskPage } from './page-reader.ts'

/**
 * The items of a paged list, from `offset` on; `undefined` where there is no such list.
 *
 * @param most how many items at most
 * @param limit how many are asked for at once
 * @param fetch a page; `undefined` where the source has none
 * @throws UpstreamError where a later page is missing: half a list must not look like the whole
 */
export async function everyPage<T extends { readonly id: string }> (
  most: number, limit: number, fetch: AskPage<T>, offset = 0
): Promise<T[] | undefined> {
  const reader = new PageReader(fetch, limit, offset)
  const all: T[] = []
  for (let isFirst = true, hasMore = true; hasMore && all.length < most; isFirst = false) {
    const page = await reader.read(most - all.length)
    if (page === undefined && isFirst) return undefined
    if (page === undefined) throw new UpstreamError('The source did not give a list to its end')
    for (const item of page.items) all.push(item)
    hasMore = page.hasMore
  }
  return all.slice(0, most)
}
