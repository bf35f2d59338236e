import type { Album, Artist, Track } from '../../../schemas/index.ts'
import { compareKeys, sortKey, withoutArticle } from '../../text/names.ts'
import { countGenres, type Genre } from './genres.ts'
import type { ItemIndex, Position } from './item-index.ts'
import type { ListedTrack } from './listed-track.ts'

/** What a list can be made of: parts that came from different calls. */
export interface Part { artists?: Iterable<Artist>, albums?: Iterable<Album>, tracks?: Iterable<Track> }

/** A track of which the source lists the id: where it is. */
export interface PlacedTrack extends Position {
  readonly id: string
  readonly album: { readonly id: string }
}

const isWhole = (track: ListedTrack): track is Track => 'title' in track

/** What a listing is made of. */
export interface Listed {
  readonly artists: Artist[]
  readonly albums: Album[]
  /** Those that are made when they are asked for first take no time before. */
  readonly tracks: readonly ListedTrack[] | (() => readonly ListedTrack[])
  /** Ids of the artists of its tracks, by the id of the album. */
  readonly credits: ReadonlyMap<string, ReadonlySet<string>>
}

/** Artists, albums and tracks of a source, each once, sorted. */
export class Listing {
  /** Unix milliseconds at which it was made. */
  readonly madeAt = Date.now()
  /** By name without articles. */
  readonly artists: readonly Artist[]
  /** By name, then by the name of their artist. */
  readonly albums: readonly Album[]
  readonly #credits: Listed['credits']
  readonly #items: ItemIndex
  #tracks: Listed['tracks']
  readonly #sorted = new Map<string, readonly Album[]>()
  #genres: readonly Genre[] | undefined
  #byArtist: ReadonlyMap<string, readonly Album[]> | undefined

  constructor ({ artists, albums, tracks, credits }: Listed, items: ItemIndex) {
    this.artists = sortedBy(artists, ({ name }) => withoutArticle(name))
    this.albums = sortedBy(albums, ({ name }) => name, ({ artistName = '' }) => artistName)
    this.#tracks = typeof tracks === 'function' ? tracks : byAlbum(tracks, this.albums)
    this.#credits = credits
    this.#items = items
  }

  /** Bytes in memory, roughly. */
  get bytes (): number {
    const [first] = this.made
    const ofTrack = first !== undefined && isWhole(first) ? 1500 : 100
    return 500 * this.artists.length + 1000 * this.albums.length + ofTrack * this.made.length
  }

  /** The tracks, where nobody has to ask for them first, or has. */
  get made (): readonly ListedTrack[] { return typeof this.#tracks === 'function' ? [] : this.#tracks }

  /** In the order of their albums, those of one album as the source has them. */
  get tracks (): readonly ListedTrack[] {
    if (typeof this.#tracks === 'function') this.#tracks = byAlbum(this.#tracks(), this.albums)
    return this.#tracks
  }

  get genres (): readonly Genre[] {
    this.#genres ??= countGenres(this.albums, this.tracks)
    return this.#genres
  }

  /** Albums by the name of their artist. */
  get albumsByArtist (): readonly Album[] {
    return this.#keep('artist', () => sortedBy([...this.albums], ({ artistName }) => withoutArticle(artistName ?? '')))
  }

  /** Albums, the newest first; those without a time last. */
  get albumsByTime (): readonly Album[] {
    return this.#keep('time', () => this.albums.toSorted((a, b) => timeOf(b) - timeOf(a)))
  }

  /** The albums here that are by an artist, or have a track by the artist. */
  albumsOf (artistId: string): readonly Album[] {
    this.#byArtist ??= this.#groupByArtist()
    return this.#byArtist.get(artistId) ?? []
  }

  /** How many of them are the artist's own. */
  ownAlbumsOf (artistId: string): number {
    return this.albumsOf(artistId).filter(album => this.#items.isOwn(album, artistId)).length
  }

  /** Whether the artist has a part in a track. */
  playsOn (artistId: string): boolean {
    return this.albumsOf(artistId).some(({ id }) => this.#credits.get(id)?.has(artistId))
  }

  #groupByArtist (): ReadonlyMap<string, readonly Album[]> {
    const byArtist = new Map<string, Album[]>()
    for (const album of this.albums) {
      for (const id of new Set([this.#items.artistOf(album)?.id, ...this.#credits.get(album.id) ?? []])) {
        if (id !== undefined) byArtist.get(id)?.push(album) ?? byArtist.set(id, [album])
      }
    }
    return byArtist
  }

  #keep (order: string, sort: () => readonly Album[]): readonly Album[] {
    const kept = this.#sorted.get(order) ?? sort()
    this.#sorted.set(order, kept)
    return kept
  }
}

const timeOf = ({ publishTime }: Album) => publishTime ?? -Infinity

function sortedBy<T> (
  items: readonly T[], key: (item: T) => string, second: (item: T) => string = () => ''
): readonly T[] {
  return items.map(item => ({ item, key: sortKey(key(item)), second: sortKey(second(item)) }))
    .sort((a, b) => compareKeys(a.key, b.key) || compareKeys(a.second, b.second)).map(({ item }) => item)
}

/** The tracks of albums one album after the other; those of no album here come last. */
function byAlbum (tracks: readonly ListedTrack[], albums: readonly Album[]): readonly ListedTrack[] {
  const sorted = new Map<string, ListedTrack[]>(albums.map(({ id }) => [id, []]))
  for (const track of tracks) sorted.get(track.album.id)?.push(track) ?? sorted.set(track.album.id, [track])
  return [...sorted.values()].flat()
}
