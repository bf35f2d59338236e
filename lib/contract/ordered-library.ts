import type { LibraryCall, LibraryKind, LibraryQuery, SourceLibrary } from './source-library.ts'

/** Gives the ids of a list in any order: that of a library whose orders cost much. Its lists are read on demand. */
export const unorderedIds: unique symbol = Symbol('ids in any order')

/** Tells whether a library may know more of the item with an id than operations tell. Default: it may. */
export const completes: unique symbol = Symbol('completes')

/**
 * Marks a stored library, which serves lists and items while its source is unavailable. The value is `false` before the
 * first complete read: the library then has no lists.
 */
export const stored: unique symbol = Symbol('stored')

/** The ids of the sources that are not part of a library yet. */
export const missingSources: unique symbol = Symbol('missing sources')

/** Returns whether the item with an id can be played now. Default: `true`. */
export const playable: unique symbol = Symbol('playable')

/** Returns the ids of the last known favourites, `undefined` if favourites were never read. */
export const lastFavourites: unique symbol = Symbol('last favourites')

/** A library, which may be one of several others. */
export interface OrderedLibrary extends SourceLibrary {
  [unorderedIds]? (query: LibraryQuery, call: LibraryCall): AsyncIterable<readonly string[]>
  [completes]? (id: string): boolean
  readonly [stored]?: boolean
  readonly [missingSources]?: readonly string[]
  [playable]? (id: string): boolean
  [lastFavourites]? (kind: LibraryKind): readonly string[] | undefined
}
