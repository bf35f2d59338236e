import { extras } from '../../schemas/extras.ts'
import type { Album, Track } from '../../schemas/index.ts'
import type {
  LibraryFacets, LibraryGenre, LibraryItems, LibraryKind, LibraryQuery, LibrarySort, SourceLibrary
} from '../contract/source-library.ts'
import { compareKeys, foldName, letterOf, sortKey, withoutArticle } from '../text/names.ts'
import { completeItems, type CompleteLists, type LibraryLists } from './complete-items.ts'

/** An item with what it is found and sorted by. */
interface Entry {
  readonly id: string
  readonly letter: string
  readonly name: string
  readonly artist: string
  /** Folded. */
  readonly genres: ReadonlySet<string>
  readonly years: ReadonlySet<number>
  readonly year: number | undefined
  readonly added: number | undefined
}

const sorts: Readonly<Record<LibraryKind, readonly LibrarySort[]>> =
  { albums: ['name', 'artist', 'year', 'added'], artists: ['name'], tracks: ['album', 'name'] }

type Entries = Readonly<Record<LibraryKind, readonly Entry[]>>
type Tagged = Pick<Album, typeof extras | 'genre' | 'publishTime'>

const genresIn = ({ genre, [extras]: more }: Tagged): readonly string[] => more?.genres ?? (genre ? [genre] : [])

const genresOf = (track: Track): readonly string[] => track[extras]?.genres ?? genresIn(track.album)

export function yearOf ({ publishTime, [extras]: more }: Tagged): number | undefined {
  if (more?.year !== undefined) return more.year
  // Upstreams give midnight of their own time zone.
  return typeof publishTime === 'number' ? new Date(publishTime + 43_200_000).getUTCFullYear() : undefined
}

export const yearOfTrack = (track: Track) => track[extras]?.year ?? yearOf(track.album)

export function timeOf ({ publishTime, [extras]: more }: Tagged): number | undefined {
  const time = Date.parse(more?.created ?? '')
  return Number.isNaN(time) ? publishTime ?? undefined : time
}

const defined = <T>(values: Iterable<T | undefined>): Set<T> =>
  new Set([...values].filter((value): value is T => value !== undefined))

/** A library of lists in memory. */
export class ArrayLibrary implements SourceLibrary {
  readonly revision: string
  readonly changedAt: number
  readonly #lists: CompleteLists
  readonly #items: Readonly<Record<LibraryKind, ReadonlyMap<string, LibraryItems[LibraryKind]>>>
  #entries: Entries | undefined

  constructor (
    lists: LibraryLists, { revision, changedAt }: { revision: string, changedAt: number }, isWhole: boolean
  ) {
    this.revision = revision
    this.changedAt = changedAt
    this.#lists = completeItems(lists, isWhole)
    const byId = (items: readonly LibraryItems[LibraryKind][]) => new Map(items.map(item => [item.id, item]))
    const { artists, albums, tracks } = this.#lists
    this.#items = { artists: byId(artists), albums: byId(albums), tracks: byId(tracks) }
  }

