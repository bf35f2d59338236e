import type { LibraryCall, LibraryQuery, SourceLibrary } from './source-library.ts'

/** Gives the ids of a list in any order: that of a library whose orders cost much. Its lists are read on demand. */
export const unorderedIds: unique symbol = Symbol('ids in any order')

/** A library, which may be one of those. */
export interface OrderedLibrary extends SourceLibrary {
  [unorderedIds]? (query: LibraryQuery, call: LibraryCall): AsyncIterable<readonly string[]>
}
