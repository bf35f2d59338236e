import { LRUCache } from 'lru-cache'
import { extras } from '../../../schemas/extras.ts'
import type { Album, Artist, Track } from '../../../schemas/index.ts'
import { grouped, hasArtist, isNamed, type ArrayLibrary } from '../../library/internal.ts'
import { lruOptions } from '../../options/lru-options.ts'
import { NameIndex } from '../../text/name-index.ts'
import { writeId } from '../ids.ts'

/** Creates a map of limited size that evicts the least recently used entries. */
const recent = <V extends {}>(most: number) => new LRUCache<string, V>(lruOptions(most))

/** The position of a track on its album. */
interface Position { readonly track: number, readonly disc: number }

interface Totals {
  readonly songs?: number | undefined
  readonly seconds: number
  /** The playlist's description at that time: a different string means that it has changed. */
  readonly of?: string | undefined
}

type Timed = Pick<Track, 'id' | 'durationMs'>

const totalsOf = (tracks: readonly Timed[]): Totals =>
  ({ songs: tracks.length, seconds: tracks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000 })

/**
 * An index of the items shown to one account, for a source without a library: apps later request covers, numbers and
 * names by an id alone. For a source with a library, only the length of playlists is stored.
 */
export class ItemIndex {
  /** URLs of pictures by the ids that apps use. */
  readonly covers = recent<string>(100_000)
  readonly tracks = recent<Track>(20_000)
  /** Albums of lists that are not built from the library. */
  readonly shown = recent<Album>(5000)
  readonly albums = recent<Totals>(100_000)
  /** The total length of playlists, by the ids that apps use. */
  readonly playlists = new LRUCache<string, Totals>({ max: 1000, ttl: 600_000 })
  /** Whether shown items are stored. */
  readonly isKept: boolean
  readonly #positions = recent<Position>(100_000)
  readonly #albumArtists = recent<Artist>(100_000)
  /** Shown artists by exact name. */
  readonly artistsByName = new NameIndex(recent<Artist>(40_000))
  /** Ids of shown tracks by title and artist. */
  readonly tracksByName = new NameIndex(recent<string>(40_000))

  /** @param isKept whether shown items are stored, because the source has no library */
  constructor (isKept: boolean) {
    this.isKept = isKept
  }

  /** The approximate size in memory in bytes. */
  get bytes (): number {
    const small = this.#positions.size + this.albums.size + this.artistsByName.size + this.tracksByName.size
    const texts = this.covers.size + this.#albumArtists.size
    return 1500 * (this.tracks.size + this.shown.size) + 300 * texts + 150 * small
  }

  noteArtist (artist: Artist, coverUrl: string | undefined): void {
    this.noteCover(writeId('artist', artist.id), coverUrl)
    if (this.isKept) this.artistsByName.set(artist.name, artist)
  }

  /**
   * Records an album.
   *
   * @param artist the album artist, if known
   * @param id the id that apps use
   */
  noteAlbum (album: Album, artist?: Artist, id = writeId('album', album.id)): void {
    this.noteCover(id, album.coverUrl)
    if (this.isKept && isNamed(artist)) this.#albumArtists.set(album.id, artist)
  }

  /** Records the albums in an artist's list, except albums by others. */
  noteAlbumsOf (artist: Artist, albums: readonly Album[]): void {
    for (const album of albums) if (hasArtist(album, artist)) this.noteAlbum(album, artist)
  }

  /** @returns the ids of the albums */
  noteShown (albums: readonly Album[]): string[] {
    if (this.isKept) for (const album of albums) this.shown.set(album.id, album)
    return albums.map(({ id }) => id)
  }

  noteTrack (track: Track): void {
    if (!this.isKept) return
    this.tracks.set(track.id, track)
    for (const name of titlesOf(track)) this.tracksByName.set(name, track.id)
    this.noteArtistsOf(track)
  }

  /** Records the artist and album of a track. */
  noteArtistsOf ({ artists: [artist], album }: Track): void {
    if (!this.isKept || !isNamed(artist) || !hasArtist(album, artist)) return
    this.artistsByName.set(artist.name, artist)
    // Tracks without an album share no album artist.
    if (album.id !== '' && this.#albumArtists.peek(album.id) === undefined) this.#albumArtists.set(album.id, artist)
  }

  /** Returns the position of a track on its album, as the album was last shown. */
  positionOf (trackId: string): Position | undefined { return this.#positions.get(trackId) }

  /** Records the order and total length of a complete album. */
  noteWhole (albumId: string, tracks: readonly Timed[]): void {
    if (!this.isKept) return
    tracks.forEach(({ id }, index) => this.#positions.set(id, { track: index + 1, disc: 1 }))
    this.albums.set(albumId, totalsOf(tracks))
  }

  /**
   * @param id the id that apps use
   * @param of the description of the playlist in its list
   */
  notePlaylist (id: string, tracks: readonly Track[], of?: string): void {
    this.playlists.set(id, { ...totalsOf(tracks), of })
  }

  /** @param id the id that apps use */
  noteCover (id: string, url: string | undefined): void {
    if (this.isKept && url && this.covers.peek(id) !== url) this.covers.set(id, url)
  }

  /** Records the items of a generated library. */
  noteLibrary (library: ArrayLibrary): void {
    const albums = library.all('albums')
    const tracks = library.all('tracks')
    for (const artist of library.all('artists')) this.noteArtist(artist, artist.coverUrl)
    for (const album of albums) this.noteAlbum(album, album[extras]?.artists?.[0])
    for (const track of tracks) this.noteTrack(track)
    const byAlbum = grouped(tracks.map(track => [track.album.id, track] as const))
    for (const { id, trackCount } of albums) {
      const known = byAlbum.get(id) ?? []
      if (known.length > 0 && known.length === trackCount) this.noteWhole(id, known)
    }
  }

  /** Returns the artist of an album that contains only the artist's name. */
  artistOf (album: Album): Artist | undefined {
    const known = this.#albumArtists.peek(album.id)
    if (!album.artistName || known?.name === album.artistName) return known
    const named = this.artistsByName.get(album.artistName)
    if (named !== undefined) this.#albumArtists.set(album.id, { ...named, name: album.artistName })
    return named ?? known
  }

  /** Returns whether an album in an artist's list is by that artist. An album without an artist name counts as such. */
  isOwn (album: Album, artistId: string): boolean {
    const artist = this.artistOf(album)
    return artist === undefined ? !album.artistName : artist.id === artistId
  }
}

/** Returns the name that a track is looked up by. */
export const titleBy = (title: string, artist: string): string => `${artist.trim()}\n${title.trim()}`

/** Returns the names that apps may use for a track: its title with each of its artists, and with all. */
export const titlesOf = ({ title, artists }: Track): string[] =>
  [...new Set([namesOf(artists), ...artists.map(({ name }) => name)])].map(name => titleBy(title, name))

/** Returns the artist names of a track as apps display them, and send them in requests for lyrics. */
export const namesOf = (artists: readonly Artist[]): string =>
  artists.map(({ name }) => name).filter(Boolean).join(', ')
