import type { Album, Artist, Track } from '../../../schemas/index.ts'
import type { AdapterMethod } from '../../contract/operations.ts'
import type { ShelfLimits } from '../check-options.ts'
import { everyPage } from '../every-page.ts'
import type { AnswerOf, ArgumentsOf, Session } from '../session.ts'
import type { Part } from './listing.ts'
import type { Memory } from './memory.ts'

/** Most tracks that a playlist or an album is asked for. */
const mostTracks = 1000
const mostPlaylists = 100

/** A part of the shelf that can be read again by itself. */
export type PartName = 'tracks' | 'albums' | 'artists' | `playlist:${string}`
export type Parts = Map<string, Part>

/**
 * The calls of one building: not too many, and not too many at once. An item that is gone is passed over; anything else
 * that fails ends the building, since apps delete what a smaller library does not have.
 */
export class ShelfReader {
  readonly #session: Session
  readonly #limits: ShelfLimits
  readonly #memory: Memory
  #calls = 0
  #leftOut = 0

  constructor (session: Session, limits: ShelfLimits, memory: Memory) {
    this.#session = session
    this.#limits = limits
    this.#memory = memory
  }

  /** What an account keeps, its favourites first; without any what the source shows to everybody. */
  async parts (): Promise<Parts> {
    const parts: Parts = new Map()
    if (this.#session.isStateful) {
      for (const name of ['tracks', 'albums', 'artists'] as const) parts.set(name, await this.part(name))
      await this.discographies(parts)
      await this.#playlists(parts, await this.#ask('getUserPlaylist') ?? [])
    }
    const isEmpty = [...parts.values()].every(part => Object.values(part).every((items: unknown[]) => items.length === 0))
    if (isEmpty) {
      parts.set('artists', { artists: await this.#ask('getTopArtists') ?? [] })
      await this.discographies(parts)
      await this.#playlists(parts, await everyPage(mostPlaylists, 50, (offset, limit) => this.#ask('getPlaylists', offset, limit)))
      parts.set('new', { tracks: await this.#ask('getNewTracks') ?? [] })
    }
    this.#warn('artists and albums')
    return parts
  }

  async part (name: PartName): Promise<Part> {
    if (name === 'tracks') return { tracks: await this.#ask('userFavoriteTracks') ?? [] }
    if (name === 'albums') return { albums: await this.#ask('userAlbums') ?? [] }
    if (name === 'artists') return { artists: await this.#ask('userArtists') ?? [] }
    return { tracks: (await this.#ask('getPlaylistDetail', name.slice('playlist:'.length), mostTracks))?.tracks ?? [] }
  }

  /** Adds the albums of the artists that are a part themselves. */
  async discographies (parts: Parts): Promise<void> {
    const artists = [...parts.get('artists')!.artists!].filter(({ id }) => !parts.has(`artist:${id}`))
    await this.#each(artists, async artist => {
      const albums = await this.#albumsOf(artist)
      for (const album of albums) if (!album.artistName || album.artistName === artist.name) this.#memory.noteAlbum(album, artist)
      parts.set(`artist:${artist.id}`, { albums })
    })
  }

  /** The tracks of albums by their ids; an album that is gone is not there. */
  async songs (albums: readonly Album[]): Promise<Map<string, readonly Track[]>> {
    const found = new Map<string, readonly Track[]>()
    await this.#each(albums, async ({ id }) => {
      const detail = await this.#ask('getAlbumDetail', id, mostTracks)
      if (detail === undefined) return
      this.#memory.noteWhole(id, detail.tracks)
      found.set(id, detail.tracks)
    })
    this.#warn('songs')
    return found
  }

  async #playlists (parts: Parts, playlists: readonly { id: string }[]): Promise<void> {
    await this.#each(playlists, async ({ id }) => {
      parts.set(`playlist:${id}`, await this.part(`playlist:${id}`))
    })
  }

  #albumsOf (artist: Artist): Promise<Album[]> {
    return everyPage(this.#limits.albums, 100, (offset, limit) => this.#ask('getArtistAlbums', artist.id, offset, limit))
  }

  /** An adapter's answer; `undefined` without the method, without the item, and beyond the number of calls. */
  async #ask<M extends AdapterMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    if (!this.#session.has(method)) return undefined
    if (this.#calls === this.#limits.calls) {
      this.#leftOut++
      return undefined
    }
    this.#calls++
    return this.#session.find(method, ...args)
  }

  async #each<T> (items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
    const waiting = items.values()
    await Promise.all(Array.from({ length: this.#limits.concurrency }, async () => {
      for (const item of waiting) await run(item)
    }))
  }

  #warn (what: string): void {
    if (this.#leftOut > 0) this.#session.log.warn(`Left ${what} out of a library: ${this.#leftOut} calls more than limits.calls allows`)
    this.#leftOut = 0
  }
}