  ids ({ kind, sort, order = 'asc', letter, genre, artist, album, years }: LibraryQuery): string[] {
    const wanted = genre && foldName(genre)
    const { albumsOf, tracksOf } = this.#lists
    const ofAlbum = album === undefined ? undefined : new Set((tracksOf.get(album) ?? []).map(({ id }) => id))
    const byArtist = artist === undefined ? undefined : albumsOf.get(artist) ?? new Set()
    const fits = (entry: Entry) =>
      (ofAlbum === undefined || ofAlbum.has(entry.id)) &&
      (byArtist === undefined || byArtist.has(entry.id)) &&
      (letter === undefined || entry.letter === letter) &&
      (wanted === undefined || entry.genres.has(wanted)) &&
      (years === undefined || [...entry.years].some(year => year >= years[0] && year <= years[1]))
    const by = sort ?? (kind === 'tracks' ? 'album' : 'name')
    return sorted(this.#made[kind].filter(fits), by, order).map(({ id }) => id)
  }

  items<K extends LibraryKind> (kind: K, ids: readonly string[]): (LibraryItems[K] | undefined)[] {
    return ids.map(id => this.item(kind, id))
  }

  item<K extends LibraryKind> (kind: K, id: string): LibraryItems[K] | undefined {
    return this.#items[kind].get(id) as LibraryItems[K] | undefined
  }

  facets (kind: LibraryKind): LibraryFacets {
    const entries = sorted(this.#made[kind], 'name', 'asc')
    return {
      total: entries.length,
      sorts: sorts[kind],
      letters: [...new Set(entries.map(({ letter }) => letter))],
      years: [...new Set(entries.flatMap(({ years }) => [...years]))].sort((a, b) => b - a),
      genres: this.#genres()
    }
  }

  /** How many there are of a kind. */
  count (kind: LibraryKind): number { return this.#items[kind].size }

  get #made (): Entries {
    this.#entries ??= this.#makeEntries()
    return this.#entries
  }

  #makeEntries (): Entries {
    const { artists, albums, tracks, tracksOf, albumsOf } = this.#lists
    const folded = (genres: Iterable<string>) => new Set([...genres].map(foldName))
    const albumsById = new Map(albums.map((album): [string, Entry] => {
      const ofTracks = tracksOf.get(album.id) ?? []
      return [album.id, {
        id: album.id,
        letter: letterOf(album.name),
        name: sortKey(album.name),
        artist: sortKey(withoutArticle(album.artistName ?? '')),
        genres: folded([...genresIn(album), ...ofTracks.flatMap(genresOf)]),
        years: defined([yearOf(album), ...ofTracks.map(yearOfTrack)]),
        year: yearOf(album),
        added: timeOf(album)
      }]
    }))
    return {
      artists: artists.map(({ id, name }) => ({
        id,
        letter: letterOf(withoutArticle(name)),
        name: sortKey(withoutArticle(name)),
        artist: '',
        genres: new Set([...albumsOf.get(id) ?? []].flatMap(album => [...albumsById.get(album)?.genres ?? []])),
        years: new Set(),
        year: undefined,
        added: undefined
      })),
      albums: [...albumsById.values()],
      // Album by album.
      tracks: sorted([...albumsById.values()], 'name', 'asc').map(({ id }) => tracksOf.get(id) ?? [])
        .concat(tracks.filter(({ album }) => !albumsById.has(album.id))).flat().map(track => ({
          id: track.id,
          letter: letterOf(track.title),
          name: sortKey(track.title),
          artist: '',
          genres: folded(genresOf(track)),
          years: defined([yearOfTrack(track)]),
          year: yearOfTrack(track),
          added: timeOf({ ...track.album, [extras]: { created: track[extras]?.created ?? '' } })
        }))
    }
  }

  /** Songs of an album that are not all known are those that it says it has. */
  #genres (): LibraryGenre[] {
    const { albums, tracks, tracksOf } = this.#lists
    const genres = new Map<string, { name: string, tracks: number, albums: Set<string> }>()
    const note = (name: string, count: number, album?: string) => {
      const key = foldName(name)
      const genre = genres.get(key) ?? { name, tracks: 0, albums: new Set() }
      genres.set(key, genre)
      genre.tracks += count
      if (album !== undefined) genre.albums.add(album)
    }
    for (const album of albums) {
      const known = tracksOf.get(album.id) ?? []
      const { trackCount = 0 } = album
      const own = new Set(genresIn(album))
      const areAllKnown = known.length >= trackCount
      for (const name of own) note(name, areAllKnown ? 0 : trackCount, album.id)
      for (const track of known) {
        for (const name of genresOf(track)) note(name, areAllKnown || !own.has(name) ? 1 : 0, album.id)
      }
    }
    for (const track of tracks) {
      if (this.item('albums', track.album.id) === undefined) for (const name of genresOf(track)) note(name, 1)
    }
    return [...genres.values()].map(({ name, tracks, albums }) => ({ name, tracks, albums: albums.size }))
      .sort((a, b) => compareKeys(sortKey(a.name), sortKey(b.name)))
  }
}

/** @param sort what a library of lists does not know is by name */
function sorted (entries: readonly Entry[], sort: LibrarySort, order: 'asc' | 'desc'): readonly Entry[] {
  const sign = order === 'desc' ? -1 : 1
  const byName = (a: Entry, b: Entry) => compareKeys(a.name, b.name)
  switch (sort) {
    case 'artist':
      return entries.toSorted((a, b) => sign * (compareKeys(a.artist, b.artist) || byName(a, b)))
    case 'year':
    case 'added': {
      const last = sign * Infinity
      return entries.toSorted((a, b) => {
        const [first, second] = [a[sort] ?? last, b[sort] ?? last]
        return first === second ? byName(a, b) : sign * (first < second ? -1 : 1)
      })
    }
    case 'album': return order === 'asc' ? entries : entries.toReversed()
    default: return entries.toSorted((a, b) => sign * byName(a, b))
  }
}
