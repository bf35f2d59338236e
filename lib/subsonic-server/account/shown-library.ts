import { setImmediate } from 'node:timers/promises'
import type { Track } from '../../../schemas/index.ts'
import { elapsed } from '../../async/elapsed.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import type { ValidOptions, LibraryLimits } from '../subsonic-options.ts'
import type { RestSession } from '../session.ts'
import { CachedValue } from './cached-value.ts'
import type { ItemIndex } from './item-index.ts'
import { isEmpty, LibraryReader, type PartName, type Parts } from './library-reader.ts'
import { ListingBuilder, withoutFavorite } from './listing-builder.ts'
import type { ListedTrack } from './listed-track.ts'
import type { Listing, Part, PlacedTrack } from './listing.ts'
import { listedKinds, readTrackIds, readWholeLibrary } from './read-whole-library.ts'

/** Tracks that the source reads by their ids at a time. */
const atATime = 100

/**
 * What apps are shown as the library of an account: its favourites and playlists, or without any what the source shows
 * to everybody. A source that can list itself gives the whole.
 */
export class ShownLibrary {
  /** What its items tell of each other. */
  readonly items: ItemIndex
  readonly #options: ValidOptions
  readonly #limits: LibraryLimits
  readonly #listing: CachedValue<Listing>
  readonly #songs: CachedValue<readonly ListedTrack[]>
  /** Where the source lists them. */
  readonly #ids: CachedValue<ReadonlyMap<string, PlacedTrack>>
  #parts: Parts = new Map()
  /** When all parts were read. */
  #readAt = 0
  /** Parts that are older than a change. */
  readonly #changed = new Set<PartName>()
  /** Tracks of albums by the album's id. */
  #albums = new Map<string, readonly Track[]>()

  constructor (options: ValidOptions, items: ItemIndex) {
    const { limits } = options
    this.items = items
    this.#options = options
    this.#limits = limits
    this.#listing = new CachedValue(limits.ttl * 1000, limits.maxWait)
    this.#songs = new CachedValue(limits.ttl * 1000, limits.maxWait)
    this.#ids = new CachedValue(limits.ttl * 1000, limits.maxWait)
  }

  /** Artists and albums, and the tracks that came with them. */
  async listing (session: RestSession): Promise<Listing> {
    return this.#listing.get(() => this.#buildListing(session))
  }

