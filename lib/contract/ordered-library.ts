import type { LibraryCall, LibraryQuery, SourceLibrary } from './source-library.ts'

/** Gives the ids of a list in any order: that of a library whose orders cost much. Its lists are read on demand. */
export const unorderedIds: unique symbol = Symbol('ids in any order')

/** Tells whether a library may know more of the item with an id than operations tell. Default: it may. */
export const completes: unique symbol = Symbol('completes')

/** A library, which may be one of several others. */
export interface OrderedLibrary extends SourceLibrary {
  [unorderedIds]? (query: LibraryQuery, call: LibraryCall): AsyncIterable<readonly string[]>
  [completes]? (id: string): boolean
}
