import type { LibraryKind } from '../contract/source-library.ts'
import type { Interned, InternedSets } from './interned.ts'
import { sortInSteps } from './sort-in-steps.ts'

/** The finished columns of a kind. */
export interface Columns {
  readonly ids: Interned
  readonly letter: Uint16Array
  /** Numbers of sets of genres and of years. */
  readonly genres: Uint32Array
  readonly years: Uint32Array
  readonly year: Float64Array
  readonly added: Float64Array
  /** Rows in the order of names, and the rank of each row in this order. */
  readonly byName: Uint32Array
  readonly nameRank: Uint32Array
  readonly artistRank: Uint32Array | undefined
}

/** A genre with its counts. */
export interface GenreCount { readonly name: string, tracks: number, albums: number }

/** The parts of a `LibraryIndex`. */
export interface IndexParts {
  readonly columns: Readonly<Record<LibraryKind, Columns>>
  readonly letters: readonly string[]
  readonly genreIds: Interned
  readonly genreSets: InternedSets
  readonly genres: readonly GenreCount[]
  readonly yearSets: InternedSets
  /** Rows of tracks, album by album in the order of album names, and the start of each album in this list. */
  readonly byAlbum: Uint32Array
  readonly albumStarts: Uint32Array
  /** Rows of the albums that are by an artist or have a track by the artist. */
  readonly albumsOf: ReadonlyMap<string, ReadonlySet<number>>
}

/** Returns the rank of each row. Rows with the same key have the same rank. */
export function ranksOf (order: Uint32Array, keys: readonly string[]): Uint32Array {
  const ranks = new Uint32Array(order.length)
  let rank = 0
  for (const [at, row] of order.entries()) {
    if (at > 0 && keys[row] !== keys[order[at - 1]!]) rank++
    ranks[row] = rank
  }
  return ranks
}

export function * orderBy (keys: readonly string[]): Generator<void, Uint32Array, undefined> {
  const order = Uint32Array.from(keys.keys())
  yield * sortInSteps(order, (a, b) => keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : 0)
  return order
}
