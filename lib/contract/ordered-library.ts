import type { LibraryKind, SourceLibrary } from './source-library.ts'

/** Marks a library whose sort orders are expensive: its lists are read on demand. */
export const onDemand: unique symbol = Symbol('on demand')

/** Returns whether a library may have more data of the item with an id than the operations. Default: `true`. */
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

/**
 * Returns the ids of the sources that are unavailable now. The ids of their items begin with the source id and a colon.
 */
export const unavailable: unique symbol = Symbol('unavailable sources')

/** Pauses the calls of a stored library for its items: the source does not respond. */
export const pauseCalls: unique symbol = Symbol('pause calls')

/** Returns the ids of the last favourites read, `undefined` if favourites were never read. */
export const lastFavourites: unique symbol = Symbol('last favourites')

/** A change of an account. */
export interface LibraryChange { readonly operation: string, readonly id?: string | undefined }

/** A library that is retained between requests of an account. */
export interface KeptLibrary {
  /** An estimate of the bytes in memory. */
  readonly bytes: number
  /** Records a change of the account. */
  changed (change: LibraryChange): void
  /** Records that everything may have changed. */
  outdate (): void
  /** Ends reads. */
  close (): void
}

/** Stores the generated libraries of an account. */
export interface LibraryKeeper {
  /** Returns the library with a name. Creates it if it does not exist. */
  get<T extends KeptLibrary> (name: string, make: () => T): T
}

/** Waits a moment until generated libraries are up to date. */
export const prepare: unique symbol = Symbol('prepare')

/** Returns the library with the generated libraries of a `LibraryKeeper`. */
export const withKept: unique symbol = Symbol('with kept libraries')

/** A library that may be part of a combined library. */
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
