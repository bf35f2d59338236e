import type { BrowsePage, BrowseQuery } from 'fastify-source-origin/page'
import type { LibraryDatabase } from '../store/library-database.ts'
import type { Value } from '../store/open-sqlite.ts'
import { genreKey } from './track-rows.ts'

/** What the list can be filtered and sorted by, and how long all of it is. */
export type Facets = Omit<BrowsePage, 'items'>

/** A page of numbers. */
export type Browsed = Facets & { readonly numbers: number[] }

const sortsOf = { albums: ['name', 'year', 'added'], artists: ['name', 'added'] }

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
    years: kind === 'artists'
      ? []
      : valuesOf(db, 'SELECT DISTINCT year AS value FROM album WHERE year IS NOT NULL ORDER BY 1 DESC'),
    genres: valuesOf(db, 'SELECT name AS value FROM playlist WHERE genre IS NOT NULL ORDER BY sort, id')
  }
}

/**
 * A part of all albums or artists, as the page asks for it. What has no year comes last.
 *
 * @param facets of the kind
 */
export function browse (
  db: LibraryDatabase, { kind, sort, order, letter, year, genre, offset, limit }: BrowseQuery, facets: Facets
): Browsed {
  const table = tableOf(kind)
  const conditions = ['tracks > 0']
  const values: Value[] = []
  const filter = (condition: string, value: Value | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  filter('letter = ?', letter)
  // Artists have none.
  filter(kind === 'artists' ? '? IS NULL' : 'year = ?', year)
  filter(`number IN (${ofGenre[kind]})`, genre === undefined ? undefined : genreKey(genre))
  const where = conditions.join(' AND ')
  const way = order === 'desc' ? 'DESC' : 'ASC'
  const column = sort !== undefined && sort !== 'name' && sortsOf[kind].includes(sort) ? sort : undefined
  const by = column === undefined ? `sort ${way}, number ${way}` : `${column} ${way} NULLS LAST, sort, number`
  const numbers = valuesOf<number>(
    db, `SELECT number AS value FROM ${table} WHERE ${where} ORDER BY ${by} LIMIT ? OFFSET ?`, ...values, limit, offset)
  if (values.length === 0) return { ...facets, numbers }
  const [total] = valuesOf<number>(db, `SELECT count(*) AS value FROM ${table} WHERE ${where}`, ...values)
  return { ...facets, total: total!, numbers }
}
