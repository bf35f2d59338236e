import { createHash } from 'node:crypto'
import type { Album, Track } from '../../schemas/index.ts'
import { extras } from '../../schemas/extras.ts'
import { CachedValue } from '../async/cached-value.ts'
import { elapsed } from '../async/elapsed.ts'
import { IdList } from '../async/id-list.ts'
import { createYield } from '../async/create-yield.ts'
import { SourceError } from '../contract/errors.ts'
import type { KeptLibrary, LibraryChange } from '../contract/ordered-library.ts'
import type { LibraryFacets, LibraryItems, LibraryKind, LibraryQuery, RandomIds } from '../contract/source-library.ts'
import { isReported, noteReported } from '../errors/reported.ts'
import { ArrayLibrary } from './array-library.ts'
import type { LibraryLists } from './complete-items.ts'
import { cut, mergeParts, type LibraryPart } from './merge-parts.ts'
import {
  isEmpty, listedBy, mostItems, pace, PartsReader, type GeneratingCall, type PartName, type Parts
} from './parts-reader.ts'

/** The library of a source for one request: the adapter's library, or a generated one. */
export interface ShownLibrary {
  ids (query: LibraryQuery): Promise<readonly string[]>
  /** Chooses at most `count` random ids of the query. */
  random (query: LibraryQuery, count: number): Promise<RandomIds>
  /** Returns the same ids as `ids`, of which parts may still come. */
  list (query: LibraryQuery): IdList
  items<K extends LibraryKind> (kind: K, ids: readonly string[]): Promise<readonly (LibraryItems[K] | undefined)[]>
  facets (kind: LibraryKind): Promise<LibraryFacets>
  readonly changedAt: number | Promise<number>
}

/** Times of a generated library. Tests change them. */
export const times = {
  /** The milliseconds after which it is read again, when it is used. */
  ttl: 600_000,
  /** The maximum time in milliseconds that a request waits for it. */
  maxWait: 25_000
}

/** The milliseconds after which the tracks of unchanged albums are read again, if there are many albums. */
const day = 86_400_000

/** The operations that change a part of a library. */
const partOf: Readonly<Record<string, PartName>> =
  { favoriteTrack: 'tracks', favoriteAlbum: 'albums', favoriteArtist: 'artists' }

/** The error of a request that has waited for the first read. */
class StillRead extends SourceError {
  constructor () { super(503, 'The library is still being read, try again') }
}

const late = () => noteReported(new StillRead())

/** Returns whether a request has failed because a library was never read completely. */
export const isStillRead = (error: unknown): boolean => error instanceof StillRead

const report = (call: GeneratingCall, error: unknown) => {
  if (!isReported(error)) call.warn(error, 'library not read')
}

/** The tracks of an album, with the description of the album in lists at that time. */
interface ReadAlbum { readonly tracks: readonly Track[], readonly of: string, readonly at: number }

/**
 * The library of a source without one: the favourites and playlists of the account; without any, the public lists. It
 * is read when it is used, and stays while the source is unavailable.
 */
export class GeneratedLibrary implements KeptLibrary {
  /** Artists and albums, and the tracks that came with them. */
  readonly #listing: CachedValue<ArrayLibrary>
  /** All tracks, including the tracks of every album. */
  readonly #songs: CachedValue<ArrayLibrary>
  readonly #ttl: number
  readonly #closing = new AbortController()
  #parts: Parts = new Map()
  /** The time of the last read of all parts. */
  #readAt = 0
  /** Parts that are older than a change. */
  readonly #changed = new Set<PartName>()
  readonly #albums = new Map<string, ReadAlbum>()

  /** @param ttl the milliseconds after which it is read again */
  constructor (ttl = times.ttl) {
    this.#ttl = ttl
    this.#listing = new CachedValue(this.#ttl, times.maxWait, late, Infinity)
    this.#songs = new CachedValue(this.#ttl, times.maxWait, late, Infinity)
  }

