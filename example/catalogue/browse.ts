import type { BrowseQuery } from 'fastify-source-origin/page'
import { compareNames } from '../text/compare-names.ts'
import { letterOf } from '../text/letter-of.ts'
import { tagsOf, type Catalogue, type CatalogueAlbum, type CatalogueArtist } from './build-catalogue.ts'

/** What can be filtered and sorted of an album or an artist. */
interface Listed<T> {
  readonly item: T
  readonly letter: string
  readonly year: number | undefined
  readonly added: number
  readonly genres: ReadonlySet<string>
}

interface Lists {
  readonly albums: readonly Listed<CatalogueAlbum>[]
  readonly artists: readonly Listed<CatalogueArtist>[]
}

/** By name, made when they are asked for first: a catalogue does not change. */
const listsOf = new WeakMap<Catalogue, Lists>()

function list<T extends CatalogueAlbum | CatalogueArtist> (items: Iterable<T>, isDated: boolean): Listed<T>[] {
  return [...items].filter(({ tracks }) => tracks.length > 0)
    .sort((a, b) => compareNames(a.name, b.name))
    .map(item => ({
      item,
      letter: letterOf(item.name),
      year: isDated ? tagsOf(item.tracks[0]!).year : undefined,
      added: Math.max(...item.tracks.map(({ added }) => added)),
      genres: new Set(item.tracks.flatMap(track => tagsOf(track).genres))
    }))
}

const distinct = <T>(values: Iterable<T>): T[] => [...new Set(values)]

/** A part of all albums or artists, as the page asks for it. What has no year comes last. */
function choose<T> (
  all: readonly Listed<T>[], sorts: readonly string[], { sort, order, letter, year, genre, offset, limit }: BrowseQuery
) {
  const found = all.filter(listed =>
    (letter === undefined || listed.letter === letter) && (year === undefined || listed.year === year) &&
    (genre === undefined || listed.genres.has(genre)))
  const way = order === 'desc' ? -1 : 1
  const yearOf = (listed: Listed<T>) => listed.year ?? way * Infinity
  if (sort === 'added') found.sort((a, b) => way * (a.added - b.added))
  // Two without a year are equal, not NaN.
  else if (sort === 'year') found.sort((a, b) => way * (yearOf(a) - yearOf(b) || 0))
  else if (way < 0) found.reverse()
  return {
    items: found.slice(offset, offset + limit).map(({ item }) => item),
    total: found.length,
    sorts,
    letters: distinct(all.map(({ letter }) => letter)),
    years: distinct(all.flatMap(({ year }) => year ?? [])).sort((a, b) => b - a),
    genres: distinct(all.flatMap(({ genres }) => [...genres])).sort(compareNames)
  }
}

function listsIn (catalogue: Catalogue): Lists {
  let lists = listsOf.get(catalogue)
  if (lists === undefined) {
    lists = { albums: list(catalogue.albums.values(), true), artists: list(catalogue.artists.values(), false) }
    listsOf.set(catalogue, lists)
  }
  return lists
}

export const browseAlbums = (catalogue: Catalogue, query: BrowseQuery) =>
  choose(listsIn(catalogue).albums, ['name', 'year', 'added'], query)

export const browseArtists = (catalogue: Catalogue, query: BrowseQuery) =>
  choose(listsIn(catalogue).artists, ['name', 'added'], query)
