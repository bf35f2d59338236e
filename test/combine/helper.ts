import type { SourceAdapter } from 'fastify-source-origin'
import { combineSources, type CombinedSource, type CombineOptions } from 'fastify-source-origin/combine'
import type { AdapterMethod } from '../../lib/contract/operations.ts'

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
