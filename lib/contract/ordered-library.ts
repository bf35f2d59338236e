import type { LibraryKind, SourceLibrary } from './source-library.ts'

/** Marks a library whose orders cost much: its lists are read on demand. */
export const onDemand: unique symbol = Symbol('on demand')

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

/** Returns the ids of the sources that are not available now. Ids of their items begin with these ids and a colon. */
export const unavailable: unique symbol = Symbol('unavailable sources')

/** Pauses the calls of a stored library for its items: the source does not respond. */
export const pauseCalls: unique symbol = Symbol('pause calls')

/** Returns the ids of the last known favourites, `undefined` if favourites were never read. */
export const lastFavourites: unique symbol = Symbol('last favourites')

/** A change of an account. */
export interface LibraryChange { readonly operation: string, readonly id?: string | undefined }

/** A library that is kept from one request of an account to the next. */
export interface KeptLibrary {
  /** An estimate of the bytes in memory. */
  readonly bytes: number
  /** Notes a change of the account. */
  changed (change: LibraryChange): void
  /** Notes that everything may have changed. */
  outdate (): void
  /** Ends reads. */
  close (): void
}

/** Keeps the generated libraries of an account. */
export interface LibraryKeeper {
  /** Returns the library with a name. Makes it if there is none. */
  get<T extends KeptLibrary> (name: string, make: () => T): T
}

/** Waits a moment until generated libraries are up to date. */
export const prepare: unique symbol = Symbol('prepare')

/** Returns the library with the generated libraries of a keeper. */
export const withKept: unique symbol = Symbol('with kept libraries')

/** A library, which may be one of several others. */
export interface OrderedLibrary extends SourceLibrary {
  readonly [onDemand]?: true
  [completes]? (id: string): boolean
  readonly [stored]?: boolean | undefined
  readonly [missingSources]?: readonly string[]
  [playable]? (id: string): boolean
  [unavailable]? (): readonly string[]
  [lastFavourites]? (kind: LibraryKind): readonly string[] | undefined
  [pauseCalls]? (): void
  [withKept]? (keeper: LibraryKeeper): OrderedLibrary
  [prepare]? (): Promise<void>
}
