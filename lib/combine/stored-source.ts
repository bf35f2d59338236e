import { LRUCache } from 'lru-cache'
import type { OfferedSource } from '../client/index.ts'
import { elapsed } from '../async/elapsed.ts'
import { handled } from '../async/handled.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { UnsupportedFeatureError } from '../contract/errors.ts'
import { missingSources, stored, type OrderedLibrary } from '../contract/ordered-library.ts'
import { partialOf } from '../contract/partial.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import { ArrayLibrary, MirroredLibrary, type Text } from '../library/internal.ts'
import { lruOptions } from '../options/lru-options.ts'
import { urlExpiry } from '../text/url-expiry.ts'
import { listOf } from './namespaced-source.ts'
import type { RequestPart } from './library-request.ts'
import { SourceReader } from './source-reader.ts'
import { isUsable, itemOf, recordOf } from './source-records.ts'

/** The number of ids in a request, and the maximum number of concurrent requests. */
const atATime = 50
const atOnce = 4

/** Times in milliseconds for which favourites and found items are cached, and before the expiry of a URL. */
const ttls = { favourites: 5000, found: 300_000, margin: 60_000 }

/** The library without lists, for requests that come through another source. */
const empty = new ArrayLibrary({ artists: [], albums: [], tracks: [] }, { revision: '', changedAt: 0 }, true)

/** The operations that change favourites. */
const changes = ['favoriteTrack', 'favoriteAlbum', 'favoriteArtist'] as const

/** The ids of favourites. A kind is `undefined` if the source does not list its favourites. */
type Favourites = Readonly<Record<LibraryKind, ReadonlySet<string> | undefined>>

/** The stored library of another source, for one token of it. */
export class StoredSource {
  readonly #request: RequestPart
  /** Aborts the requests. */
  readonly #ending: AbortController
  readonly #library: MirroredLibrary
  /** Records that the library lacks, by kind and id. `undefined` if the source lacks them too. */
  readonly #found = new LRUCache<string, { readonly record: Text | undefined }>(lruOptions(10_000))
  /** URLs of covers until they expire, by kind and id. */
  readonly #covers = new LRUCache<string, string>(lruOptions(10_000))
  #favourites: Favourites | undefined
  #reading: { readonly favourites: Promise<Favourites | undefined>, readonly at: number } | undefined

  constructor (
    request: RequestPart, options: ConstructorParameters<typeof MirroredLibrary>[1],
    { background, ending }: { readonly background: boolean | undefined, readonly ending: AbortController }
  ) {
    this.#request = request
    this.#ending = ending
    this.#library = new MirroredLibrary(new SourceReader(request), options, background)
  }

