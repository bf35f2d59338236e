import type { Album, Artist, Track } from '../../schemas/index.ts'

type Awaitable<T> = T | Promise<T>

/** The items of a library, by the names of their kinds. */
export interface LibraryItems { artists: Artist, albums: Album, tracks: Track }

export type LibraryKind = keyof LibraryItems

/**
 * What a list is sorted by. `artist` is the name of an album's artist, `album` is album by album in the order of their
 * names and of their tracks; `added` is when the source got it, `plays` and `played` are how often and when last the
 * account has played it.
 */
export type LibrarySort = 'name' | 'artist' | 'album' | 'year' | 'added' | 'plays' | 'played'

/** What a list is of. What is left out limits nothing. */
export interface LibraryQuery {
  readonly kind: LibraryKind
  /**
   * Every source sorts artists by `name`, albums by `name`, `artist`, `year` and `added`, and tracks by `album`; others
   * are asked for where `facets` names them. Names are compared by `sortKey`, those of artists without their article.
   * What has no value comes last either way, equals are in the order of names; of `plays` and `played` nothing comes
   * that was not played. Default: `name`; of tracks any order that stays the same as long as `revision` does.
   */
  readonly sort?: LibrarySort | undefined
  /** Default: `asc`. */
  readonly order?: 'asc' | 'desc' | undefined
  /** Only names under this letter, as `letterOf` tells it. */
  readonly letter?: string | undefined
  /** Only tracks of a genre, in any case, and albums and artists that have one. */
  readonly genre?: string | undefined
  /** Id of an artist: only albums that are by the artist or have a track by the artist. Asked for with albums. */
  readonly artist?: string | undefined
  /** Id of an album: only its tracks, in its order. Asked for with tracks. */
  readonly album?: string | undefined
  /** Only tracks from one year to another, and albums that have one. Artists have no year. */
  readonly years?: readonly [from: number, to: number] | undefined
}

/** What there is to choose from. */
export interface LibraryFacets {
  /** How many there are of the kind. */
  readonly total: number
  /** What the kind can be sorted by for this account, the default first. */
  readonly sorts: readonly LibrarySort[]
  /** Those that names of the kind stand under, in the order of names. */
  readonly letters: readonly string[]
  /** Those that the kind has, the latest first. */
  readonly years: readonly number[]
  /** By name, each once however it is written. Those of the whole library, whatever the kind. */
  readonly genres: readonly LibraryGenre[]
  /** Composers by name, where the source knows them and its search finds tracks by them; with artists. */
  readonly composers?: readonly LibraryComposer[]
}

export interface LibraryComposer {
  readonly name: string
  /** How many tracks are by this composer. */
  readonly tracks: number
}

export interface LibraryGenre {
  readonly name: string
  /** How many it has. */
  readonly tracks: number
  /** How many are of it or have a track of it. */
  readonly albums: number
}

/** A random choice of ids. */
export interface RandomIds {
  /** Each at most once, in a random order: as many as were wanted, or all that the query names. */
  readonly ids: readonly string[]
  /** The number of ids to choose from. An estimate is enough for a part of a long list. */
  readonly total: number
}

/** Of who asks. */
export interface LibraryCall { readonly signal: AbortSignal }

/**
 * A source that can list all its music: one member of its adapter, for every protocol. Protocols keep ids of lists that
 * are paged through, and nothing else. Errors are those of an adapter; a library that fails fails whole, since apps
 * delete what a smaller one does not have.
 *
 * @see docs/guide/library.md
 */
export interface SourceLibrary {
  /**
   * Ids of all that a query names, in its order, each once. A long list may come in parts: the first page is shown as
   * soon as its part is there, and the others are asked for one after the other.
   */
  ids (query: LibraryQuery, call: LibraryCall): Awaitable<readonly string[] | AsyncIterable<readonly string[]>>
  /**
   * Chooses at most `count` of the ids that a query names, without reading all of them. The query has no order, artist
   * or album. Default, also for `undefined`: they are chosen from `ids`.
   */
  randomIds? (query: LibraryQuery, count: number, call: LibraryCall): Awaitable<RandomIds | undefined>
  /**
   * The items with these ids, 200 at most: as many, in their order, as they are now. An id that was another one before
   * gives what it has become, one that is gone `undefined`. An album has its artists in its extras, how long its tracks
   * take and when it was added; an artist the number of own albums; a track its disc and number, when it was added, and
   * since when the account has it among its favourites.
   */
  items<K extends LibraryKind> (
    kind: K, ids: readonly string[], call: LibraryCall
  ): Awaitable<readonly (LibraryItems[K] | undefined)[]>
  /** What there is to choose from. */
  facets (kind: LibraryKind, call: LibraryCall): Awaitable<LibraryFacets>
  /**
   * Those of the ids that have become others, with what they are now: what apps keep by an id, such as ratings, stays
   * with it. Default: ids stay as they are.
   */
  currentIds? (kind: LibraryKind, ids: readonly string[], call: LibraryCall): Awaitable<ReadonlyMap<string, string>>
  /** Another one whenever lists, facets or ids could be others; plays change none. Ids of lists are kept by it. */
  readonly revision: string
  /** When that was, in Unix milliseconds. Apps that know it ask for nothing more. */
  readonly changedAt: number
}

/** What the check asks the library of a source in development. */
export type LibraryQuestion =
  | { readonly ask: 'state' }
  | { readonly ask: 'ids', readonly query: LibraryQuery }
  | { readonly ask: 'facets', readonly kind: LibraryKind }
  | { readonly ask: 'items', readonly kind: LibraryKind, readonly ids: readonly string[] }
