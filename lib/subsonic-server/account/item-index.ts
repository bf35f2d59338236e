import { LRUCache } from 'lru-cache'
import { extras } from '../../../schemas/extras.ts'
import type { Album, Artist, Track } from '../../../schemas/index.ts'
import { grouped, hasArtist, isNamed, type ArrayLibrary } from '../../library/internal.ts'
import { atMost } from '../../options/at-most.ts'
import { NameIndex } from '../../text/name-index.ts'
import { writeId } from '../ids.ts'

/** A map of limited size that forgets what was not used for longest. */
const recent = <V extends {}>(most: number) => new LRUCache<string, V>(atMost(most))

/** Where a track is on its album. */
interface Position { readonly track: number, readonly disc: number }

interface Totals {
  readonly songs?: number | undefined
  readonly seconds: number
  /** What the list said of a playlist then: another text says that it has changed. */
  readonly of?: string | undefined
}

type Timed = Pick<Track, 'id' | 'durationMs'>

const totalsOf = (tracks: readonly Timed[]): Totals =>
  ({ songs: tracks.length, seconds: tracks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000 })

/**
 * What one account was shown of a source without a library: apps ask later for covers, numbers and names of it by an id
 * alone. A library is asked by ids; of its source nothing is kept but the length of playlists.
 */
export class ItemIndex {
  /** URLs of pictures by the ids that apps have. */
  readonly covers = recent<string>(100_000)
  readonly tracks = recent<Track>(20_000)
  /** Albums of lists that are not made of the library. */
  readonly shown = recent<Album>(5000)
  readonly albums = recent<Totals>(100_000)
  /** What the tracks of playlists take together, by the ids that apps have. */
  readonly playlists = new LRUCache<string, Totals>({ max: 1000, ttl: 600_000 })
  /** Whether what is shown is kept. */
  readonly isKept: boolean
  readonly #positions = recent<Position>(100_000)
  readonly #albumArtists = recent<Artist>(100_000)
  /** Those that were shown; others may have the name exactly. */
  readonly artistsByName = new NameIndex(recent<Artist>(40_000))
  /** Their ids. */
  readonly tracksByName = new NameIndex(recent<string>(40_000))

  /** @param isKept whether the source has no library */
  constructor (isKept: boolean) {
    this.isKept = isKept
  }

  /** Bytes in memory, roughly. */
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
   * @param artist whose album it is, where that is known
   * @param id the one that apps have
   */
  noteAlbum (album: Album, artist?: Artist, id = writeId('album', album.id)): void {
    this.noteCover(id, album.coverUrl)
    if (this.isKept && isNamed(artist)) this.#albumArtists.set(album.id, artist)
  }

  /** Notes the albums that a list of an artist's holds: some are by others. */
  noteAlbumsOf (artist: Artist, albums: readonly Album[]): void {
    for (const album of albums) if (hasArtist(album, artist)) this.noteAlbum(album, artist)
  }

  /** @returns their ids, by which they are found */
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

  /** Notes what a track tells of its artist and album. */
  noteArtistsOf ({ artists: [artist], album }: Track): void {
    if (!this.isKept || !isNamed(artist) || !hasArtist(album, artist)) return
    this.artistsByName.set(artist.name, artist)
    // Tracks without an album have none in common.
    if (album.id !== '' && this.#albumArtists.peek(album.id) === undefined) this.#albumArtists.set(album.id, artist)
  }

  /** Where a track is on its album, as the album was shown last. */
  positionOf (trackId: string): Position | undefined { return this.#positions.get(trackId) }

  /** Notes what all tracks of an album, in its order, tell of it. */
  noteWhole (albumId: string, tracks: readonly Timed[]): void {
    if (!this.isKept) return
    tracks.forEach(({ id }, index) => this.#positions.set(id, { track: index + 1, disc: 1 }))
    this.albums.set(albumId, totalsOf(tracks))
  }

  /**
   * @param id the one that apps have
   * @param of what the list says of it
   */
  notePlaylist (id: string, tracks: readonly Track[], of?: string): void {
    this.playlists.set(id, { ...totalsOf(tracks), of })
  }

  /** @param id the one that apps have */
  noteCover (id: string, url: string | undefined): void {
    if (this.isKept && url && this.covers.peek(id) !== url) this.covers.set(id, url)
  }

  /** Notes the items of a generated library. */
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

  /** The artist of an album that has a name only. */
  artistOf (album: Album): Artist | undefined {
    const known = this.#albumArtists.peek(album.id)
    if (!album.artistName || known?.name === album.artistName) return known
    const named = this.artistsByName.get(album.artistName)
    if (named !== undefined) this.#albumArtists.set(album.id, { ...named, name: album.artistName })
    return named ?? known
  }

  /** Whether an album that an artist has a part in is the artist's own; one that names nobody is. */
  isOwn (album: Album, artistId: string): boolean {
    const artist = this.artistOf(album)
    return artist === undefined ? !album.artistName : artist.id === artistId
  }
}

/** The name that a track is looked up by. */
export const titleBy = (title: string, artist: string): string => `${artist.trim()}\n${title.trim()}`

/** What a track may be asked for by: its title with each of its artists, and with all. */
export const titlesOf = ({ title, artists }: Track): string[] =>
  [...new Set([namesOf(artists), ...artists.map(({ name }) => name)])].map(name => titleBy(title, name))

/** The artists of a track as apps show them, and name them when they ask for its lyrics. */
export const namesOf = (artists: readonly Artist[]): string =>
  artists.map(({ name }) => name).filter(Boolean).join(', ')
