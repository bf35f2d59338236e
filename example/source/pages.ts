import { notFound } from '../text/not-found.ts'
import { NotFoundError, createYield } from 'fastify-source-origin'

/** The number of items in lists without pages. */
export const limits = {
  suggestions: 5, similar: 20, new: 50, daily: 30, roam: 20, topArtists: 50, sample: 500
}

/** Returns the maximum number of items. @param limit -1 = all, since Subsonic does not page playlists and albums */
export const limitOf = (limit: number): number => limit === -1 ? Number.MAX_SAFE_INTEGER : limit

/** A collection of items by id. */
export interface ById<T> { get (id: string): T | undefined }

export function found<T> (items: ById<T>, id: string, kind: string): T {
  const item = items.get(id)
  if (item === undefined) throw new NotFoundError(notFound(kind))
  return item
}

export const page = <T, D>(items: readonly T[], offset: number, limit: number, describe: (item: T) => D) =>
  pageOf(items.slice(offset, offset + limit + 1), offset, limit, describe)

/** Returns a page. @param items the items of the page, and one more if there is one */
export const pageOf = <T, D>(items: readonly T[], offset: number, limit: number, describe: (item: T) => D) =>
  ({ items: items.slice(0, limit).map(describe), offset, limit, hasMore: items.length > limit })

/** Converts many items, and yields to the event loop. */
export async function describeAll<T, D> (items: Iterable<T>, describe: (item: T) => D): Promise<D[]> {
  const pause = createYield()
  const described: D[] = []
  for (const item of items) {
    described.push(describe(item))
    await pause()
  }
  return described
}
