import type { Album, Artist, Track } from '../../../schemas/index.ts'
import { fold, isNamed, type ItemIndex } from './item-index.ts'

/** Words that artists are not sorted by. */
export const ignoredArticles = ['The', 'El', 'La', 'Los', 'Las', 'Le', 'Les']
const article = new RegExp(`^(?:${ignoredArticles.join('|')})\\s+`, 'i')

const { compare } = new Intl.Collator('en', { numeric: true })

/** What a list can be made of: parts that came from different calls. */
export interface Part { artists?: Iterable<Artist>, albums?: Iterable<Album>, tracks?: Iterable<Track> }

/** Artists, albums and tracks of a source, each once, sorted. */
export class Listing {
  /** Unix milliseconds at which it was made. */
  readonly madeAt = Date.now()
  /** By name without articles. */
  readonly artists: readonly Artist[]
  /** By name. */
  readonly albums: readonly Album[]
  readonly tracks: readonly Track[]
  readonly #items: ItemIndex
  readonly #sorted = new Map<string, readonly Album[]>()
  #byArtist: ReadonlyMap<string, readonly Album[]> | undefined

  /**
   * @param listed kinds whose favourites the source lists: what the items said of it would get old
   * @param isWhole whether the parts name all artists and albums, so that those of tracks are not added
   */
  constructor (parts: Iterable<Part>, index: ItemIndex, listed: ReadonlySet<keyof Part>, isWhole = false) {
    const artists = new Map<string, Artist>()
    const albums = new Map<string, Album>()
    const tracks = new Map<string, Track>()
    for (const part of parts) {
      for (const artist of part.artists ?? []) add(artists, artist)
      for (const album of part.albums ?? []) add(albums, album)
      for (const track of part.tracks ?? []) {
        if (!tracks.has(track.id)) tracks.set(track.id, listed.has('tracks') ? withoutFavorite(track) : track)
        index.noteTrack(track)
        if (isWhole) continue
        add(albums, track.album)
        for (const artist of track.artists) add(artists, artist)
      }
    }
    for (const artist of artists.values()) index.noteArtist(artist, artist.coverUrl)
    for (const album of albums.values()) index.noteAlbum(album)
    this.#items = index
    const known = <T extends Artist | Album>(kind: keyof Part, items: Map<string, T>) =>
      listed.has(kind) ? Array.from(items.values(), withoutFavorite) : [...items.values()]
    this.artists = sortedBy(known('artists', artists), ({ name }) => withoutArticle(name))
    this.albums = sortedBy(known('albums', albums), ({ name }) => name)
    this.tracks = [...tracks.values()]
  }

  /** Bytes in memory, roughly. */
  get bytes (): number {
    return 500 * this.artists.length + 800 * this.albums.length + 1500 * this.tracks.length
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

  #groupByArtist (): ReadonlyMap<string, readonly Album[]> {
    const artistsOf = new Map(this.albums.map(album => [album.id, new Set([this.#items.artistOf(album)?.id])]))
    for (const { album, artists } of this.tracks) for (const { id } of artists) artistsOf.get(album.id)?.add(id)
    const byArtist = new Map<string, Album[]>()
    for (const album of this.albums) {
      for (const id of artistsOf.get(album.id)!) {
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

/** An item that does not say whether it is a favourite. */
export function withoutFavorite<T extends { favorite?: boolean | undefined }> (item: T): T {
  if (item.favorite === undefined) return item
  const { favorite: _old, ...others } = item
  return others as T
}

const timeOf = ({ publishTime }: Album) => publishTime ?? -Infinity

function add<T extends { id: string, name: string }> (items: Map<string, T>, item: T): void {
  if (!isNamed(item)) return
  const known = items.get(item.id)
  // What comes first is usually the fuller one; a later one may know more.
  items.set(item.id, known === undefined ? item : { ...item, ...withoutBlanks(known) })
}

const isKnown = (value: unknown) => value !== undefined && value !== null && value !== ''

const withoutBlanks = <T extends object>(item: T): T =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => isKnown(value))) as T

export const withoutArticle = (name: string): string => name.trim().replace(article, '')

/** The letter of the index that a name stands under; `#` for all that begins with none. */
export function letterOf (name: string): string {
  const [letter = ''] = fold(withoutArticle(name))
  return /\p{L}/u.test(letter) ? letter.toUpperCase() : '#'
}

function sortedBy<T> (items: T[], key: (item: T) => string): readonly T[] {
  return items.map(item => ({ item, key: key(item) })).sort((a, b) => compare(a.key, b.key)).map(({ item }) => item)
}
