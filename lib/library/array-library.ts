import { createYield } from '../async/create-yield.ts'
import type {
  LibraryFacets, LibraryItems, LibraryKind, LibraryQuery, RandomIds, SourceLibrary
} from '../contract/source-library.ts'
import { completeItems, type LibraryLists } from './complete-items.ts'
import { IndexBuilder } from './index-builder.ts'
import type { LibraryIndex } from './library-index.ts'

/** Returns items by id. If an id occurs twice, the first item wins. */
const byId = <T extends { readonly id: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  items.reduce((found, item) => found.has(item.id) ? found : found.set(item.id, item), new Map<string, T>())

/** A library of lists in memory. */
export class ArrayLibrary implements SourceLibrary {
  readonly revision: string
  readonly changedAt: number
  readonly #items: Readonly<Record<LibraryKind, ReadonlyMap<string, LibraryItems[LibraryKind]>>>
  /** Built on the first request for a list. */
  #index: Promise<LibraryIndex> | undefined

  /**
   * @param isWhole whether the lists contain all tracks; otherwise an album is complete if its number of tracks is
   *   known
   */
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

  async ids (query: LibraryQuery): Promise<string[]> { return (await this.#lists).ids(query) }

  async randomIds (query: LibraryQuery, count: number): Promise<RandomIds> {
    return (await this.#lists).randomIds(query, count)
  }

  items<K extends LibraryKind> (kind: K, ids: readonly string[]): (LibraryItems[K] | undefined)[] {
    return ids.map(id => this.item(kind, id))
  }

  item<K extends LibraryKind> (kind: K, id: string): LibraryItems[K] | undefined {
    return this.#items[kind].get(id) as LibraryItems[K] | undefined
  }

  all<K extends LibraryKind> (kind: K): LibraryItems[K][] {
    return [...this.#items[kind].values()] as LibraryItems[K][]
  }

  async facets (kind: LibraryKind): Promise<LibraryFacets> { return (await this.#lists).facets(kind) }

  /** Returns the number of items of a kind. */
  count (kind: LibraryKind): number { return this.#items[kind].size }

  get #lists (): Promise<LibraryIndex> {
    this.#index ??= this.#makeIndex()
    return this.#index
  }

  async #makeIndex (): Promise<LibraryIndex> {
    const pause = createYield()
    const builder = new IndexBuilder()
    for (const kind of ['artists', 'albums', 'tracks'] as const) {
      for (const item of this.#items[kind].values()) {
        builder.add(kind, item)
        await pause()
      }
    }
    return builder.build()
  }
}
