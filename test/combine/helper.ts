import type { SourceAdapter } from 'fastify-source-origin'
import { combineSources, type CombinedSource, type CombineOptions } from 'fastify-source-origin/combine'
import { idsIn } from '../../lib/combine/combined-ids.ts'
import type { AdapterMethod } from '../../lib/contract/operations.ts'
import { sortKey, withoutArticle } from '../../lib/text/names.ts'

/** A source of a combination with an adapter that is good enough for a test. */
export const sourceOf = (id: string, adapter: object, more: Partial<CombinedSource> = {}): CombinedSource =>
  ({ id, name: id.toUpperCase(), adapter: adapter as SourceAdapter, stateless: false, ...more })

/** The adapter of a combination, whose methods are all there for the compiler. */
export function combined (sources: readonly CombinedSource[], options?: CombineOptions) {
  return combineSources(sources, options).adapter as { [M in AdapterMethod]: (...args: any[]) => any }
}

/** A page of a list in memory, with fewer items than it is asked for where `short` says so. */
export const pageOf = <T>(all: readonly T[], offset: number, limit: number, short = Infinity) => {
  const items = all.slice(offset, offset + Math.min(limit, short))
  return { items, offset, limit, hasMore: offset + items.length < all.length }
}

export const trackOf = (id: string, title = id, more: object = {}) =>
  ({ id, title, artists: [], album: { id: '', name: '', coverUrl: '' }, durationMs: 1000, ...more })

/** The ids that merged ones stand for, those of combinations in combinations too. */
const unmerged = (ids: readonly string[]): string[] => ids.flatMap(idsIn).flatMap(id => {
  const inner = id.indexOf(':+') + 1
  return inner === 0 ? [id] : unmerged([id.slice(inner)]).map(part => id.slice(0, inner) + part)
})

/** A merged id names as many sources as it has room for. */
const shortOf = (ids: readonly string[]) => unmerged(ids).filter(({ length }) => length < 100)

/** Ids of artists as they can be compared: those of one place of the order in any order, and no long ones. */
export const artistsOf = (ids: readonly string[]): string => JSON.stringify([
  shortOf(ids).sort(), shortOf(ids).map(id => sortKey(withoutArticle(id.replace(/.*:a? ?/, ''))))
])