  addTo (source: OfferedSource): OfferedSource {
    const { adapter } = source
    const changing = Object.fromEntries(changes.flatMap(name => {
      const change = adapter[name]
      const call = (...args: unknown[]) => handled(this.#change(async () => Reflect.apply(change!, adapter, args)))
      return change === undefined ? [] : [[name, call]]
    }))
    const libraryFor = () => this.#for(source)
    return { ...source, adapter: { ...adapter, ...changing, get library () { return libraryFor() } } }
  }

  close (): Promise<void> {
    const closed = this.#library.close()
    this.#ending.abort()
    return closed
  }

  #for ({ adapter, stateless, varyBy }: OfferedSource): OrderedLibrary | undefined {
    const library = this.#library.for({
      items: (kind, ids) => this.#items(stateless ? {} : adapter, kind, ids),
      favourites: kind => this.#favourites?.[kind] && [...this.#favourites[kind]]
    })
    if (library === undefined || varyBy === undefined) return library
    const { revision, changedAt } = empty
    return {
      ...library,
      [stored]: true,
      [missingSources]: [],
      ids: query => empty.ids(query),
      randomIds: (query, count) => empty.randomIds(query, count),
      facets: kind => empty.facets(kind),
      revision,
      changedAt
    }
  }

  async #items<K extends LibraryKind> (
    adapter: SourceAdapter, kind: K, ids: readonly string[]
  ): Promise<(LibraryItems[K] | undefined)[]> {
    const [records, favourites] = await Promise.all([
      this.#library.records(kind, ids, (ids, note) => this.#find(kind, ids, note)), this.#favouritesOf(adapter)
    ])
    const items = records.map(record => record && itemOf<K>(record))
    await this.#cover(kind, items)
    const known = favourites?.[kind]
    return known === undefined ? items : items.map(item => item && { ...item, favorite: known.has(item.id) })
  }

  /** Requests items that the library lacks, and caches also that the source lacks them. */
  async #find (
    kind: LibraryKind, ids: readonly string[], note: (id: string, record: Text) => void
  ): Promise<void> {
    const keyOf = (id: string) => `${kind} ${id}`
    const lacking = ids.filter(id => !this.#found.has(keyOf(id)))
    const records = await this.#read(kind, lacking)
    for (const id of lacking) this.#found.set(keyOf(id), { record: records.get(id) }, { ttl: ttls.found })
    for (const id of ids) {
      const record = this.#found.get(keyOf(id))?.record
      if (record !== undefined) note(id, record)
    }
  }

  /** Sets the URLs of covers, which would have expired in the store. They are empty while the source is unavailable. */
  async #cover (kind: LibraryKind, items: readonly (LibraryItems[LibraryKind] | undefined)[]): Promise<void> {
    const covered = kind === 'artists' ? 'artists' : 'albums'
    const owners = items.flatMap(item => item === undefined ? [] : 'album' in item ? [item.album] : [item])
      .filter(({ coverUrl }) => coverUrl === null)
    const lacking = [...new Set(owners.map(({ id }) => id))].filter(id => !this.#covers.has(`${covered} ${id}`))
    if (lacking.length > 0) await this.#library.soon(() => this.#read(covered, lacking))
    for (const owner of owners) owner.coverUrl = this.#covers.get(`${covered} ${owner.id}`) ?? ''
  }

  /** Requests items by their ids. */
  async #read (kind: LibraryKind, ids: readonly string[]): Promise<ReadonlyMap<string, Text>> {
    const records = new Map<string, Text>()
    const parts = Array.from({ length: Math.ceil(ids.length / atATime) }, (_empty, at) =>
      ids.slice(at * atATime, (at + 1) * atATime))
    await forEachLimited(parts, atOnce, async some => {
      const { items } = await this.#request({ kind, id: some })
      if (!Array.isArray(items)) return
      for (const item of items.filter(item => isUsable(kind, item))) records.set(item.id, item)
    })
    for (const id of ids) this.#noteCover(kind, id, records.get(id))
    return new Map([...records].map(([id, item]) => [id, recordOf(item)]))
  }

  #noteCover (kind: LibraryKind, id: string, item: Text | undefined): void {
    const album = kind === 'tracks' ? item?.album as Text | undefined : undefined
    const key = album === undefined ? `${kind} ${id}` : `albums ${album.id}`
    const url = String((album ?? item)?.coverUrl ?? '')
    const left = (urlExpiry(url) ?? Infinity) - Date.now() - ttls.margin
    this.#covers.set(key, url, { ttl: left === Infinity ? ttls.found : Math.max(1000, left) })
  }

  async #favouritesOf (adapter: SourceAdapter): Promise<Favourites | undefined> {
    if (this.#reading === undefined || elapsed() - this.#reading.at >= ttls.favourites) {
      this.#reading = { at: elapsed(), favourites: this.#library.soon(() => this.#readFavourites(adapter)) }
    }
    const reading = this.#reading
    const read = await reading.favourites
    // The favourites may have changed meanwhile.
    if (read !== undefined && reading === this.#reading) this.#favourites = read
    return read ?? this.#favourites
  }

  async #readFavourites (adapter: SourceAdapter): Promise<Favourites> {
    const [artists, albums, tracks] = await Promise.all((['artists', 'albums', 'tracks'] as const).map(async kind => {
      const list = await offeredList(adapter, kind)
      // Some favourites of a part are missing.
      const before = partialOf(list).length > 0 ? this.#favourites?.[kind] : undefined
      return before ?? (list && new Set(list.map(({ id }) => id)))
    }))
    return { artists, albums, tracks }
  }

  async #change<T> (change: () => Promise<T>): Promise<T> {
    try {
      return await change()
    } finally {
      this.#reading = undefined
    }
  }
}

/** Returns the favourites of a kind, `undefined` if the source does not list them. */
async function offeredList (adapter: SourceAdapter, kind: LibraryKind): Promise<readonly { id: string }[] | undefined> {
  try {
    return await adapter[listOf[kind]]?.()
  } catch (error) {
    if (error instanceof UnsupportedFeatureError) return undefined
    throw error
  }
}
