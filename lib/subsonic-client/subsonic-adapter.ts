import type { FastifyBaseLogger } from 'fastify'
import { extras } from '../../schemas/extras.ts'
import type { Album, Artist, Playlist, Track } from '../../schemas/index.ts'
import { SourceError, UnsupportedFeatureError } from '../contract/errors.ts'
import { loggable } from '../errors/loggable.ts'
import type { MediaUrl } from '../media/index.ts'
import type { Upstream } from '../upstream/index.ts'
import { isLossless } from '../text/audio-formats.ts'
import { qualitiesOf } from './server-qualities.ts'
import type { Query } from './server-login.ts'
import type { Transcoding } from './client-options.ts'
import { albumExtrasOf, artistExtrasOf, playlistExtrasOf, trackExtrasOf } from './server-extras.ts'
import { artistsOf, publishTimeOf } from './song-fields.ts'
import type { SubsonicClient } from './subsonic-client.ts'
import { flagOf, listOf, numberOf, objectOf, textOf, timeOf, type Given } from './tolerate.ts'

/** The size of covers in pixels. */
const coverSize = '600'

/** Returns the full URL of media for clients: a route of the media proxy. */
export type AdapterMedia = (...args: Parameters<MediaUrl>) => string

/** Options of an adapter. */
export interface SubsonicAdapterOptions {
  /** Creates media URLs: `(kind, params, options) => baseUrl + app.mediaUrl(kind, params, options)`. Required. */
  media: AdapterMedia
  /** Returns the URL of a picture for an album or song without a cover, by its id. Default: none. */
  placeholder?: ((id: string) => string) | undefined
  /** Aborts the calls. */
  signal?: AbortSignal | undefined
  log?: Pick<FastifyBaseLogger, 'debug' | 'warn'> | undefined
}

/** The server for one request. It calls the server, and converts its items to items of the contract. */
export class RemoteSource {
  readonly client: SubsonicClient
  readonly #media: AdapterMedia
  readonly #placeholder: (id: string) => string
  readonly #upstream: Upstream
  readonly #log: SubsonicAdapterOptions['log']

  constructor (
    client: SubsonicClient, { media, placeholder = () => '', signal, log }: SubsonicAdapterOptions
  ) {
    this.client = client
    this.#media = media
    this.#placeholder = placeholder
    this.#log = log
    this.#upstream = client.upstream.for({ account: client.account, signal, log })
  }

  get #call () { return { upstream: this.#upstream, log: this.#log } }

