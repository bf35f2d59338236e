import { UpstreamError } from '../contract/errors.ts'
import { PageReader, type AskPage } from './page-reader.ts'

/**
 * Returns the items of a paged list from `offset` on; `undefined` if the list does not exist.
 *
 * @param most maximum number of items
 * @param limit number of items per page
 * @param fetch returns a page; `undefined` if the list does not exist
 * @throws UpstreamError if a later page is missing, because a partial list must not look complete
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
