import { UpstreamError } from '../contract/errors.ts'
import type { AskedSource } from './asked-source.ts'
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

/** The library of a source, which is not called while the source is unavailable, and whose failures name it. */
export function namedLibrary (source: AskedSource, library: OrderedLibrary): OrderedLibrary {
  const tell = (error: unknown, { signal }: LibraryCall, isList = false): never => {
    signal.throwIfAborted()
    // One item may fail by itself.
    if (isList) source.fail(error)
    throw new UpstreamError(`${source.name} is not responding`, { cause: error })
  }
  // A generated library calls the source by its operations, each of which is guarded.
  const guard = source.adapter.library === undefined
    ? async <T>(run: () => T | Promise<T>) => run()
    : source.guard
  const ask = async <T>(run: () => T | Promise<T>, call: LibraryCall, isList = false): Promise<T> => {
    try {
      return await guard(run)
    } catch (error) {
      return tell(error, call, isList)
    }
  }
  const idsBy = (method: 'ids' | typeof unorderedIds) =>
    async function * (query: LibraryQuery, call: LibraryCall): AsyncGenerator<readonly string[], void, undefined> {
      try {
        await guard(() => {})
        for await (const part of partsOf(library, query, call, method)) yield part
      } catch (error) {
        tell(error, call, true)
      }
    }
  return {
    ids: idsBy('ids'),
    ...library[completes] && { [completes]: id => library[completes]!(id) },
    ...library[unorderedIds] && { [unorderedIds]: idsBy(unorderedIds) },
    items: (kind, ids, call) => ask(() => library.items(kind, ids, call), call),
    facets: (kind, call) => ask(() => library.facets(kind, call), call, true),
    currentIds: (kind, ids, call) => ask(() => library.currentIds?.(kind, ids, call) ?? new Map(), call),
    revision: library.revision,
    changedAt: library.changedAt
  }
}
