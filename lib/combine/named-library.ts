import { UpstreamError } from '../contract/errors.ts'
import type { LibraryCall, LibraryQuery, SourceLibrary } from '../contract/source-library.ts'

/** The ids of a library in parts, whether it gives them so or not. */
export async function * partsOf (
  library: Pick<SourceLibrary, 'ids'>, query: LibraryQuery, call: LibraryCall
): AsyncGenerator<readonly string[], void, undefined> {
  const ids = await library.ids(query, call)
  if (Array.isArray(ids)) yield ids
  else yield * ids as AsyncIterable<readonly string[]>
}

/** The same library, whose failures say which source does not answer. */
export function namedLibrary (name: string, library: SourceLibrary): SourceLibrary {
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
  return {
    async * ids (query, call) {
      try {
        yield * partsOf(library, query, call)
      } catch (error) {
        tell(error, call)
      }
    },
    items: (kind, ids, call) => ask(() => library.items(kind, ids, call), call),
    facets: (kind, call) => ask(() => library.facets(kind, call), call),
    currentIds: (kind, ids, call) => ask(() => library.currentIds?.(kind, ids, call) ?? new Map(), call),
    revision: library.revision,
    changedAt: library.changedAt
  }
}
