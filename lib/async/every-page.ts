import { UpstreamError } from '../contract/errors.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** The number of places that the page covers. Default: the number that was requested */
  readonly limit?: number | undefined
  readonly hasMore: boolean
}

/** The maximum number of consecutive pages without a new item: a source may return pages for ever. */
export const mostSilent = 10

/** Returns the offset after a page (docs/reference/contract.md, For clients). */
export const offsetAfter = ({ items, limit }: Page<unknown>, offset: number, requested: number): number =>
  offset + Math.max(limit ?? requested, items.length)

/**
 * Returns the items of a paged list, `undefined` if there is no such list.
 *
 * @param most the maximum number of items
 * @param limit the maximum number of places of a page
 * @param fetch requests a page, `undefined` if there is none
 * @param offset the place of the first item
 * @throws UpstreamError if a later page is missing: part of a list must not look like the whole
 */
export async function everyPage<T extends { readonly id: string }> (
  most: number, limit: number, fetch: (offset: number, limit: number) => Promise<Page<T> | undefined>, offset = 0
): Promise<T[] | undefined> {
  const all: T[] = []
  const known = new Set<string>()
  let from = offset
  let silent = 0
  while (all.length < most && silent < mostSilent) {
    const requested = Math.min(limit, most - all.length)
    const page = await fetch(from, requested)
    if (page === undefined) {
      if (from === offset) return undefined
      throw new UpstreamError('A page of the list is missing')
    }
    const { size } = known
    for (const { id } of page.items) known.add(id)
    // A source may return the same page for ever.
    silent = known.size > size ? 0 : silent + 1
    if (silent === 0) all.push(...page.items)
    if (!page.hasMore) break
    from = offsetAfter(page, from, requested)
  }
  return all.slice(0, most)
}
