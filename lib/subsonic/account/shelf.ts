import type { Track } from '../../../schemas/index.ts'
import type { CheckedOptions, ShelfLimits, SubsonicLibrary } from '../check-options.ts'
import type { AnswerOf, Session } from '../session.ts'
import { Level } from './level.ts'
import { Listing, type Part } from './listing.ts'
import type { Memory } from './memory.ts'
import { isEmpty, ShelfReader, type PartName, type Parts } from './read-shelf.ts'

/**
 * What apps are shown as the library of an account: its favourites and playlists, or without any what the source shows
 * to everybody. A source that can list itself gives the whole.
 */
export class Shelf {
  readonly #library: CheckedOptions['library']
  readonly #limits: ShelfLimits
  readonly #memory: Memory
  readonly #listing: Level<Listing>
  readonly #songs: Level<readonly Track[]>
  #parts: Parts = new Map()
  /** Tracks of albums by the album's id. */
  #albums = new Map<string, readonly Track[]>()

  constructor (library: CheckedOptions['library'], limits: ShelfLimits, memory: Memory) {
    this.#library = library
    this.#limits = limits
    this.#memory = memory
    this.#listing = new Level(limits.ttl * 1000, limits.patience * 1000)
    this.#songs = new Level(limits.ttl * 1000, limits.patience * 1000)
  }

  /** Artists and albums, and the tracks that came with them. */
  async listing (session: Session): Promise<Listing> {
    return this.#listing.get(() => this.#buildListing(session))
  }

  /** All tracks, those of every album too. */
  async songs (session: Session): Promise<readonly Track[]> {
    return this.#songs.get(() => this.#buildSongs(session))
  }

  /** How many songs are known so far. */
  get count (): number {
    return this.#songs.latest?.length ?? this.#listing.latest?.tracks.length ?? 0
  }

  /** What was read last, without reading anything. */
  get latest (): Listing | undefined { return this.#listing.latest }

  get isBuilding (): boolean {
    return this.#listing.isBuilding || this.#songs.isBuilding
  }

  /** Reads everything anew, behind the calls. */
  restart (session: Session): void {
    this.#listing.forget()
    this.#songs.forget()
    this.#albums = new Map()
    this.listing(session).catch(error => session.warn(error, 'The library cannot be read'))
  }

  /** Reads parts again after a change of the account, if they were read before. */
  async refresh (session: Session, ...names: PartName[]): Promise<void> {
    if (this.#library !== undefined || names.length === 0) return
    this.#songs.outdate()
    // What everybody is shown stands for an account without anything, and goes with the first thing it has.
    if (this.#listing.isBuilding || this.#listing.latest === undefined || this.#parts.has('new')) {
      return this.#listing.outdate()
    }
    const reader = new ShelfReader(session, this.#limits, this.#memory)
    try {
      for (const name of names) this.#parts.set(name, await reader.part(name))
      if (names.includes('artists')) await reader.discographies(this.#parts)
      if (isEmpty(this.#parts)) return this.#listing.outdate()
      this.#listing.replace(this.#within(session, this.#parts.values()))
    } catch {
      this.#listing.outdate()
    }
  }

  async #buildListing (session: Session): Promise<Listing> {
    session.detach()
    if (this.#library !== undefined) return readLibrary(session, this.#library, this.#memory)
    const parts = await new ShelfReader(session, this.#limits, this.#memory).parts()
    this.#parts = parts
    this.#albums = new Map()
    return this.#within(session, parts.values())
  }

  async #buildSongs (session: Session): Promise<readonly Track[]> {
    session.detach()
    const listing = await this.#listing.current(() => this.#buildListing(session))
    if (this.#library !== undefined) return listing.tracks
    const missing = listing.albums.filter(({ id }) => !this.#albums.has(id))
    const read = await new ShelfReader(session, this.#limits, this.#memory).songs(missing)
    for (const [id, tracks] of read) this.#albums.set(id, tracks)
    const parts = listing.albums.map(({ id }) => ({ tracks: this.#albums.get(id) ?? [] }))
    return this.#within(session, [...parts, { tracks: listing.tracks }], true).tracks
  }

  /**
   * What there is, within the limits.
   *
   * @param isWhole whether artists and albums of tracks are left out
   */
  #within (session: Session, parts: Iterable<Part>, isWhole = false): Listing {
    const listing = new Listing(parts, this.#memory, isWhole)
    const over = (['artists', 'albums', 'tracks'] as const).filter(kind => listing[kind].length > this.#limits[kind])
    if (over.length === 0) return listing
    session.log.warn(`Left ${over.join(' and ')} out of a library: there are more than limits.${over[0]} allows`)
    const { artists, albums, tracks } = listing
    return new Listing([{
      artists: artists.slice(0, this.#limits.artists),
      albums: albums.slice(0, this.#limits.albums),
      tracks: tracks.slice(0, this.#limits.tracks)
    }], this.#memory, true)
  }
}

type Items<T> = Iterable<T> | AsyncIterable<T>

async function collect<T> (items: Items<T> | (() => Items<T>)): Promise<T[]> {
  const collected: T[] = []
  for await (const item of typeof items === 'function' ? items() : items) collected.push(item)
  return collected
}

async function readLibrary (
  session: Session, library: NonNullable<CheckedOptions['library']>, memory: Memory
): Promise<Listing> {
  const given: SubsonicLibrary = await library(session.context, { signal: session.signal })
  const read = async <M extends 'userArtists' | 'userAlbums' | 'userFavoriteTracks'>(
    method: M, items: Items<unknown> | (() => Items<unknown>)
  ) => session.readData(method, await collect(items)) as AnswerOf<M>
  const [artists, albums, tracks] = await Promise.all([
    read('userArtists', given.artists), read('userAlbums', given.albums), read('userFavoriteTracks', given.tracks)
  ])
  const byAlbum = new Map<string, Track[]>()
  for (const track of tracks) {
    const ofAlbum = byAlbum.get(track.album.id)
    if (ofAlbum === undefined) byAlbum.set(track.album.id, [track])
    else ofAlbum.push(track)
  }
  for (const [id, ofAlbum] of byAlbum) memory.noteWhole(id, ofAlbum)
  return new Listing([{ artists, albums, tracks }], memory, true)
}