  /** All tracks, those of every album too. */
  async songs (session: RestSession): Promise<readonly ListedTrack[]> {
    if (this.#options.library !== undefined) return (await this.listing(session)).tracks
    return this.#songs.get(() => this.#buildSongs(session))
  }

  /** The same tracks in any order, for who wants all of them: nothing else is read where the source lists their ids. */
  async everySong (session: RestSession): Promise<readonly { readonly id: string }[]> {
    const placed = await this.placed(session)
    return placed === undefined ? this.songs(session) : [...placed.values()]
  }

  /** Where its tracks are by their ids, if the source lists these. */
  async placed (session: RestSession): Promise<ReadonlyMap<string, PlacedTrack> | undefined> {
    return this.#options.trackIds && this.#ids.get(() => this.#readIds(session))
  }

  /** What is shown of its tracks, as the source has them now: those that are gone are left out. */
  async tracks (session: RestSession, listed: readonly { readonly id: string }[]): Promise<readonly Track[]> {
    if (this.#options.tracksByIds === undefined) return listed as readonly Track[]
    return this.tracksByIds(session, listed.map(({ id }) => id))
  }

  /** The tracks with these ids, where the source reads some by their ids; those that it does not have are left out. */
  async tracksByIds (session: RestSession, ids: readonly string[]): Promise<Track[]> {
    const { tracksByIds, sharedLibrary } = this.#options
    if (tracksByIds === undefined) return []
    const found = new Map<string, Track>()
    const context = await session.current()
    const isListed = listedKinds(session, sharedLibrary).has('tracks')
    for (let from = 0; from < ids.length; from += atATime) {
      const some = ids.slice(from, from + atATime)
      const tracks = await withTimeout(({ signal }) => tracksByIds(some, context, { signal }), session)
      for (const track of session.usable('userFavoriteTracks', tracks)) {
        found.set(track.id, isListed ? withoutFavorite(track) : track)
      }
      await setImmediate()
    }
    return ids.flatMap(id => found.get(id) ?? [])
  }

  /** How many songs are known so far. */
  get count (): number {
    return this.#songs.latest?.length ?? this.#ids.latest?.size ?? this.latest?.tracks.length ?? 0
  }

  /** Bytes in memory, roughly. */
  get bytes (): number {
    const [songs = 0, listed = 0] = [this.#songs.latest?.length, this.latest?.made.length]
    const inIndex = this.#options.sharedLibrary ? this.items.bytes : 0
    const ids = 200 * (this.#ids.latest?.size ?? 0)
    return inIndex + ids + (this.latest?.bytes ?? 0) + Math.max(0, songs - listed) * 1500
  }

  /** What was read last, without reading anything. */
  get latest (): Listing | undefined { return this.#listing.latest }

  get isBuilding (): boolean {
    return [this.#listing, this.#songs, this.#ids].some(({ isBuilding }) => isBuilding)
  }

  /** Reads everything anew, behind the calls. */
  restart (session: RestSession): void {
    this.#listing.forget()
    this.#songs.forget()
    this.#ids.forget()
    this.#parts = new Map()
    this.listing(session).catch(error => session.warn(error, 'The library cannot be read'))
  }

  /** A part is older than a change of the account. */
  changed (name: PartName): void {
    if (this.#options.library !== undefined) return
    this.#changed.add(name)
    this.#songs.outdate()
    this.#listing.outdate()
  }

  /** Everything may be older than the source. */
  outdate (): void {
    this.#readAt = -Infinity
    this.#songs.outdate()
    this.#ids.outdate()
    this.#listing.outdate()
  }

  async #buildListing (session: RestSession): Promise<Listing> {
    session.share()
    if (this.#options.library !== undefined) {
      const { trackIds } = this.#options
      const placed = trackIds && await this.#ids.current(() => this.#readIds(session))
      return readWholeLibrary(session, this.#options, this.items, placed && [...placed.values()])
    }
    const changed = [...this.#changed]
    this.#changed.clear()
    try {
      if (!await this.#readAgain(session, changed)) await this.#readAll(session)
    } catch (error) {
      this.#parts = new Map()
      throw error
    }
    return this.#within(session, this.#parts.values())
  }

  async #readIds (session: RestSession): Promise<ReadonlyMap<string, PlacedTrack>> {
    session.share()
    const placed = await readTrackIds(session, this.#options)
    this.items.listed = placed
    return placed
  }

  /** @returns whether reading some parts was enough */
  async #readAgain (session: RestSession, changed: readonly PartName[]): Promise<boolean> {
    const isOld = elapsed() - this.#readAt >= this.#limits.ttl * 1000
    // What everybody is shown stands for an account without anything, and goes with the first thing it has.
    if (changed.length === 0 || isOld || this.#parts.size === 0 || this.#parts.has('new')) return false
    const parts = this.#parts
    const reader = new LibraryReader(session, this.#limits, this.items)
    for (const name of changed) parts.set(name, await reader.part(name))
    if (changed.includes('artists')) await reader.discographies(parts)
    return !isEmpty(parts) && parts === this.#parts
  }

  async #readAll (session: RestSession): Promise<void> {
    this.#readAt = elapsed()
    this.#parts = await new LibraryReader(session, this.#limits, this.items).parts()
    this.#albums = new Map()
  }

  async #buildSongs (session: RestSession): Promise<readonly ListedTrack[]> {
    session.share()
    const listing = await this.#listing.current(() => this.#buildListing(session))
    const missing = listing.albums.filter(({ id }) => !this.#albums.has(id))
    const read = await new LibraryReader(session, this.#limits, this.items).songs(missing)
    for (const [id, tracks] of read) this.#albums.set(id, tracks)
    const parts = listing.albums.map(({ id }) => ({ tracks: this.#albums.get(id) ?? [] }))
    return this.#within(session, [...parts, { tracks: listing.tracks as readonly Track[] }], true).tracks
  }

  /**
   * What there is, within the limits.
   *
   * @param isWhole whether artists and albums of tracks are left out
   */
  #within (session: RestSession, parts: Iterable<Part>, isWhole = false): Listing {
    const make = (parts: Iterable<Part>, isWhole: boolean) => {
      const builder = new ListingBuilder(this.items, { listed: session.listed, isWhole })
      for (const part of parts) builder.add(part)
      return builder.build()
    }
    const listing = make(parts, isWhole)
    const over = (['artists', 'albums', 'tracks'] as const).filter(kind => listing[kind].length > this.#limits[kind])
    if (over.length === 0) return listing
    session.log.warn(`Left ${over.join(' and ')} out of a library: there are more than limits.${over[0]} allows`)
    const { artists, albums, tracks } = listing
    return make([{
      artists: artists.slice(0, this.#limits.artists),
      albums: albums.slice(0, this.#limits.albums),
      tracks: (tracks as readonly Track[]).slice(0, this.#limits.tracks)
    }], true)
  }
}
