import { extras } from '../../schemas/extras.ts'
import type { Album, Track } from '../../schemas/index.ts'
import { createYield } from '../async/create-yield.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import { compareNames, foldName, letterOf, withoutArticle } from '../text/names.ts'
import { orderBy, ranksOf, type Columns, type GenreCount, type IndexParts } from './index-parts.ts'
import { Interned, InternedSets } from './interned.ts'
import { genresIn, genresOf, yearOfTrack } from './item-fields.ts'
import { LibraryIndex } from './library-index.ts'
import { sortInSteps } from './sort-in-steps.ts'
import { sortValueOf } from './sort-values.ts'

type Item = LibraryItems[LibraryKind]

/** The columns of the lists of one kind, with a row for each item. */
class Rows {
  readonly ids = new Interned()
  readonly letters: number[] = []
  readonly genres: number[] = []
  readonly years: number[] = []
  /** NaN if unknown. */
  readonly year: number[] = []
  readonly added: number[] = []
  /** Sort keys of names and of album artists. */
  names: string[] = []
  artists: string[] = []
}

const kinds = ['artists', 'albums', 'tracks'] as const

/** Collects the items of a library and builds its lists in steps. Only numbers and ids stay in memory. */
export class IndexBuilder {
  readonly #rows = { artists: new Rows(), albums: new Rows(), tracks: new Rows() }
  readonly #letters = new Interned()
  readonly #genreIds = new Interned()
  /** Genre names in their first spelling. */
  readonly #genreNames: string[] = []
  readonly #genreSets = new InternedSets()
  readonly #yearSets = new InternedSets()
  /** Ids of the albums of all tracks and artists, and the albums of each artist. */
  readonly #albums = new Interned()
  readonly #albumsOf = new Map<string, Set<number>>()
  readonly #albumOfTrack: number[] = []
  readonly #places: number[] = []
  readonly #trackCounts: number[] = []

  /** Returns the number of items of a kind. */
  count (kind: LibraryKind): number { return this.#rows[kind].ids.texts.length }

  /**
   * Adds an item.
   *
   * @param place the position of a track in its album. Tracks with the same position are in the order of their ids.
   * Tracks without a position are last, in the order in which they were added
   * @returns `false` if the id is known; the item is then ignored
   */
  add<K extends LibraryKind> (kind: K, item: LibraryItems[K], place?: number): boolean {
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

  #addTrack (track: Track, place = Infinity): void {
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

  /** Builds the lists without blocking the event loop. */
  async build (): Promise<LibraryIndex> {
    const pause = createYield()
    const steps = this.#build()
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return new LibraryIndex(value)
      await pause()
    }
  }

  * #build (): Generator<void, IndexParts, undefined> {
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

  /** Sorts tracks by album name and position. Tracks of unknown albums are last. */
  * #orderTracks (albumsByName: Uint32Array) {
    const { ids } = this.#rows.albums
    const count = ids.texts.length
    const placeOfRow = new Uint32Array(count)
    for (const [at, row] of albumsByName.entries()) placeOfRow[row] = at
    /** The position of each album in the order of names, by the number of the album. */
    const albumPlace = Uint32Array.from(this.#albums.texts, id => {
      const row = ids.find(id)
      return row === undefined ? count : placeOfRow[row]!
    })
    const placeOf = (track: number) => albumPlace[this.#albumOfTrack[track]!]!
    const trackIds = this.#rows.tracks.ids.texts
    const compareInAlbum = (a: number, b: number): number => {
      const [place, other] = [this.#places[a]!, this.#places[b]!]
      if (place !== other) return place < other ? -1 : 1
      return place === Infinity ? 0 : trackIds[a]! < trackIds[b]! ? -1 : 1
    }
    const byAlbum = Uint32Array.from(this.#albumOfTrack.keys())
    yield * sortInSteps(byAlbum, (a, b) => placeOf(a) - placeOf(b) || compareInAlbum(a, b))
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
      // If some tracks of an album are unknown, the album's track count is used.
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
