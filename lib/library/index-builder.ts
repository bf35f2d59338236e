import { extras } from '../../schemas/extras.ts'
import type { Album, Track } from '../../schemas/index.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import { compareNames, foldName, letterOf, withoutArticle } from '../text/names.ts'
import { Interned, InternedSets } from './interned.ts'
import { genresIn, genresOf, yearOfTrack } from './item-fields.ts'
import { sortInSteps } from './sort-in-steps.ts'
import { sortValueOf } from './sort-values.ts'

type Item = LibraryItems[LibraryKind]

/** What lists of one kind are made of: a row for each item, by its number. */
class Rows {
  readonly ids = new Interned()
  readonly letters: number[] = []
  readonly genres: number[] = []
  readonly years: number[] = []
  /** NaN where it is unknown. */
  readonly year: number[] = []
  readonly added: number[] = []
  /** Keys of names and of artists of albums. They are dropped when the orders are known. */
  names: string[] = []
  artists: string[] = []
}

/** A number for each item of a list in the order of a comparison, the same for equals. */
function ranksOf (order: Uint32Array, keys: readonly string[]): Uint32Array {
  const ranks = new Uint32Array(order.length)
  let rank = 0
  for (const [at, row] of order.entries()) {
    if (at > 0 && keys[row] !== keys[order[at - 1]!]) rank++
    ranks[row] = rank
  }
  return ranks
}

function * orderBy (keys: readonly string[]): Generator<void, Uint32Array, undefined> {
  const order = Uint32Array.from(keys.keys())
  yield * sortInSteps(order, (a, b) => keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : 0)
  return order
}

/** The finished columns of a kind. */
export interface Columns {
  readonly ids: Interned
  readonly letter: Uint16Array
  /** Numbers of sets. */
  readonly genres: Uint32Array
  readonly years: Uint32Array
  readonly year: Float64Array
  readonly added: Float64Array
  /** Rows in the order of names, and the place of each row in it: the same for equal names. */
  readonly byName: Uint32Array
  readonly nameRank: Uint32Array
  readonly artistRank: Uint32Array | undefined
}

/** A genre with its counts. */
export interface GenreCount { readonly name: string, tracks: number, albums: number }

/** What a `LibraryIndex` is made of. */
export interface IndexParts {
  readonly columns: Readonly<Record<LibraryKind, Columns>>
  readonly letters: readonly string[]
  readonly genreIds: Interned
  readonly genreSets: InternedSets
  readonly genres: readonly GenreCount[]
  readonly yearSets: InternedSets
  /** Tracks album by album; those of the album in a row begin at its number, and end at the next one. */
  readonly byAlbum: Uint32Array
  readonly albumStarts: Uint32Array
  /** Rows of the albums that are by an artist or have a track by the artist. */
  readonly albumsOf: ReadonlyMap<string, ReadonlySet<number>>
}

const kinds = ['artists', 'albums', 'tracks'] as const

/** Collects the items of a library and makes its lists, in steps. Only numbers and ids stay in memory. */
export class IndexBuilder {
  readonly #rows = { artists: new Rows(), albums: new Rows(), tracks: new Rows() }
  readonly #letters = new Interned()
  readonly #genreIds = new Interned()
  /** As they were written first. */
  readonly #genreNames: string[] = []
  readonly #genreSets = new InternedSets()
  readonly #yearSets = new InternedSets()
  /** Ids of the albums that anything is of, and of artists with the albums that they are on. */
  readonly #albums = new Interned()
  readonly #albumsOf = new Map<string, Set<number>>()
  readonly #albumOfTrack: number[] = []
  readonly #places: number[] = []
  readonly #trackCounts: number[] = []

