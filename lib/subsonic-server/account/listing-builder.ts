import type { Album, Artist, Track } from '../../../schemas/index.ts'
import type { TrackFacets } from '../subsonic-library.ts'
import { isNamed, type ItemIndex } from './item-index.ts'
import { albumFacets, trackFacets } from './genres.ts'
import type { Facets, ListedTrack } from './listed-track.ts'
import { Listing, type Part, type PlacedTrack } from './listing.ts'

interface Kept {
  /** Kinds whose favourites the source lists: what the items said of it would get old. */
  readonly listed: ReadonlySet<keyof Part>
  /** Whether the parts name all artists and albums, so that those of tracks are not added. */
  readonly isWhole: boolean
  /** Whether the source reads tracks by their ids, so that no more is kept of them. */
  readonly areRead?: boolean
}

const unknown: Facets = { genres: [], year: undefined }

/** Gathers what a listing is made of. */
export class ListingBuilder {
  readonly #index: ItemIndex
  readonly #kept: Kept
  readonly #artists = new Map<string, Artist>()
  readonly #albums = new Map<string, Album>()
  readonly #tracks = new Map<string, ListedTrack>()
  readonly #credits = new Map<string, Set<string>>()
  /** What many tracks have in common is kept once. */
  readonly #albumsOfTracks = new Map<string, { readonly id: string }>()
  readonly #facets = new Map<string, Facets>()
  readonly #facetsOfTracks = new Map(Array<TrackFacets>())

  constructor (index: ItemIndex, kept: Kept) {
    this.#index = index
    this.#kept = kept
  }

  add ({ artists = [], albums = [], tracks = [] }: Part): this {
    for (const artist of artists) add(this.#artists, artist)
    for (const album of albums) add(this.#albums, album)
    for (const track of tracks) this.#addTrack(track)
    return this
  }

  /** Adds who plays on an album. */
  addCredits (albumId: string, artistIds: Iterable<string>): void {
    this.#credits.set(albumId, new Set(artistIds))
  }

  /** Adds genres and years of tracks whose ids alone are known. */
  addFacets (some: readonly TrackFacets[]): void {
    for (const [id, facets] of some) this.#facetsOfTracks.set(id, facets)
  }

  /** @param placed its tracks, where the ids alone are known */
  build (placed?: readonly PlacedTrack[]): Listing {
    for (const artist of this.#artists.values()) this.#index.noteArtist(artist, artist.coverUrl)
    for (const album of this.#albums.values()) this.#index.noteAlbum(album)
    const known = <T extends Artist | Album>(kind: keyof Part, items: Map<string, T>) =>
      this.#kept.listed.has(kind) ? Array.from(items.values(), withoutFavorite) : [...items.values()]
    return new Listing({
      artists: known('artists', this.#artists),
      albums: known('albums', this.#albums),
      tracks: placed === undefined ? [...this.#tracks.values()] : () => this.#place(placed),
      credits: this.#credits
    }, this.#index)
  }

  #place (placed: readonly PlacedTrack[]): ListedTrack[] {
    const albums = new Map(Array.from(this.#albums.values(), (album): [string, Facets] =>
      [album.id, albumFacets(album)]))
    return placed.map(({ id, album }) => {
      const facets = this.#facetsOfTracks.get(id)
      const ofAlbum = albums.get(album.id) ?? unknown
      const own = facets === undefined
        ? ofAlbum
        : this.#facetsOf({ genres: facets.genres ?? ofAlbum.genres, year: facets.year ?? ofAlbum.year })
      return { id, album, facets: own }
    })
  }

  #addTrack (track: Track): void {
    const { id, album, artists } = track
    if (!this.#tracks.has(id)) {
      this.#tracks.set(id, this.#keep(track))
      const credited = this.#credits.get(album.id) ?? new Set()
      for (const artist of artists) credited.add(artist.id)
      this.#credits.set(album.id, credited)
    }
    if (this.#kept.areRead) this.#index.noteArtistsOf(track)
    else this.#index.noteTrack(track)
    if (this.#kept.isWhole) return
    add(this.#albums, album)
    for (const artist of artists) add(this.#artists, artist)
  }

  #keep (track: Track): ListedTrack {
    if (!this.#kept.areRead) return this.#kept.listed.has('tracks') ? withoutFavorite(track) : track
    const { id } = track.album
    const album = this.#albumsOfTracks.get(id) ?? { id }
    this.#albumsOfTracks.set(id, album)
    return { id: track.id, album, facets: this.#facetsOf(trackFacets(track)) }
  }

  #facetsOf (facets: Facets): Facets {
    const key = JSON.stringify([facets.genres, facets.year])
    const kept = this.#facets.get(key) ?? facets
    this.#facets.set(key, kept)
    return kept
  }
}

/** An item that does not say whether it is a favourite. */
export function withoutFavorite<T extends { favorite?: boolean | undefined }> (item: T): T {
  if (item.favorite === undefined) return item
  const { favorite: _old, ...others } = item
  return others as T
}

function add<T extends { id: string, name: string }> (items: Map<string, T>, item: T): void {
  if (!isNamed(item)) return
  const known = items.get(item.id)
  // What comes first is usually the fuller one; a later one may know more.
  items.set(item.id, known === undefined ? item : merged(known, item))
}

const isKnown = (value: unknown) => value !== undefined && value !== null && value !== ''

/** The first one with what it does not know. */
const merged = <T extends Artist | Album>(first: T, other: T): T => ({
  ...other,
  ...first,
  ...Object.fromEntries(Object.entries(other).filter(([name]) => !isKnown(first[name as keyof T])))
})
