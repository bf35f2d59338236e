import type { Album, Artist, Track } from '../../schemas/index.ts'

type Awaitable<T> = T | Promise<T>

/** The items of a library, by the names of their kinds. */
export interface LibraryItems { artists: Artist, albums: Album, tracks: Track }

export type LibraryKind = keyof LibraryItems

/**
 * A sort key of a list. `artist` is the name of an album's artist. `album` sorts tracks by album name, then by position
 * on the album. `added` is the time at which the source got the item. `plays` and `played` are the account's play count
 * and last play.
 */
export type LibrarySort = 'name' | 'artist' | 'album' | 'year' | 'added' | 'plays' | 'played'

/** A query for a list. Omitted properties do not filter. */
export interface LibraryQuery {
  readonly kind: LibraryKind
  /**
   * The sort key. Every source sorts artists by `name`, albums by `name`, `artist`, `year` and `added`, and tracks by
   * `album`. Other keys are used only if `facets` lists them. Names are compared by `sortKey`, names of artists without
   * their article. Items without a value come last in both directions. Items with equal values are sorted by name.
   * Lists by `plays` and `played` contain only played items. Default: `name`; for tracks, any order that is stable
   * while `revision` is.
   */
  readonly sort?: LibrarySort | undefined
  /** The direction. Default: `asc`. */
  readonly order?: 'asc' | 'desc' | undefined
  /** Only names under this letter, as returned by `letterOf`. */
  readonly letter?: string | undefined
  /** Only tracks of a genre (case-insensitive), and albums and artists with a track of the genre. */
  readonly genre?: string | undefined
  /** An artist id: only albums by the artist or with a track by the artist. Used with albums. */
  readonly artist?: string | undefined
  /** An album id: only the tracks of the album, in album order. Used with tracks. */
  readonly album?: string | undefined
  /** Only tracks within a range of years, and albums with such a track. Artists have no year. */
  readonly years?: readonly [from: number, to: number] | undefined
}

/** The filters and sort keys that this library supports. */
export interface LibraryFacets {
  /** The number of items of the kind. */
  readonly total: number
  /** The sort keys of the kind for this account. The first one is the default. */
  readonly sorts: readonly LibrarySort[]
  /** The letters under which the kind has names, in the order of names. */
  readonly letters: readonly string[]
  /** The years of the kind, the latest first. */
  readonly years: readonly number[]
  /** The genres of the complete library, whatever the kind, sorted by name. Different spellings are one genre. */
  readonly genres: readonly LibraryGenre[]
  /** Composers by name, if the source has them and its search finds tracks by composer. Only with artists. */
  readonly composers?: readonly LibraryComposer[]
}

export interface LibraryComposer {
  readonly name: string
  /** The number of tracks by this composer. */
  readonly tracks: number
}

export interface LibraryGenre {
  readonly name: string
  /** The number of tracks of the genre. */
  readonly tracks: number
  /** The number of albums that are of the genre or have a track of it. */
  readonly albums: number
}

/** A random choice of ids. */
export interface RandomIds {
  /** Distinct ids in random order: the requested number, or all ids of the query if there are fewer. */
  readonly ids: readonly string[]
  /** The number of ids to choose from. An estimate is enough for a part of a long list. */
  readonly total: number
}

/** Options of one library call. */
export interface LibraryCall { readonly signal: AbortSignal }

/**
 * A source that can list all its music: one property of its adapter, used by every protocol. Protocols cache only the
 * ids of lists for paging. Errors are the errors of an adapter. A failing library must fail completely, because apps
 * delete items that are missing from a shorter list.
 *
 * @see docs/reference/library.md
 */
export interface SourceLibrary {
  /**
   * Returns the ids of all items of a query, in order, without duplicates. A long list may be returned in parts: the
   * first page is shown as soon as its part arrives, and further parts are read one after the other.
   */
  ids (query: LibraryQuery, call: LibraryCall): Awaitable<readonly string[] | AsyncIterable<readonly string[]>>
  /**
   * Returns at most `count` random ids of a query, without reading all of them. The query has no order, artist or
   * album. Default, also for `undefined`: the ids are chosen from `ids`.
   */
  randomIds? (query: LibraryQuery, count: number, call: LibraryCall): Awaitable<RandomIds | undefined>
  /**
   * Returns the current items with these ids, at most 200, in the same order. An id that has changed returns the item
   * with the new id. A deleted item returns `undefined`. The extras of an album contain its artists, the duration of
   * its tracks and the time at which it was added. The extras of an artist contain the number of albums by the artist.
   * The extras of a track contain its disc, its number, the time at which it was added, and the time since which it is
   * a favourite of the account.
   */
  items<K extends LibraryKind> (
    kind: K, ids: readonly string[], call: LibraryCall
  ): Awaitable<readonly (LibraryItems[K] | undefined)[]>
  /** Returns the filters and sort keys of a kind. */
  facets (kind: LibraryKind, call: LibraryCall): Awaitable<LibraryFacets>
  /**
   * Returns the ids that have changed, with their current ids, so that apps' data such as ratings follow the item.
   * Default: ids do not change.
   */
  currentIds? (kind: LibraryKind, ids: readonly string[], call: LibraryCall): Awaitable<ReadonlyMap<string, string>>
  /**
   * A string that changes whenever lists, facets or ids may have changed. Plays do not change it. It is the cache key
   * of id lists.
   */
  readonly revision: string
  /**
   * The time of the last change of `revision` in Unix milliseconds. Apps that have this state skip further requests.
   */
  readonly changedAt: number
}

/** A question of the check to the library of a source in development. */
export type LibraryQuestion =
  | { readonly ask: 'state' }
  | { readonly ask: 'ids', readonly query: LibraryQuery }
  | { readonly ask: 'facets', readonly kind: LibraryKind }
  /** A number stands for that many ids from the beginning of the list: a URL would be too long for them. */
  | { readonly ask: 'items', readonly kind: LibraryKind, readonly ids: readonly string[] | number }
  | { readonly ask: 'randomIds', readonly query: LibraryQuery, readonly count: number }
  | { readonly ask: 'currentIds', readonly kind: LibraryKind, readonly ids: readonly string[] }
