import type {
  LibraryFacets, LibraryItems, LibraryKind, LibraryQuery, RandomIds, SourceLibrary
} from '../contract/source-library.ts'
import { completeItems, type LibraryLists } from './complete-items.ts'
import { IndexBuilder } from './index-builder.ts'
import { LibraryIndex } from './library-index.ts'
import { runSteps } from './sort-in-steps.ts'

/** Returns items by id. The first item with an id counts. */
const byId = <T extends { readonly id: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  items.reduce((found, item) => found.has(item.id) ? found : found.set(item.id, item), new Map<string, T>())

/** A library of lists in memory. */
export class ArrayLibrary implements SourceLibrary {
  readonly revision: string
  readonly changedAt: number
  readonly #items: Readonly<Record<LibraryKind, ReadonlyMap<string, LibraryItems[LibraryKind]>>>
  /** Built on the first request for a list. */
  #index: LibraryIndex | undefined

  /** @param isWhole whether all tracks are there; else an album is whole whose number of tracks is known */
  constructor (
    lists: LibraryLists, { revision, changedAt }: { revision: string, changedAt: number }, isWhole: boolean
  ) {
    this.revision = revision
    this.changedAt = changedAt
    const { artists, albums, tracks } = completeItems({
      artists: [...byId(lists.artists).values()],
      albums: [...byId(lists.albums).values()],
      tracks: [...byId(lists.tracks).values()]
    }, isWhole)
    this.#items = { artists: byId(artists), albums: byId(albums), tracks: byId(tracks) }
  }

  ids (query: LibraryQuery): string[] { return this.#lists.ids(query) }

  randomIds (query: LibraryQuery, count: number): RandomIds { return this.#lists.randomIds(query, count) }

  items<K extends LibraryKind> (kind: K, ids: readonly string[]): (LibraryItems[K] | undefined)[] {
    return ids.map(id => this.item(kind, id))
  }

  item<K extends LibraryKind> (kind: K, id: string): LibraryItems[K] | undefined {
    return this.#items[kind].get(id) as LibraryItems[K] | undefined
  }

  all<K extends LibraryKind> (kind: K): LibraryItems[K][] {
    return [...this.#items[kind].values()] as LibraryItems[K][]
  }

  facets (kind: LibraryKind): LibraryFacets { return this.#lists.facets(kind) }

  /** How many there are of a kind. */
  count (kind: LibraryKind): number { return this.#items[kind].size }

  get #lists (): LibraryIndex {
    this.#index ??= this.#makeIndex()
    return this.#index
  }

  #makeIndex (): LibraryIndex {
    const builder = new IndexBuilder()
    for (const kind of ['artists', 'albums', 'tracks'] as const) {
      for (const item of this.#items[kind].values()) builder.add(kind, item)
    }
    return new LibraryIndex(runSteps(builder.build()))
  }
}