  /** The source for calls shared with other requests. A disconnected client does not abort them. */
  get shared (): RemoteSource {
    return new RemoteSource(this.client, { media: this.#media, placeholder: this.#placeholder, log: this.#log })
  }

  /**
   * Calls a method.
   *
   * @throws classes of errors
   */
  ask (method: string, query: Query = {}): Promise<Given> {
    return this.client.ask(method, query, this.#call)
  }

  /** Calls a method with an id. A missing item is a NotFoundError. */
  find (method: string, query: Query): Promise<Given> {
    return this.client.ask(method, query, { ...this.#call, byId: true })
  }

  /** Calls a method; `undefined` if the server does not have it. */
  async tryTo (method: string, query: Query = {}, byId = false): Promise<Given | undefined> {
    try {
      return await this.client.ask(method, query, { ...this.#call, byId })
    } catch (error) {
      if (error instanceof UnsupportedFeatureError) return undefined
      throw error
    }
  }

  /** Calls a method that changes data. It is never retried. */
  make (method: string, query: Query): Promise<Given> {
    return this.client.ask(method, query, { ...this.#call, changes: true, byId: true })
  }

  /** Calls a method that changes data; `undefined` if the server does not allow it. */
  async change (method: string, query: Query): Promise<Given | undefined> {
    try {
      return await this.make(method, query)
    } catch (error) {
      if (error instanceof SourceError && error.status === 403) return undefined
      throw error
    }
  }

  /** Reverts a part of a failed change, even if the client has disconnected. The caller receives the original error. */
  async undo (method: string, query: Query): Promise<void> {
    await this.shared.make(method, query).catch(error => {
      this.#log?.warn({ err: loggable(error, []) }, 'rollback failed')
    })
  }

  /** Returns the version of an extension of the server; 0 if it lacks the extension. */
  async extension (name: string): Promise<number> {
    return (await this.client.extensions(this.#log)).get(name) ?? 0
  }

  /** Returns the user name, with an API key from the server; `''` if unknown. */
  async username (): Promise<string> {
    const { username } = this.client.options
    if (username !== undefined) return username
    return this.client.keep('username', 3_600_000, async () =>
      textOf(objectOf((await this.shared.tryTo('tokenInfo'))?.tokenInfo).username))
  }

  /**
   * Returns a song. It is cached for five minutes, since it is requested before each URL.
   *
   * @param refresh whether to skip the cache
   */
  song (id: string, refresh = false): Promise<Given> {
    const key = `song ${id}`
    if (refresh) this.client.forget(key)
    return this.client.keep(key, 300_000, async () =>
      objectOf((await this.shared.find('getSong', { id })).song))
  }

  cover (id: unknown): string {
    const text = textOf(id)
    if (text === '') return ''
    return this.#media('cover', { id: text, size: coverSize }, { extension: 'jpg', stable: true })
  }

  audio (id: string, query: { limit?: string, format?: string }, extension: string): string {
    return this.#media('audio', { id, ...query }, { extension: /^[a-z0-9]+$/i.test(extension) ? extension : 'mp3' })
  }

  async tracks (songs: unknown): Promise<Track[]> {
    const all = listOf(songs).filter(isTrack)
    const transcoding = await this.transcodingFor(all)
    return all.map(song => this.track(song, transcoding))
  }

  /** Returns the server's conversion, which is detected with the first lossless song. */
  async transcodingFor (songs: readonly Given[]): Promise<Transcoding | false> {
    const { transcoding } = this.client.options
    if (transcoding !== 'auto') return transcoding
    const first = songs.find(({ suffix }) => isLossless(textOf(suffix)))
    return this.client.transcoding(first && textOf(first.id))
  }

  track (song: Given, transcoding: Transcoding | false): Track {
    const albumId = textOf(song.albumId)
    const publishTime = publishTimeOf(song)
    const genre = textOf(song.genre)
    return {
      id: textOf(song.id),
      title: textOf(song.title) || textOf(song.name),
      artists: artistsOf(song),
      album: {
        id: albumId,
        name: textOf(song.album),
        coverUrl: this.cover(song.coverArt) || this.#placeholder(albumId || textOf(song.id)),
        ...(publishTime !== undefined && { publishTime }),
        ...(genre && { genre }),
        ...(textOf(song.displayAlbumArtist) && { artistName: textOf(song.displayAlbumArtist) })
      },
      durationMs: Math.round((numberOf(song.duration) ?? 0) * 1000),
      favorite: isThere(song.starred),
      qualities: qualitiesOf(song, transcoding).map(({ limit, ...quality }) => quality),
      ...under(trackExtrasOf(song))
    }
  }

  album (album: Given): Album {
    const publishTime = publishTimeOf(album)
    const genre = textOf(album.genre)
    const count = numberOf(album.songCount)
    const artistName = textOf(album.artist) || textOf(album.displayArtist)
    return {
      id: textOf(album.id),
      name: textOf(album.name) || textOf(album.title) || textOf(album.album),
      coverUrl: this.cover(album.coverArt) || this.#placeholder(textOf(album.id)),
      ...(publishTime !== undefined && { publishTime }),
      ...(genre && { genre }),
      ...(count !== undefined && { trackCount: Math.round(count) }),
      ...(artistName && { artistName }),
      favorite: isThere(album.starred),
      ...under(albumExtrasOf(album))
    }
  }

  artist (artist: Given): Artist {
    const coverUrl = this.cover(artist.coverArt)
    return {
      id: textOf(artist.id),
      name: textOf(artist.name),
      ...(coverUrl && { coverUrl }),
      favorite: isThere(artist.starred),
      ...under(artistExtrasOf(artist))
    }
  }

  playlist (playlist: Given): Playlist {
    const owner = textOf(playlist.owner)
    return {
      id: textOf(playlist.id),
      name: textOf(playlist.name),
      description: textOf(playlist.comment),
      coverUrl: this.cover(playlist.coverArt),
      trackCount: Math.round(numberOf(playlist.songCount) ?? listOf(playlist.entry).length),
      ...(owner && { creator: { id: owner, name: owner, avatarUrl: '' } }),
      createdAt: timeOf(playlist.created) ?? null,
      updatedAt: timeOf(playlist.changed) ?? timeOf(playlist.created) ?? null,
      ...under(playlistExtrasOf(playlist))
    }
  }

  albums = (list: unknown): Album[] => listOf(list).filter(hasId).map(album => this.album(album))
  artists = (list: unknown): Artist[] => listOf(list).filter(hasId).map(artist => this.artist(artist))
}

const under = (found: object | undefined) => found && { [extras]: found }
const hasId = ({ id }: Given) => textOf(id) !== ''
export const isTrack = (song: Given) => hasId(song) && !flagOf(song.isDir) && !flagOf(song.isVideo)
const isThere = (starred: unknown): boolean => !['', 'false'].includes(textOf(starred))
