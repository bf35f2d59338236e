import { LRUCache } from 'lru-cache'
import type { Album, Artist, Track } from '../../../schemas/index.ts'
import { atMost } from '../../options/at-most.ts'
import { foldText } from '../../text/names.ts'
import { writeId } from '../ids.ts'

/**
 * A map of limited size that forgets what was not used for longest. What it does not have is looked for in one that
 * others share.
 */
class Recent<V extends {}> {
  readonly #own: LRUCache<string, V>
  readonly #shared: Recent<V> | undefined

  constructor (most: number, shared: Recent<V> | undefined) {
    this.#own = new LRUCache<string, V>(atMost(most))
    this.#shared = shared
  }

  get size (): number { return this.#own.size }

  get (key: string): V | undefined { return this.#own.get(key) ?? this.#shared?.get(key) }

  /** As `get`, but not as a use: to put each of a page first takes long. */
  peek (key: string): V | undefined { return this.#own.peek(key) ?? this.#shared?.peek(key) }

  set (key: string, value: V): void { this.#own.set(key, value) }
}

/** Where a track is on its album. */
export interface Position { readonly track: number, readonly disc: number }

interface Totals { readonly songs?: number | undefined, readonly seconds: number }

type Timed = Pick<Track, 'id' | 'durationMs'>

const totalsOf = (tracks: readonly Timed[]): Totals =>
  ({ songs: tracks.length, seconds: tracks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000 })

/** What one account was shown: apps ask later for covers, numbers and names of it by an id alone. */
export class ItemIndex {
  /** URLs of pictures by the ids that apps have. */
  readonly covers: Recent<string>
  readonly tracks: Recent<Track>
  readonly positions: Recent<Position>
  readonly albums: Recent<Totals>
  /** What the tracks of playlists take together, by the ids that apps have. */
  readonly playlists = new LRUCache<string, Totals>({ max: 1000, ttl: 600_000 })
  /** Where tracks are of which the source lists the ids. */
  listed: ReadonlyMap<string, Position> | undefined
  readonly #areRead: boolean
  readonly #shared: ItemIndex | undefined
  readonly #albumArtists: Recent<Artist>
  readonly #artistsByName: Recent<Artist>
  readonly #tracksByName: Recent<string>

  /**
   * @param areRead whether the source reads tracks by their ids, so that none are kept
   * @param shared what a library that many accounts share has shown
   */
  constructor (areRead = false, shared?: ItemIndex) {
    this.#areRead = areRead
    this.#shared = shared
    this.covers = new Recent(100_000, shared?.covers)
    this.tracks = new Recent(20_000, shared?.tracks)
    this.positions = new Recent(100_000, shared?.positions)
    this.albums = new Recent(100_000, shared?.albums)
    this.#albumArtists = new Recent(100_000, shared && shared.#albumArtists)
    this.#artistsByName = new Recent(20_000, shared && shared.#artistsByName)
    this.#tracksByName = new Recent(areRead ? 500 : 20_000, shared && shared.#tracksByName)
  }

  /** Bytes in memory, roughly. */
  get bytes (): number {
    const small = this.positions.size + this.albums.size + this.#artistsByName.size + this.#tracksByName.size
    return 1500 * this.tracks.size + 300 * (this.covers.size + this.#albumArtists.size) + 150 * small
  }

  noteArtist (artist: Artist, coverUrl: string | undefined): void {
    this.noteCover(writeId('artist', artist.id), coverUrl)
    this.#artistsByName.set(foldText(artist.name), artist)
  }

  /**
   * @param artist whose album it is, where that is known
   * @param id the one that apps have
   */
  noteAlbum (album: Album, artist?: Artist, id = writeId('album', album.id)): void {
    this.noteCover(id, album.coverUrl)
    if (isNamed(artist)) this.#albumArtists.set(album.id, artist)
  }

  /** Notes the albums that a list of an artist's holds: some are by others. */
  noteAlbumsOf (artist: Artist, albums: readonly Album[]): void {
    for (const album of albums) {
      if (!album.artistName || album.artistName === artist.name) this.noteAlbum(album, artist)
    }
  }

  noteTrack (track: Track): void {
    // One that the source does not read by its id any more may be gone, though it was shown.
    if (!this.#areRead) this.tracks.set(track.id, track)
    for (const name of new Set([track.artists[0]?.name ?? '', namesOf(track.artists)])) {
      this.#tracksByName.set(nameOf(track.title, name), track.id)
    }
    this.noteArtistsOf(track)
  }

  /** Notes what a track tells of its artist and album. */
  noteArtistsOf ({ artists: [artist], album }: Track): void {
    if (isNamed(artist) && (!album.artistName || album.artistName === artist.name)) {
      this.#artistsByName.set(foldText(artist.name), artist)
      // Tracks without an album have none in common.
      if (album.id !== '' && this.#albumArtists.peek(album.id) === undefined) this.#albumArtists.set(album.id, artist)
    }
  }

  /** Where a track is on its album, as the album was shown last or else as it was listed. */
  positionOf (trackId: string): Position | undefined {
    return this.positions.get(trackId) ?? (this.listed ?? this.#shared?.listed)?.get(trackId)
  }

  /** Notes what all tracks of an album, in its order, tell of it. */
  noteWhole (albumId: string, tracks: readonly Timed[]): void {
    tracks.forEach(({ id }, index) => this.positions.set(id, { track: index + 1, disc: 1 }))
    this.albums.set(albumId, totalsOf(tracks))
  }

  /** Notes how long all tracks of an album take, in milliseconds. */
  noteLength (albumId: string, durationMs: number): void {
    this.albums.set(albumId, { seconds: durationMs / 1000 })
  }

  /** @param id the one that apps have */
  notePlaylist (id: string, tracks: readonly Track[]): void {
    this.playlists.set(id, totalsOf(tracks))
  }

  /** @param id the one that apps have */
  noteCover (id: string, url: string | undefined): void {
    if (url && this.covers.peek(id) !== url) this.covers.set(id, url)
  }

  artistNamed (name: string): Artist | undefined {
    return this.#artistsByName.get(foldText(name))
  }

  /** The artist of an album: albums themselves have a name only. */
  artistOf (album: Album): Artist | undefined {
    const known = this.#albumArtists.peek(album.id)
    if (!album.artistName || known?.name === album.artistName) return known
    const named = this.artistNamed(album.artistName)
    if (named !== undefined) this.#albumArtists.set(album.id, { ...named, name: album.artistName })
    return named ?? known
  }

  /** Whether an album that an artist has a part in is the artist's own; one that names nobody is. */
  isOwn (album: Album, artistId: string): boolean {
    const artist = this.artistOf(album)
    return artist === undefined ? !album.artistName : artist.id === artistId
  }

  trackNamed (title: string, artist: string): string | undefined {
    return this.#tracksByName.get(nameOf(title, artist))
  }
}

const nameOf = (title: string, artist: string) => `${foldText(artist.trim())}\n${foldText(title.trim())}`

/** The artists of a track as apps show them, and name them when they ask for its lyrics. */
export const namesOf = (artists: readonly Artist[]): string =>
  artists.map(({ name }) => name).filter(Boolean).join(', ')

/** Tracks may have artists and albums without an id or a name. */
export const isNamed = <T extends { id: string, name: string }>(item: T | undefined): item is T =>
  Boolean(item?.id && item.name)
