import { UpstreamError } from '../contract/errors.ts'
import type { LibraryCall, LibraryQuery } from '../contract/source-library.ts'
import { completes, unorderedIds, type OrderedLibrary } from '../contract/ordered-library.ts'

/** The ids of a library in parts, whether it gives them so or not. */
export async function * partsOf (
  library: OrderedLibrary, query: LibraryQuery, call: LibraryCall, method: 'ids' | typeof unorderedIds
): AsyncGenerator<readonly string[], void, undefined> {
  const ids = await library[method]!(query, call)
  if (Array.isArray(ids)) yield ids
  else yield * ids as AsyncIterable<readonly string[]>
}

/** The same library, whose failures say which source does not answer. */
export function namedLibrary (name: string, library: OrderedLibrary): OrderedLibrary {
  const tell = (error: unknown, { signal }: LibraryCall): never => {
    signal.throwIfAborted()
    throw new UpstreamError(`${name} does not answer`, { cause: error })
  }
  const ask = async <T>(run: () => T | Promise<T>, call: LibraryCall): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      return tell(error, call)
    }
  }
  const idsBy = (method: 'ids' | typeof unorderedIds) =>
    async function * (query: LibraryQuery, call: LibraryCall): AsyncGenerator<readonly string[], void, undefined> {
      try {
        yield * partsOf(library, query, call, method)
      } catch (error) {
        tell(error, call)
      }
    }
  return {
    ids: idsBy('ids'),
    ...library[completes] && { [completes]: id => library[completes]!(id) },
    ...library[unorderedIds] && { [unorderedIds]: idsBy(unorderedIds) },
    items: (kind, ids, call) => ask(() => library.items(kind, ids, call), call),
    facets: (kind, call) => ask(() => library.facets(kind, call), call),
    currentIds: (kind, ids, call) => ask(() => library.currentIds?.(kind, ids, call) ?? new Map(), call),
    revision: library.revision,
    changedAt: library.changedAt
  }
}
