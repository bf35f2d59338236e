import { notFound } from '../text/not-found.ts'
import { NotFoundError, takeTurns } from 'fastify-source-origin'

/** How many items lists have that are not paged. */
export const most = {
  suggestions: 5, similar: 20, new: 50, daily: 30, roam: 20, topArtists: 50, sample: 500
}

/** @param limit -1 = all: Subsonic has no pages of playlists and albums */
export const limitOf = (limit: number): number => limit === -1 ? Number.MAX_SAFE_INTEGER : limit

/** What can be asked for an item by its id. */
export interface ById<T> { get (id: string): T | undefined }

export function found<T> (items: ById<T>, id: string, kind: string): T {
  const item = items.get(id)
  if (item === undefined) throw new NotFoundError(notFound(kind))
  return item
}

export const page = <T, D>(items: readonly T[], offset: number, limit: number, describe: (item: T) => D) =>
  pageOf(items.slice(offset, offset + limit + 1), offset, limit, describe)

/** @param items of the page, and one more if there is one */
export const pageOf = <T, D>(items: readonly T[], offset: number, limit: number, describe: (item: T) => D) =>
  ({ items: items.slice(0, limit).map(describe), offset, limit, hasMore: items.length > limit })

/** Others have their turn while many items are described. */
export async function describeAll<T, D> (items: Iterable<T>, describe: (item: T) => D): Promise<D[]> {
  const pause = takeTurns()
  const described: D[] = []
  for (const item of items) {
    described.push(describe(item))
    await pause()
  }
  return described
}
