import { randomUUID } from 'node:crypto'
import type { Track } from '../../schemas/index.ts'
import { CachedValue } from '../async/cached-value.ts'
import { elapsed } from '../async/elapsed.ts'
import type { IdList } from '../async/id-list.ts'
import type { LibraryFacets, LibraryItems, LibraryKind, LibraryQuery } from '../contract/source-library.ts'
import { ArrayLibrary } from './array-library.ts'
import {
  isEmpty, LibraryReader, type GatheringCall, type LibraryLimits, type NotedItems, type PartName, type Parts
} from './library-reader.ts'
import { cut, mergeParts, type Part } from './merge-parts.ts'

/** What lists are made of: the library of a source, or what can be found of one that has none. */
export interface ShownLibrary {
  ids (query: LibraryQuery): Promise<readonly string[]>
  /** The same in any order. */
  unordered (query: LibraryQuery): Promise<readonly string[]>
  /** The same as `ids`, of which parts may still come. */
  list (query: LibraryQuery): IdList | Promise<readonly string[]>
  items<K extends LibraryKind> (kind: K, ids: readonly string[]): Promise<readonly (LibraryItems[K] | undefined)[]>
  facets (kind: LibraryKind): Promise<LibraryFacets>
  readonly changedAt: number | Promise<number>
}

/**
 * The library of a source that has none: favourites and playlists of the account, or without any what the source shows
 * to everybody.
 */
export class GatheredLibrary {
  readonly #limits: LibraryLimits
  readonly #items: NotedItems
  /** Artists and albums, and the tracks that came with them. */
  readonly #listing: CachedValue<ArrayLibrary>
  /** All tracks, those of every album too. */
  readonly #songs: CachedValue<ArrayLibrary>
  #parts: Parts = new Map()
  /** When all parts were read. */
  #readAt = 0
  /** Parts that are older than a change. */
  readonly #changed = new Set<PartName>()
  /** Tracks of albums by the album's id. */
  #albums = new Map<string, readonly Track[]>()

  /** @param late makes what is thrown while it is still being read */
  constructor (limits: LibraryLimits, items: NotedItems, late: () => Error) {
    this.#limits = limits
    this.#items = items
    this.#listing = new CachedValue(limits.ttl * 1000, limits.maxWait, late)
    this.#songs = new CachedValue(limits.ttl * 1000, limits.maxWait, late)
  }

  /** The library as a call asks it. What was listed can be read as long as it is known. */
  of (call: GatheringCall): ShownLibrary {
    const listing = () => this.#listing.get(() => this.#buildListing(call))
    const songs = () => this.#songs.get(() => this.#buildSongs(call))
    // Those of one album are asked for where the source does not have it, so they came with the lists.
    const ids = async (query: LibraryQuery) => {
      const isOfAll = query.kind === 'tracks' && query.album === undefined
      return (isOfAll ? await songs() : await listing()).ids(query)
    }
    return {
      ids,
      unordered: ids,
      list: ids,
      items: async (kind, ids) => {
        const library = (kind === 'tracks' ? this.#songs.latest : undefined) ?? this.latest ?? await listing()
        const shown = kind === 'albums' ? this.#items.shown : kind === 'tracks' ? this.#items.tracks : undefined
        return ids.map(id => library.item(kind, id) ?? shown?.get(id) as LibraryItems[typeof kind] | undefined)
      },
      facets: async kind => (await listing()).facets(kind),
      get changedAt () { return listing().then(({ changedAt }) => changedAt) }
    }
  }

  /** What was read last, without reading anything. */
  get latest (): ArrayLibrary | undefined { return this.#listing.latest }

  /** How many songs are known so far. */
  get count (): number { return (this.#songs.latest ?? this.latest)?.count('tracks') ?? 0 }

  get isBuilding (): boolean { return this.#listing.isBuilding || this.#songs.isBuilding }

  /** Bytes in memory, roughly. */
  get bytes (): number {
    const { latest } = this
    return 500 * (latest?.count('artists') ?? 0) + 1000 * (latest?.count('albums') ?? 0) + 1500 * this.count
  }

  /** Reads everything anew, behind the calls. */
  restart (call: GatheringCall): void {
    this.#listing.forget()
    this.#songs.forget()
    this.#parts = new Map()
    this.#listing.get(() => this.#buildListing(call))
      .catch(error => call.warn(error, 'The library cannot be read'))
  }

  /** A part is older than a change of the account. */
  changed (name: PartName): void {
    this.#changed.add(name)
    this.#songs.outdate()
    this.#listing.outdate()
  }

  /** Everything may be older than the source. */
  outdate (): void {
    this.#readAt = -Infinity
    this.#songs.outdate()
    this.#listing.outdate()
  }

  async #buildListing (call: GatheringCall): Promise<ArrayLibrary> {
    call.share()
    const changed = [...this.#changed]
    this.#changed.clear()
    try {
      if (!await this.#readAgain(call, changed)) await this.#readAll(call)
    } catch (error) {
      this.#parts = new Map()
      throw error
    }
    return this.#libraryOf(call, this.#parts.values())
  }

  /** @returns whether reading some parts was enough */
  async #readAgain (call: GatheringCall, changed: readonly PartName[]): Promise<boolean> {
    const isOld = elapsed() - this.#readAt >= this.#limits.ttl * 1000
    // What everybody is shown stands for an account without anything, and goes with the first thing it has.
    if (changed.length === 0 || isOld || this.#parts.size === 0 || this.#parts.has('new')) return false
    const parts = this.#parts
    const reader = new LibraryReader(call, this.#limits, this.#items)
    for (const name of changed) parts.set(name, await reader.part(name))
    if (changed.includes('artists')) await reader.discographies(parts)
    return !isEmpty(parts) && parts === this.#parts
  }

  async #readAll (call: GatheringCall): Promise<void> {
    this.#readAt = elapsed()
    this.#parts = await new LibraryReader(call, this.#limits, this.#items).parts()
    this.#albums = new Map()
  }

  async #buildSongs (call: GatheringCall): Promise<ArrayLibrary> {
    call.share()
    const listing = await this.#listing.current(() => this.#buildListing(call))
    const albums = listing.items('albums', listing.ids({ kind: 'albums' })).filter(album => album !== undefined)
    const missing = albums.filter(({ id }) => !this.#albums.has(id))
    const read = await new LibraryReader(call, this.#limits, this.#items).songs(missing)
    for (const [id, tracks] of read) this.#albums.set(id, tracks)
    const known = listing.items('tracks', listing.ids({ kind: 'tracks' })).filter(track => track !== undefined)
    const parts = albums.map(({ id }) => ({ tracks: this.#albums.get(id) ?? [] }))
    return this.#libraryOf(call, [{ albums }, ...parts, { tracks: known }], true)
  }

  /** What there is, within the limits. */
  #libraryOf (call: GatheringCall, parts: Iterable<Part>, isWhole = false): ArrayLibrary {
    const { lists, over } = cut(mergeParts(parts, call.listed, isWhole), this.#limits)
    if (over.length > 0) {
      call.log.warn(`Left ${over.join(' and ')} out of a library: there are more than it may have of ${over[0]}`)
    }
    for (const artist of lists.artists) this.#items.noteArtist(artist, artist.coverUrl)
    for (const album of lists.albums) this.#items.noteAlbum(album)
    for (const track of lists.tracks) this.#items.noteTrack(track)
    return new ArrayLibrary(lists, { revision: randomUUID(), changedAt: Date.now() }, false)
  }
}
