import type { LibraryFacets, LibraryKind, LibraryQuery, LibrarySort, RandomIds } from '../contract/source-library.ts'
import { sample } from '../async/sample.ts'
import { foldName } from '../text/names.ts'
import type { Columns, IndexParts } from './index-parts.ts'

const sorts: Readonly<Record<LibraryKind, readonly LibrarySort[]>> =
  { albums: ['name', 'artist', 'year', 'added'], artists: ['name'], tracks: ['album', 'name'] }

/** The lists of a library, without its items. */
export class LibraryIndex {
  readonly #parts: IndexParts

  constructor (parts: IndexParts) {
    this.#parts = parts
  }

  ids (query: LibraryQuery): string[] {
    const { kind, sort, order = 'asc', album } = query
    const columns = this.#parts.columns[kind]
    const by = sort ?? (kind === 'tracks' ? 'album' : 'name')
    const rows = Array.from(this.#rows(query, by))
    const { nameRank } = columns
    if (album !== undefined && by !== 'album') rows.sort((a, b) => nameRank[a]! - nameRank[b]!)
    return sorted(rows, columns, by, order).map(row => columns.ids.texts[row]!)
  }

  randomIds (query: LibraryQuery, count: number): RandomIds {
    const { ids } = this.#parts.columns[query.kind]
    const rows = this.#rows(query)
    return { ids: sample(rows, count).map(row => ids.texts[row]!), total: rows.length }
  }

  /** Returns the rows of a query: tracks by `album` in the order of their albums, others in the order of names. */
  #rows ({ kind, letter, genre, artist, album, years }: LibraryQuery, by?: LibrarySort): Uint32Array {
    const { columns, byAlbum, albumsOf, letters, genreIds, genreSets, yearSets } = this.#parts
    const { byName, letter: letterOf, genres: genresOf, years: yearsOf } = columns[kind]
    const all = kind === 'tracks' && album !== undefined
      ? this.#tracksOf(album)
      : kind === 'tracks' && by === 'album' ? byAlbum : byName
    if ((letter ?? genre ?? artist ?? years) === undefined) return all
    const ofArtist = artist === undefined ? undefined : albumsOf.get(artist) ?? new Set()
    const wanted = genre === undefined ? undefined : genreIds.find(foldName(genre)) ?? -1
    const hasGenre = genreSets.which(number => number === wanted)
    const hasYear = yearSets.which(year => years !== undefined && year >= years[0] && year <= years[1])
    const letterId = letter === undefined ? undefined : letters.indexOf(letter)
    return all.filter(row =>
      (ofArtist === undefined || ofArtist.has(row)) &&
      (letterId === undefined || letterOf[row] === letterId) &&
      (wanted === undefined || hasGenre[genresOf[row]!]) &&
      (years === undefined || hasYear[yearsOf[row]!]))
  }

  #tracksOf (album: string): Uint32Array {
    const { columns: { albums }, byAlbum, albumStarts } = this.#parts
    const row = albums.ids.find(album)
    if (row === undefined) return new Uint32Array()
    const place = albums.byName.indexOf(row)
    return byAlbum.subarray(albumStarts[place], albumStarts[place + 1])
  }

  facets (kind: LibraryKind): LibraryFacets {
    const { columns, letters, yearSets, genres } = this.#parts
    const { byName, letter, years } = columns[kind]
    const known = new Set(Array.from(byName, row => letters[letter[row]!]!))
    return {
      total: byName.length,
      sorts: sorts[kind],
      letters: [...known],
      years: [...new Set(Array.from(new Set(years), number => yearSets.sets[number]!).flat())].sort((a, b) => b - a),
      genres
    }
  }

  count (kind: LibraryKind): number { return this.#parts.columns[kind].byName.length }

  /** Returns the ids of a kind in the order in which they were added. */
  allIds (kind: LibraryKind): readonly string[] { return this.#parts.columns[kind].ids.texts }

  /** Returns the position of an item in `allIds`. */
  rowOf (kind: LibraryKind, id: string): number | undefined { return this.#parts.columns[kind].ids.find(id) }
}

/** @param rows rows in the order of names, or tracks in the order of their albums */
function sorted (rows: number[], columns: Columns, sort: LibrarySort, order: 'asc' | 'desc'): number[] {
  const isReversed = order === 'desc'
  const sign = isReversed ? -1 : 1
  const { nameRank, artistRank = nameRank } = columns
  switch (sort) {
    case 'artist':
      return rows.sort((a, b) => sign * (artistRank[a]! - artistRank[b]! || nameRank[a]! - nameRank[b]!))
    case 'year':
    case 'added': {
      const value = columns[sort]
      const last = (row: number) => Number.isNaN(value[row]) ? sign * Infinity : value[row]!
      return rows.sort((a, b) => {
        const [first, second] = [last(a), last(b)]
        return first === second ? nameRank[a]! - nameRank[b]! : sign * (first - second)
      })
    }
    case 'album': return isReversed ? rows.reverse() : rows
    default: return isReversed ? reversedNames(rows, nameRank) : rows
  }
}

/** Reverses the order of names. Rows with the same name keep their order. */
function reversedNames (rows: readonly number[], rank: Uint32Array): number[] {
  const reversed: number[] = []
  for (let end = rows.length; end > 0;) {
    let start = end - 1
    while (start > 0 && rank[rows[start - 1]!] === rank[rows[end - 1]!]) start--
    for (let at = start; at < end; at++) reversed.push(rows[at]!)
    end = start
  }
  return reversed
}