  /** How many there are of a kind. */
  count (kind: LibraryKind): number { return this.#rows[kind].ids.texts.length }

  /**
   * Adds an item.
   *
   * @param place of a track in its album. Default: behind those that were added before
   * @returns whether it is new; one with a known id is left out
   */
  add<K extends LibraryKind> (kind: K, item: LibraryItems[K], place = 0): boolean {
    const rows = this.#rows[kind]
    const count = rows.ids.texts.length
    if (rows.ids.numberOf(item.id) < count) return false
    const name = 'title' in item ? item.title : kind === 'artists' ? withoutArticle(item.name) : item.name
    rows.letters.push(this.#letters.numberOf(letterOf(name)))
    rows.names.push(sortValueOf({ kind, sort: 'name' }, item).first as string)
    rows.year.push(sortNumber(kind, 'year', item))
    rows.added.push(sortNumber(kind, 'added', item))
    if (kind === 'albums') this.#addAlbum(item as Album)
    if (kind === 'tracks') this.#addTrack(item as Track, place)
    return true
  }

  #addAlbum (album: Album): void {
    const { albums } = this.#rows
    albums.artists.push(sortValueOf({ kind: 'albums', sort: 'artist' }, album).first as string)
    albums.genres.push(this.#genresOf(genresIn(album)))
    this.#trackCounts.push(album.trackCount ?? 0)
    for (const { id } of album[extras]?.artists ?? []) this.#noteArtist(id, album.id)
  }

  #addTrack (track: Track, place: number): void {
    const { tracks } = this.#rows
    tracks.genres.push(this.#genresOf(genresOf(track)))
    const year = yearOfTrack(track)
    tracks.years.push(this.#yearSets.numberOf(year === undefined ? [] : [year]))
    this.#albumOfTrack.push(this.#albums.numberOf(track.album.id))
    this.#places.push(place)
    for (const { id } of track.artists) this.#noteArtist(id, track.album.id)
  }

  #noteArtist (artist: string, album: string): void {
    const known = this.#albumsOf.get(artist) ?? new Set()
    this.#albumsOf.set(artist, known.add(this.#albums.numberOf(album)))
  }

  #genresOf (names: readonly string[]): number {
    const numbers = names.map(name => {
      const number = this.#genreIds.numberOf(foldName(name))
      this.#genreNames[number] ??= name
      return number
    })
    return this.#genreSets.numberOf(numbers)
  }

  /** Makes the lists. Between two steps others may have their turn. */
  * build (): Generator<void, IndexParts, undefined> {
    const rows = this.#rows
    const byName = {
      artists: yield * orderBy(rows.artists.names),
      albums: yield * orderBy(rows.albums.names),
      tracks: yield * orderBy(rows.tracks.names)
    }
    const artistRank = ranksOf(yield * orderBy(rows.albums.artists), rows.albums.artists)
    const { byAlbum, starts } = yield * this.#orderTracks(byName.albums)
    const genres = yield * this.#completeSets(byName.albums, byAlbum, starts)
    const columns = Object.fromEntries(kinds.map(kind => [kind, {
      ids: rows[kind].ids,
      letter: Uint16Array.from(rows[kind].letters),
      genres: Uint32Array.from(rows[kind].genres),
      years: Uint32Array.from(rows[kind].years),
      year: Float64Array.from(rows[kind].year),
      added: Float64Array.from(rows[kind].added),
      byName: byName[kind],
      nameRank: ranksOf(byName[kind], rows[kind].names),
      artistRank: kind === 'albums' ? artistRank : undefined
    }])) as Record<LibraryKind, Columns>
    const rowOf = (album: number) => rows.albums.ids.find(this.#albums.texts[album]!)
    const albumsOf = new Map([...this.#albumsOf].map(([artist, albums]) =>
      [artist, new Set([...albums].map(rowOf).filter(row => row !== undefined))] as const))
    return {
      columns,
      letters: this.#letters.texts,
      genreIds: this.#genreIds,
      genreSets: this.#genreSets,
      genres,
      yearSets: this.#yearSets,
      byAlbum,
      albumStarts: starts,
      albumsOf
    }
  }

  /** Tracks by the names of their albums and their places, those of unknown albums last. */
  * #orderTracks (albumsByName: Uint32Array) {
    const { ids } = this.#rows.albums
    const count = ids.texts.length
    const placeOfRow = new Uint32Array(count)
    for (const [at, row] of albumsByName.entries()) placeOfRow[row] = at
    /** By the number of the album: the place of its row among those by name. */
    const albumPlace = Uint32Array.from(this.#albums.texts, id => {
      const row = ids.find(id)
      return row === undefined ? count : placeOfRow[row]!
    })
    const placeOf = (track: number) => albumPlace[this.#albumOfTrack[track]!]!
    const byAlbum = Uint32Array.from(this.#albumOfTrack.keys())
    yield * sortInSteps(byAlbum, (a, b) => placeOf(a) - placeOf(b) || this.#places[a]! - this.#places[b]!)
    const starts = new Uint32Array(count + 1)
    let place = 0
    for (const [at, track] of byAlbum.entries()) {
      while (place < placeOf(track)) starts[++place] = at
    }
    while (place < count) starts[++place] = byAlbum.length
    return { byAlbum, starts }
  }

  /** Adds genres and years of tracks to their albums, genres of albums to their artists, and counts genres. */
  * #completeSets (byName: Uint32Array, byAlbum: Uint32Array, starts: Uint32Array) {
    const { artists, albums, tracks } = this.#rows
    const { sets } = this.#genreSets
    const genres = this.#genreNames.map((name): GenreCount => ({ name, tracks: 0, albums: 0 }))
    for (const [place, album] of byName.entries()) {
      if (place % 1000 === 999) yield
      const own = sets[albums.genres[album]!]!
      const count = this.#trackCounts[album]!
      const known = byAlbum.subarray(starts[place]!, starts[place + 1]!)
      // Tracks of an album that are not all known are those that it says it has.
      const areAllKnown = known.length >= count
      const [all, years] = [new Set(own), new Set<number>()]
      if (!Number.isNaN(albums.year[album])) years.add(albums.year[album]!)
      for (const genre of own) if (!areAllKnown) genres[genre]!.tracks += count
      for (const track of known) {
        for (const genre of sets[tracks.genres[track]!]!) {
          all.add(genre)
          if (areAllKnown || !own.includes(genre)) genres[genre]!.tracks++
        }
        for (const year of this.#yearSets.sets[tracks.years[track]!]!) years.add(year)
      }
      for (const genre of all) genres[genre]!.albums++
      albums.genres[album] = this.#genreSets.numberOf(all)
      albums.years[album] = this.#yearSets.numberOf(years)
    }
    for (const track of byAlbum.subarray(starts[byName.length])) {
      for (const genre of sets[tracks.genres[track]!]!) genres[genre]!.tracks++
    }
    yield
    for (const [artist, id] of artists.ids.texts.entries()) {
      const own = new Set<number>()
      for (const number of this.#albumsOf.get(id) ?? []) {
        const album = albums.ids.find(this.#albums.texts[number]!)
        for (const genre of album === undefined ? [] : sets[albums.genres[album]!]!) own.add(genre)
      }
      artists.genres[artist] = this.#genreSets.numberOf(own)
      artists.years[artist] = this.#yearSets.numberOf([])
    }
    return genres.sort((a, b) => compareNames(a.name, b.name))
  }
}

const sortNumber = (kind: LibraryKind, sort: 'year' | 'added', item: Item): number =>
  sortValueOf({ kind, sort }, item).first as number | undefined ?? NaN
