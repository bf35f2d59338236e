import { NotFoundError } from 'fastify-source-origin'
import { takeTurns } from './take-turns.ts'

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
  if (item === undefined) throw new NotFoundError(`There is no such ${kind}`)
  return item
}

export const page = <T, D>(items: readonly T[], offset: number, limit: number, describe: (item: T) => D) =>
  pageOf(items.slice(offset, offset + limit + 1), offset, limit, describe)

/** @param items of the page, and one more if there is one */
export const pageOf = <T, D>(items: readonly T[], offset: number, limit: number, describe: (item: T) => D) =>
  ({ items: items.slice(0, limit).map(describe), offset, limit, hasMore: items.length > limit })

/** The same as `map`, as a list. */
export async function describeAll<T, D> (items: Iterable<T>, describe: (item: T) => D): Promise<D[]> {
  const described: D[] = []
  for await (const item of map(items, describe)) described.push(item)
  return described
}

/** Others have their turn while many items are taken. */
export async function * map<T, D> (items: Iterable<T>, describe: (item: T) => D): AsyncGenerator<D, void, undefined> {
  const pause = takeTurns()
  for (const item of items) {
    yield describe(item)
    await pause()
  }
}
