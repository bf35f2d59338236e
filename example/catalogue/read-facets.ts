import type {
  LibraryComposer, LibraryFacets, LibraryGenre, LibraryKind, LibrarySort, TrackExtras
} from 'fastify-source-origin'
import { sortKey } from 'fastify-source-origin/library'
import type { IndexReader } from '../database/index-database.ts'
import { artistId } from '../scan/identify.ts'
import { listOf, startOf } from './library-lists.ts'

/** The sort orders of each kind that do not depend on the account. */
const sorts: Readonly<Record<LibraryKind, readonly LibrarySort[]>> =
  { albums: ['name', 'artist', 'year', 'added'], artists: ['name', 'added'], tracks: ['album'] }

/** Reads all items of a kind, so the caller should cache the result until something changes. */
export function readFacets (db: IndexReader, kind: LibraryKind): LibraryFacets {
  const table = kind.slice(0, -1)
  return {
    total: db.get<{ total: number }>(`SELECT count(*) AS total FROM ${table}`)!.total,
    sorts: sorts[kind],
    letters: kind === 'tracks'
      ? []
      : listOf(db, `
        SELECT json_group_array(letter) AS list
        FROM (SELECT letter FROM ${table} GROUP BY letter ORDER BY min(sort))`),
    years: kind === 'artists' ? [] : yearsOf(db),
    genres: genresOf(db),
    ...kind === 'artists' && lazyComposers(db)
  }
}

/** Returns the composers, which are read on first use, since most lists do not need them. */
function lazyComposers (db: IndexReader): { readonly composers: readonly LibraryComposer[] } {
  let composers: readonly LibraryComposer[] | undefined
  return { get composers () { return (composers ??= composersOf(db)) } }
}

/** Returns composers. The name of a composer comes from its first track. */
function composersOf (db: IndexReader): LibraryComposer[] {
  const found = db.all<{ artist: string, tracks: number, path: string }>(`
    SELECT artist, count(*) AS tracks, min(part.path) AS path FROM part JOIN track ON track.path = part.path
    WHERE role = 'composer' GROUP BY artist`)
  const composers = found.map(({ artist, tracks, path }) => {
    const { told } = db.get<{ told: string }>(
      "SELECT data ->> '$.extras.contributors' AS told FROM track WHERE path = ?", path)!
    const parts = JSON.parse(told) as NonNullable<TrackExtras['contributors']>
    return { name: parts.find(part => artistId(part.artist.name) === artist)!.artist.name, tracks }
  })
  const keyOf = new Map(composers.map(composer => [composer, sortKey(composer.name)]))
  return composers.sort((a, b) => keyOf.get(a)! < keyOf.get(b)! ? -1 : 1)
}

/**
 * Returns genres. Albums are counted on first use, since lists do not need them, and all tracks of a genre are read.
 */
function genresOf (db: IndexReader): LibraryGenre[] {
  const genres = db.all<{ name: string, tracks: number, genre: string }>(
    'SELECT name, tracks, genre FROM playlist WHERE genre IS NOT NULL ORDER BY sort, id')
  return genres.map(({ genre, ...rest }) => {
    let albums: number | undefined
    return {
      ...rest,
      get albums () {
        albums ??= db.get<{ albums: number }>(
          'SELECT count(DISTINCT album) AS albums FROM genre_track WHERE genre = ?', genre)!.albums
        return albums
      }
    }
  })
}

/** Returns the years of tracks, latest first. Each year is searched separately, since many tracks share one. */
function yearsOf (db: IndexReader): number[] {
  const before = (time: number) => db.get<{ published: number }>(
    'SELECT published FROM track WHERE published < ? ORDER BY published DESC LIMIT 1', time)
  const years = []
  for (let row = before(Number.MAX_SAFE_INTEGER); row !== undefined; row = before(startOf(years.at(-1)!))) {
    years.push(new Date(row.published).getUTCFullYear())
  }
  return years
}
