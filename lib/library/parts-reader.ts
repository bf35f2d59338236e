import { extras } from '../../schemas/extras.ts'
import type { Album, Track } from '../../schemas/index.ts'
import { elapsed } from '../async/elapsed.ts'
import { everyPage } from '../async/every-page.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { readWhole } from '../async/read-whole.ts'
import { sleep } from '../async/sleep.ts'
import type { ReadMethod } from '../contract/operations.ts'
import type { LibraryKind } from '../contract/source-library.ts'
import type { AnswerOf, ArgumentsOf, SourceSession } from '../source/index.ts'
import { hasArtist } from './complete-items.ts'
import type { LibraryPart } from './merge-parts.ts'

/** The source for one request. */
export interface GeneratingCall extends Pick<SourceSession, 'has' | 'find' | 'read' | 'share' | 'warn' | 'isStateful'> {
  /** If `true`, public lists are part of the library even if the account has favourites. Default: `false`. */
  readonly addsPublic?: boolean
  readonly log: { warn (details: object, message: string): void }
}

/** The number of calls without a pause, and the milliseconds between two calls after them. Tests change them. */
export const pace = { calls: 400, between: 100 }

/** The number of items of each kind in a library. Tests change it. */
export const mostItems = { artists: 2000, albums: 5000, tracks: 20_000 }

const concurrency = 4
const mostPlaylists = 100

const namesItem = new Set<ReadMethod>(['getPlaylistDetail', 'getArtistAlbums', 'getAlbumDetail'])

/** Operations that list the favourites of an account. */
const favourites = { tracks: 'userFavoriteTracks', albums: 'userAlbums', artists: 'userArtists' } as const
const kinds = ['tracks', 'albums', 'artists'] as const

/** Returns the kinds with favourites that the source lists. */
export const listedBy = (call: Pick<SourceSession, 'has'>): ReadonlySet<LibraryKind> =>
  new Set(kinds.filter(kind => call.has(favourites[kind])))

/** Operations that a generated library begins with. */
const beginnings = [
  ...Object.values(favourites), 'getUserPlaylist', 'getTopArtists', 'getPlaylists', 'getNewTracks'
] as const

/** Returns whether a library can be generated from the operations of a source. */
export const isListable = (call: Pick<SourceSession, 'has'>): boolean => beginnings.some(method => call.has(method))

/** A part of the library that can be read again by itself. */
export type PartName = 'tracks' | 'albums' | 'artists' | `playlist:${string}`
export type Parts = Map<string, LibraryPart>

/** Returns whether no part has an item. */
export const isEmpty = (parts: Parts): boolean =>
  [...parts.values()].every(part => Object.values(part).every((items: readonly unknown[]) => items.length === 0))

/**
 * Reads the parts of a library. A missing item is left out. Any other failure ends the read, since apps delete missing
 * items.
 */
export class PartsReader {
  readonly #call: GeneratingCall
  readonly #signal: AbortSignal
  #calls = 0
  #nextAt = 0

  /** @param signal ends the read */
  constructor (call: GeneratingCall, signal: AbortSignal) {
    this.#call = call
    this.#signal = signal
  }

  /** Reads the favourites and playlists of the account; without any, public lists. */
  async parts (): Promise<Parts> {
    const parts: Parts = new Map()
    if (this.#call.isStateful) {
      for (const name of kinds) parts.set(name, await this.part(name))
      await this.discographies(parts)
      await this.#playlists(parts, await this.#ask('getUserPlaylist') ?? [])
    }
    if (this.#call.addsPublic === true || isEmpty(parts)) {
      const { artists: own = [] } = parts.get('artists') ?? {}
      const top = await this.#ask('getTopArtists') ?? []
      if (own.length === 0) parts.set('artists', { artists: top })
      else parts.set('top', { artists: top })
      await this.discographies(parts)
      await this.#playlists(parts, await everyPage(mostPlaylists, 50, (offset, limit) =>
        this.#ask('getPlaylists', offset, limit)) ?? [])
      parts.set('new', { tracks: await this.#ask('getNewTracks') ?? [] })
    }
    return parts
  }

  async part (name: PartName): Promise<LibraryPart> {
    if (name === 'tracks') return { tracks: await this.#ask('userFavoriteTracks') ?? [] }
    if (name === 'albums') return { albums: await this.#ask('userAlbums') ?? [] }
    if (name === 'artists') return { artists: await this.#ask('userArtists') ?? [] }
    const id = name.slice('playlist:'.length)
    return { tracks: (await readWhole(trackLimit => this.#ask('getPlaylistDetail', id, trackLimit)))?.tracks ?? [] }
  }

  /** Adds the albums of artists that are a part, and removes the albums of other artists. */
  async discographies (parts: Parts): Promise<void> {
    const artists = new Map([...parts.get('artists')!.artists!].map(artist => [`artist:${artist.id}`, artist]))
    for (const name of parts.keys()) if (name.startsWith('artist:') && !artists.has(name)) parts.delete(name)
    const missing = [...artists].filter(([name]) => !parts.has(name))
    await forEachLimited(missing, concurrency, async ([name, artist]) => {
      const albums = await everyPage(mostItems.albums, 100, (offset, limit) =>
        this.#ask('getArtistAlbums', artist.id, offset, limit)) ?? []
      const { id, name: artistName } = artist
      parts.set(name, {
        albums: albums.map(album => hasArtist(album, artist)
          ? { ...album, [extras]: { artists: [{ id, name: artistName }], ...album[extras] } }
          : album)
      })
    })
  }

  /**
   * Reads the tracks of albums. An album that does not exist has no tracks.
   *
   * @param note called with the tracks of each album
   */
  async songs (albums: readonly Album[], note: (album: Album, tracks: readonly Track[]) => void): Promise<void> {
    await forEachLimited(albums, concurrency, async album => {
      const detail = await readWhole(trackLimit => this.#ask('getAlbumDetail', album.id, trackLimit))
      note(album, detail?.tracks ?? [])
    })
  }

  async #playlists (parts: Parts, playlists: readonly { id: string }[]): Promise<void> {
    await forEachLimited(playlists, concurrency, async ({ id }) => {
      parts.set(`playlist:${id}`, await this.part(`playlist:${id}`))
    })
  }

  /** Returns the result of an operation; `undefined` if the operation or the item does not exist. */
  async #ask<M extends ReadMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    if (!this.#call.has(method)) return undefined
    await this.#turn()
    // A list that does not exist is a failure.
    return namesItem.has(method) ? this.#call.find(method, ...args) : this.#call.read(method, ...args)
  }

  /** Waits until the next call may be made. */
  async #turn (): Promise<void> {
    this.#signal.throwIfAborted()
    if (++this.#calls <= pace.calls) return
    const now = elapsed()
    this.#nextAt = Math.max(now, this.#nextAt) + pace.between
    await sleep(this.#nextAt - now, this.#signal)
  }
}
