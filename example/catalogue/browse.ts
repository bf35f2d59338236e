import type { BrowsePage, BrowseQuery } from 'fastify-source-origin/page'
import type { LibraryDatabase } from '../store/library-database.ts'
import type { Heard } from '../state/kept-plays.ts'
import type { Value } from '../store/open-sqlite.ts'
import { genreKey } from './track-rows.ts'

/** What the list can be filtered and sorted by, and how long all of it is. */
export type Facets = Omit<BrowsePage, 'items'>

/** A page of numbers. */
export type Browsed = Facets & { readonly numbers: number[] }

const sortsOf = { albums: ['name', 'year', 'added', 'random'], artists: ['name', 'added', 'random'] }
/** What albums of an account can be sorted by besides. */
export const playedSorts = ['plays', 'played']
/** The column or expression of each sort. */
const columns: Readonly<Record<string, string>> =
  { year: 'year', added: 'added', random: 'random()', plays: 'plays', played: 'played' }

/** Albums of the tracks that somebody has heard. */
const heardAlbums = `
  album JOIN (
    SELECT track.album, sum(value ->> '$.plays') AS plays, max(value ->> '$.last') AS played
    FROM json_each(?) JOIN track ON track.id = value ->> '$.id' GROUP BY track.album
  ) AS heard ON heard.album = album.number`

/** Albums and artists with a track of a genre. */
const ofGenre = {
  albums: 'SELECT track.album FROM genre_track JOIN track ON track.number = genre_track.track WHERE genre = ?',
  artists: `
    SELECT artist.value ->> '$[0]'
    FROM genre_track JOIN track ON track.number = genre_track.track, json_each(track.data, '$.artists') AS artist
    WHERE genre = ?`
}

const valuesOf = <T>(db: LibraryDatabase, sql: string, ...values: Value[]): T[] =>
  db.all<{ value: T }>(sql, ...values).map(({ value }) => value)

const tableOf = (kind: BrowseQuery['kind']) => kind === 'artists' ? 'artist' : 'album'

/** Reads all albums or artists once, so the result is to be kept until something changes. */
export function facetsOf (db: LibraryDatabase, kind: BrowseQuery['kind']): Facets {
  const table = tableOf(kind)
  return {
    total: valuesOf<number>(db, `SELECT count(*) AS value FROM ${table} WHERE tracks > 0`)[0]!,
    sorts: sortsOf[kind],
    letters: valuesOf(
      db, `SELECT letter AS value FROM ${table} WHERE tracks > 0 GROUP BY letter ORDER BY min(sort)`),
    years: kind === 'artists' ? [] : yearsOf(db),
    genres: db.all('SELECT name, tracks FROM playlist WHERE genre IS NOT NULL ORDER BY sort, id')
  }
}

/** Those of tracks, the latest first. Each is looked for by itself: many tracks are of the same one. */
function yearsOf (db: LibraryDatabase): number[] {
  const before = (time: number) => db.get<{ published: number }>(
    'SELECT published FROM track WHERE published < ? ORDER BY published DESC LIMIT 1', time)
  const years = []
  for (let row = before(Number.MAX_SAFE_INTEGER); row !== undefined; row = before(startOf(years.at(-1)!))) {
    years.push(new Date(row.published).getUTCFullYear())
  }
  return years
}

const startOf = (year: number) => Date.UTC(year, 0)

/**
 * A part of all albums or artists, as the page asks for it. What has no year comes last.
 *
 * @param facets of the kind
 * @param heard where albums of these tracks are wanted
 */
export function browse (
  db: LibraryDatabase, { kind, sort, order, letter, year, genre, offset, limit }: BrowseQuery, facets: Facets,
  heard?: readonly Heard[]
): Browsed {
  const table = heard === undefined ? tableOf(kind) : heardAlbums
  const conditions = ['tracks > 0']
  const values: Value[] = heard === undefined ? [] : [JSON.stringify(heard)]
  const filter = (condition: string, value: Value | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  filter('letter = ?', letter)
  if (year !== undefined) {
    // Artists have no year.
    if (kind === 'artists') return { ...facets, total: 0, numbers: [] }
    conditions.push('number IN (SELECT album FROM track WHERE published >= ? AND published < ?)')
    values.push(startOf(year), startOf(year + 1))
  }
  filter(`number IN (${ofGenre[kind]})`, genre === undefined ? undefined : genreKey(genre))
  const where = conditions.join(' AND ')
  const way = order === 'desc' ? 'DESC' : 'ASC'
  const sorts = heard === undefined ? sortsOf[kind] : playedSorts
  const column = sorts.includes(sort!) ? columns[sort!] : undefined
  const by = column === undefined ? `sort ${way}, number ${way}` : `${column} ${way} NULLS LAST, sort, number`
  const numbers = valuesOf<number>(
    db, `SELECT number AS value FROM ${table} WHERE ${where} ORDER BY ${by} LIMIT ? OFFSET ?`, ...values, limit, offset)
  // A second page would be of another order, so there is one.
  if (sort === 'random') return { ...facets, total: numbers.length, numbers }
  if (values.length === 0) return { ...facets, numbers }
  const [total] = valuesOf<number>(db, `SELECT count(*) AS value FROM ${table} WHERE ${where}`, ...values)
  return { ...facets, total: total!, numbers }
}
