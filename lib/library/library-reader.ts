import { extras } from '../../schemas/extras.ts'
import type { Album, Artist, Track } from '../../schemas/index.ts'
import { everyPage } from '../async/every-page.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { readWhole } from '../async/read-whole.ts'
import type { ReadMethod } from '../contract/operations.ts'
import type { LibraryKind } from '../contract/source-library.ts'
import type { AnswerOf, ArgumentsOf, Asker } from '../source/index.ts'
import { hasArtist } from './complete-items.ts'
import type { Part } from './merge-parts.ts'

/** What the library of a source that cannot list itself may cost. */
export interface LibraryLimits {
  artists: number
  albums: number
  tracks: number
  /** Adapter calls for each of its two levels. */
  calls: number
  /** Seconds that it is kept. */
  ttl: number
  /** Milliseconds that a request waits for it. */
  maxWait: number
}

/** The source as one call asks it. */
export interface GatheringCall extends Pick<Asker, 'has' | 'find' | 'read' | 'share' | 'warn' | 'isStateful'> {
  /** Kinds whose favourites the source lists. */
  readonly listed: ReadonlySet<LibraryKind>
  readonly log: { warn (message: string): void }
}

/** What a protocol keeps of what it has shown. */
export interface NotedItems {
  readonly tracks: { get (id: string): Track | undefined }
  /** Albums of lists that are not made of the library. */
  readonly shown: { get (id: string): Album | undefined }
  noteArtist (artist: Artist, coverUrl: string | undefined): void
  noteAlbum (album: Album): void
  /** Notes the albums that a list of an artist's holds: some are by others. */
  noteAlbumsOf (artist: Artist, albums: readonly Album[]): void
  noteTrack (track: Track): void
  /** Notes what all tracks of an album, in its order, tell of it. */
  noteWhole (albumId: string, tracks: readonly Track[]): void
}

/** Calls of the adapter at once. */
const concurrency = 4
const mostPlaylists = 100

const namesItem = new Set<ReadMethod>(['getPlaylistDetail', 'getArtistAlbums', 'getAlbumDetail'])

/** A part of the library that can be read again by itself. */
export type PartName = 'tracks' | 'albums' | 'artists' | `playlist:${string}`
export type Parts = Map<string, Part>

/** Whether there is nothing in it, so that everybody's music stands for it. */
export const isEmpty = (parts: Parts): boolean =>
  [...parts.values()].every(part => Object.values(part).every((items: readonly unknown[]) => items.length === 0))

/**
 * The calls of one building: not too many, and not too many at once. An item that is gone is passed over; anything else
 * that fails ends the building, since apps delete what a smaller library does not have.
 */
export class LibraryReader {
  readonly #call: GatheringCall
  readonly #limits: LibraryLimits
  readonly #items: NotedItems
  #calls = 0
  #leftOut = 0

  constructor (call: GatheringCall, limits: LibraryLimits, items: NotedItems) {
    this.#call = call
    this.#limits = limits
    this.#items = items
  }

  /** What an account keeps, its favourites first; without any what the source shows to everybody. */
  async parts (): Promise<Parts> {
    const parts: Parts = new Map()
    if (this.#call.isStateful) {
      for (const name of ['tracks', 'albums', 'artists'] as const) parts.set(name, await this.part(name))
      await this.discographies(parts)
      await this.#playlists(parts, await this.#ask('getUserPlaylist') ?? [])
    }
    if (isEmpty(parts)) {
      parts.set('artists', { artists: await this.#ask('getTopArtists') ?? [] })
      await this.discographies(parts)
      await this.#playlists(parts, await this.#pages(mostPlaylists, 50, (offset, limit) =>
        this.#ask('getPlaylists', offset, limit)))
      parts.set('new', { tracks: await this.#ask('getNewTracks') ?? [] })
    }
    this.#warn('artists and albums')
    return parts
  }

  async part (name: PartName): Promise<Part> {
    if (name === 'tracks') return { tracks: await this.#ask('userFavoriteTracks') ?? [] }
    if (name === 'albums') return { albums: await this.#ask('userAlbums') ?? [] }
    if (name === 'artists') return { artists: await this.#ask('userArtists') ?? [] }
    const id = name.slice('playlist:'.length)
    return { tracks: (await readWhole(trackLimit => this.#ask('getPlaylistDetail', id, trackLimit)))?.tracks ?? [] }
  }

  /** Makes the albums of the artists that are a part themselves parts, and of no others. */
  async discographies (parts: Parts): Promise<void> {
    const artists = new Map([...parts.get('artists')!.artists!].map(artist => [`artist:${artist.id}`, artist]))
    for (const name of parts.keys()) if (name.startsWith('artist:') && !artists.has(name)) parts.delete(name)
    const missing = [...artists].filter(([name]) => !parts.has(name))
    await forEachLimited(missing, concurrency, async ([name, artist]) => {
      const albums = await this.#pages(this.#limits.albums, 100, (offset, limit) =>
        this.#ask('getArtistAlbums', artist.id, offset, limit))
      this.#items.noteAlbumsOf(artist, albums)
      const { id, name: artistName } = artist
      parts.set(name, {
        albums: albums.map(album => hasArtist(album, artist)
          ? { ...album, [extras]: { artists: [{ id, name: artistName }], ...album[extras] } }
          : album)
      })
    })
  }

  /** The tracks of albums by their ids; an album that is gone is not there. */
  async songs (albums: readonly Album[]): Promise<Map<string, readonly Track[]>> {
    const found = new Map<string, readonly Track[]>()
    await forEachLimited(albums, concurrency, async ({ id }) => {
      const detail = await readWhole(trackLimit => this.#ask('getAlbumDetail', id, trackLimit))
      if (detail === undefined) return
      this.#items.noteWhole(id, detail.tracks)
      found.set(id, detail.tracks)
    })
    this.#warn('songs')
    return found
  }

  async #playlists (parts: Parts, playlists: readonly { id: string }[]): Promise<void> {
    await forEachLimited(playlists, concurrency, async ({ id }) => {
      parts.set(`playlist:${id}`, await this.part(`playlist:${id}`))
    })
  }

  /** A whole list; the pages so far where the number of calls is used up. */
  async #pages<T extends { readonly id: string }> (
    most: number, limit: number, fetch: Parameters<typeof everyPage<T>>[2]
  ): Promise<T[]> {
    const items = await everyPage<T>(most, limit, async (offset, limit) =>
      offset > 0 && this.#isSpent() ? { items: [], hasMore: false } : fetch(offset, limit))
    return items ?? []
  }

  /** An adapter's answer; `undefined` without the method, for an item that is gone, and beyond the number of calls. */
  async #ask<M extends ReadMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    if (!this.#call.has(method) || this.#isSpent()) return undefined
    this.#calls++
    // A list that is not there has failed: only what an id names can be gone.
    return namesItem.has(method) ? this.#call.find(method, ...args) : this.#call.read(method, ...args)
  }

  /** Whether the number of calls is used up, so that the next one is left out. */
  #isSpent (): boolean {
    if (this.#calls < this.#limits.calls) return false
    this.#leftOut++
    return true
  }

  #warn (what: string): void {
    if (this.#leftOut > 0) {
      const calls = `${this.#leftOut} calls more than it may take`
      this.#call.log.warn(`Left ${what} out of a library: ${calls}`)
    }
    this.#leftOut = 0
  }
}