  /** Returns the library for one request, which reads it if necessary. */
  of (call: GeneratingCall): ShownLibrary {
    const logged = async (building: Promise<ArrayLibrary>) => {
      building.catch(error => { if (this.latest !== undefined) report(call, error) })
      return building
    }
    const listing = () => this.#listing.get(() => logged(this.#buildListing(call)))
    const songs = () => this.#songs.get(() => logged(this.#buildSongs(call)))
    // The tracks of one album came with the lists, or are requested from the source.
    const libraryOf = ({ kind, album }: LibraryQuery) => kind === 'tracks' && album === undefined ? songs() : listing()
    const ids = async (query: LibraryQuery) => (await libraryOf(query)).ids(query)
    return {
      ids,
      random: async (query, count) => (await libraryOf(query)).randomIds(query, count),
      list: query => new IdList((async function * () { yield await ids(query) })()),
      items: async (kind, ids) => {
        const library = (kind === 'tracks' ? this.#songs.latest : undefined) ?? this.latest ?? await listing()
        return library.items(kind, ids)
      },
      facets: async kind => (await listing()).facets(kind),
      get changedAt () { return listing().then(({ changedAt }) => changedAt) }
    }
  }

  /** The last read library; `undefined` before the first complete read. */
  get latest (): ArrayLibrary | undefined { return this.#listing.latest }

  /** The last read libraries: the one of lists, and the one with all tracks. */
  get known (): readonly ArrayLibrary[] {
    return [this.latest, this.#songs.latest].filter(library => library !== undefined)
  }

  /** A string that changes with the library, and when its tracks have to be read again. */
  get revision (): string {
    return `${this.latest?.revision ?? ''} ${this.#songs.isFresh ? this.#songs.latest!.revision : ''}`
  }

  /** The time of the last change in Unix milliseconds, 0 before the first complete read. */
  get changedAt (): number { return Math.max(0, ...this.known.map(({ changedAt }) => changedAt)) }

  /** The number of known songs. */
  get count (): number { return (this.#songs.latest ?? this.latest)?.count('tracks') ?? 0 }

  get isBuilding (): boolean { return this.#listing.isBuilding || this.#songs.isBuilding }

  get bytes (): number {
    const { latest } = this
    return 500 * (latest?.count('artists') ?? 0) + 1000 * (latest?.count('albums') ?? 0) + 1500 * this.count
  }

  /** Reads everything again in the background. */
  restart (call: GeneratingCall): void {
    this.#listing.forget()
    this.#songs.forget()
    this.#parts = new Map()
    this.#albums.clear()
    this.#listing.get(() => this.#buildListing(call))
      .catch(error => report(call, error))
  }

  changed ({ operation, id }: LibraryChange): void {
    this.#changed.add(partOf[operation] ?? `playlist:${id ?? ''}`)
    this.#songs.outdate()
    this.#listing.outdate()
  }

  outdate (): void {
    this.#readAt = -Infinity
    this.#songs.outdate()
    this.#listing.outdate()
  }

  close (): void { this.#closing.abort() }

  async #buildListing (call: GeneratingCall): Promise<ArrayLibrary> {
    call.share()
    const changed = [...this.#changed]
    this.#changed.clear()
    try {
      if (!await this.#readAgain(call, changed)) await this.#readAll(call)
    } catch (error) {
      this.#parts = new Map()
      throw error
    }
    return this.#libraryOf(call, this.latest, this.#parts.values())
  }

  /** @returns whether reading some parts was enough */
  async #readAgain (call: GeneratingCall, changed: readonly PartName[]): Promise<boolean> {
    const isOld = elapsed() - this.#readAt >= this.#ttl
    // Public lists replace the favourites and playlists of an account that has none.
    const standsIn = this.#parts.has('new') && call.addsPublic !== true
    if (changed.length === 0 || isOld || this.#parts.size === 0 || standsIn) return false
    const parts = this.#parts
    const reader = new PartsReader(call, this.#closing.signal)
    for (const name of changed) parts.set(name, await reader.part(name))
    if (changed.includes('artists')) await reader.discographies(parts)
    return !isEmpty(parts) && parts === this.#parts
  }

  async #readAll (call: GeneratingCall): Promise<void> {
    this.#readAt = elapsed()
    this.#parts = await new PartsReader(call, this.#closing.signal).parts()
  }

  async #buildSongs (call: GeneratingCall): Promise<ArrayLibrary> {
    call.share()
    const listing = await this.#listing.current(() => this.#buildListing(call))
    const albums = listing.all('albums')
    const age = albums.length > pace.calls ? day : this.#ttl
    const missing = albums.filter(album => !this.#isRead(album, age))
    await new PartsReader(call, this.#closing.signal).songs(missing, (album, tracks) => {
      this.#albums.set(album.id, { tracks, of: JSON.stringify(album), at: elapsed() })
    })
    const listed = new Set(albums.map(({ id }) => id))
    for (const id of this.#albums.keys()) if (!listed.has(id)) this.#albums.delete(id)
    const parts = albums.map(({ id }) => ({ tracks: this.#albums.get(id)!.tracks }))
    return this.#libraryOf(call, this.#songs.latest, [{ albums }, ...parts, { tracks: listing.all('tracks') }], true)
  }

  #isRead (album: Album, age: number): boolean {
    const read = this.#albums.get(album.id)
    return read !== undefined && read.of === JSON.stringify(album) && elapsed() - read.at < age
  }

  /** Builds the library from parts, within the limits. An unchanged library is reused. */
  async #libraryOf (
    call: GeneratingCall, before: ArrayLibrary | undefined, parts: Iterable<LibraryPart>, isWhole = false
  ): Promise<ArrayLibrary> {
    const { lists, over } = cut(mergeParts(parts, listedBy(call), isWhole), mostItems)
    if (over.length > 0) call.log.warn({ kinds: over }, 'library too large')
    const revision = await revisionOf(lists)
    if (before?.revision === revision) return before
    return new ArrayLibrary(lists, { revision, changedAt: Date.now() }, false)
  }
}

/** Returns a digest of items, without blocking the event loop. */
async function revisionOf ({ artists, albums, tracks }: LibraryLists): Promise<string> {
  const pause = createYield()
  const digest = createHash('md5')
  for (const item of [...artists, ...albums, ...tracks]) {
    digest.update(JSON.stringify([item, item[extras]]))
    await pause()
  }
  return digest.digest('base64url')
}
