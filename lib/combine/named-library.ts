import { handled } from '../async/handled.ts'
import { withTimeout } from '../async/with-timeout.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import { personalSorts } from './personal.ts'
import type { LibraryCall, LibraryQuery, LibrarySort } from '../contract/source-library.ts'
import { completes, missingSources, onDemand, stored, type OrderedLibrary } from '../contract/ordered-library.ts'

/** Yields the ids of a library in parts, whether or not the library pages them. */
export async function * partsOf (
  library: OrderedLibrary, query: LibraryQuery, call: LibraryCall
): AsyncGenerator<readonly string[], void, undefined> {
  const ids = await library.ids(query, call)
  if (Array.isArray(ids)) yield ids
  else yield * ids as AsyncIterable<readonly string[]>
}

/**
 * Wraps the library of a source: each call has the source's timeout, an unavailable source is not called, and errors
 * name the source.
 */
export function namedLibrary (source: NamespacedSource, library: OrderedLibrary): OrderedLibrary {
  const isHidden = (sort: LibrarySort = 'name') => source.isShared && personalSorts.has(sort)
  const fail = (error: unknown, { signal }: LibraryCall, isList: boolean): never => {
    signal.throwIfAborted()
    // A failure of a single item does not make the source unavailable.
    if (isList && library[stored] !== true) source.fail(error)
    throw source.named(error)
  }
  // A stored library does not call the source. A generated library calls operations, each with a guard.
  const guard = source.adapter.library === undefined || library[stored] === true
    ? async <T>(run: () => T | Promise<T>) => run()
    : source.guard
  const ask = async <T>(run: () => T | Promise<T>, call: LibraryCall, isList = false): Promise<T> => {
    const answer = guard(run)
    try {
      return await withTimeout(() => answer, { timeout: source.timeout, error: () => source.timeOut(answer) })
    } catch (error) {
      return fail(error, call, isList)
    }
  }
  return {
    async * ids (query, call) {
      if (isHidden(query.sort)) return
      const parts = partsOf(library, query, call)
      try {
        for (;;) {
          const { done, value } = await ask(() => parts.next(), call, true)
          if (done) return
          yield value
        }
      } finally {
        // The wait for a hanging source ends.
        handled(parts.return())
      }
    },
    ...library.randomIds && {
      randomIds: (query, count, call) => ask(() => library.randomIds!(query, count, call), call, true)
    },
    ...library[completes] && { [completes]: id => library[completes]!(id) },
    ...library[onDemand] && { [onDemand]: true as const },
    items: (kind, ids, call) => ask(() => library.items(kind, ids, call), call),
    facets: async (kind, call) => {
      const { sorts, ...facets } = await ask(() => library.facets(kind, call), call, true)
      return { ...facets, sorts: sorts.filter(sort => !isHidden(sort)) }
    },
    currentIds: (kind, ids, call) => ask(() => library.currentIds?.(kind, ids, call) ?? new Map(), call),
    get [missingSources] () { return library[missingSources] ?? [] },
    revision: library.revision,
    changedAt: library.changedAt
  }
}
