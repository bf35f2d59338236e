import type { LibraryCall, LibraryKind, LibraryQuery, SourceLibrary } from './source-library.ts'

/** Gives the ids of a list in any order: that of a library whose orders cost much. Its lists are read on demand. */
export const unorderedIds: unique symbol = Symbol('ids in any order')

/** Tells whether a library may know more of the item with an id than operations tell. Default: it may. */
export const completes: unique symbol = Symbol('completes')

/**
 * Marks a library that is stored: its lists and items come without its source, so that they are there while the source
 * is not. The value tells whether the library was read; before that it has nothing.
 */
export const stored: unique symbol = Symbol('stored')

/** Lists the sources that are not part of a library yet, by their ids. */
export const missingSources: unique symbol = Symbol('missing sources')

/** Tells whether the item with an id can be played now. Default: it can. */
export const playable: unique symbol = Symbol('playable')

/** Gives the ids of the favourites that were read last; `undefined` where none were read. */
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
