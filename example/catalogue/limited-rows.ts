import type { Limits } from './limits.ts'
import type { IndexDatabase, IndexReader } from '../database/index-database.ts'
import type { Value } from '../database/open-sqlite.ts'
import { genreKey } from './track-rows.ts'

/** Returns the condition of tracks that an account sees. */
function seen ({ genres, folders, explicit }: Limits): { condition: string, values: Value[] } {
  const conditions = ['TRUE']
  const values: Value[] = []
  if (genres !== undefined) {
    conditions.push('number IN (SELECT track FROM main.genre_track WHERE genre IN (SELECT value FROM json_each(?)))')
    values.push(JSON.stringify(genres.map(genreKey)))
  }
  if (folders !== undefined) {
    conditions.push(`EXISTS (
      SELECT 1 FROM json_each(?) AS folder, json_each(track.data, '$.paths') AS file
      WHERE substr(file.value, 1, length(folder.value) + 1) = folder.value || '/')`)
    values.push(JSON.stringify(folders))
  }
  if (explicit === false) {
    conditions.push(`number NOT IN (
      SELECT number FROM main.track
      WHERE data ->> '$.extras.explicitStatus' IS NOT NULL AND data ->> '$.extras.explicitStatus' = 'explicit')`)
  }
  return { condition: conditions.join(' AND '), values }
}

/** Returns statements that create the tables with prefix `of`: the rows that an account sees, and their sums. */
const makeTables = (of: string) => [
  `CREATE TEMP TABLE IF NOT EXISTS ${of}track (number INTEGER PRIMARY KEY)`,
  `CREATE TEMP TABLE IF NOT EXISTS ${of}album (
    number INTEGER PRIMARY KEY, tracks INTEGER NOT NULL, duration INTEGER, genre TEXT)`,
  `CREATE TEMP TABLE IF NOT EXISTS ${of}artist (number INTEGER PRIMARY KEY, tracks INTEGER NOT NULL, cover TEXT)`,
  `CREATE TEMP TABLE IF NOT EXISTS ${of}playlist (
    id TEXT PRIMARY KEY, tracks INTEGER NOT NULL, genres TEXT NOT NULL, cover TEXT) WITHOUT ROWID`
]

const kinds = ['track', 'album', 'artist', 'playlist'] as const

/** Returns statements that fill the tables. An album, artist or playlist is visible if one of its tracks is. */
const sums = (of: string) => [
  `INSERT INTO ${of}album (number, tracks)
    SELECT album, count(*) FROM main.track WHERE number IN ${of}track GROUP BY album`,
  `UPDATE ${of}album SET (duration, genre) = (
    SELECT duration, genre FROM main.album AS one
    WHERE one.number = ${of}album.number AND one.tracks = ${of}album.tracks)`,
  `UPDATE ${of}album SET
    duration = (
      SELECT sum(data ->> '$.durationMs') FROM main.track WHERE album = ${of}album.number AND number IN ${of}track),
    genre = (
      SELECT data ->> '$.genres[0]' FROM main.track WHERE album = ${of}album.number AND number IN ${of}track
      ORDER BY disc, place, sort, number LIMIT 1)
    WHERE duration IS NULL`,
  `INSERT INTO ${of}artist (number, tracks, cover)
    SELECT artist, sum(played), coalesce(
      (SELECT album.id FROM main.artist AS one JOIN main.album ON album.id = one.cover
        WHERE one.number = credit.artist AND album.number IN (SELECT number FROM ${of}album)),
      (SELECT album.id FROM main.credit AS one JOIN main.track ON track.number = one.track
        JOIN main.album ON album.number = track.album
        WHERE one.artist = credit.artist AND track.number IN ${of}track ORDER BY one.path LIMIT 1))
    FROM main.credit WHERE track IN ${of}track GROUP BY artist`,
  `INSERT INTO ${of}playlist (id, tracks, genres, cover)
    SELECT playlist.id, count(*), playlist.genres, (
      SELECT album.id FROM main.genre_track AS one JOIN main.track ON track.number = one.track
      JOIN main.album ON album.number = track.album
      WHERE one.genre = playlist.genre AND one.track IN ${of}track ORDER BY one.path LIMIT 1)
    FROM main.playlist JOIN main.genre_track ON genre_track.genre = playlist.genre
    WHERE genre_track.track IN ${of}track GROUP BY playlist.id`,
  `INSERT INTO ${of}playlist (id, tracks, genres, cover)
    SELECT playlist, count(*), (
      SELECT json_group_array(value) FROM main.playlist AS one, json_each(one.genres)
      WHERE one.id = entry.playlist AND value IN (
        SELECT name FROM main.playlist WHERE genre IS NOT NULL AND id IN (SELECT id FROM ${of}playlist))), (
      SELECT album.id FROM main.entry AS one JOIN main.track ON track.number = one.track
      JOIN main.album ON album.number = track.album
      WHERE one.playlist = entry.playlist AND one.track IN ${of}track ORDER BY one.place LIMIT 1)
    FROM main.entry WHERE track IN ${of}track GROUP BY playlist`
]

/**
 * Defines the account's version of each table for the following statement: names defined by a statement take precedence
 * over tables.
 */
const definitions = (of: string, albumExtras: string) => `WITH
  track AS NOT MATERIALIZED (SELECT rowid, * FROM main.track WHERE +number IN ${of}track),
  credit AS NOT MATERIALIZED (SELECT * FROM main.credit WHERE +track IN ${of}track),
  genre_track AS NOT MATERIALIZED (SELECT * FROM main.genre_track WHERE +track IN ${of}track),
  entry AS NOT MATERIALIZED (SELECT * FROM main.entry WHERE +track IN ${of}track),
  album AS NOT MATERIALIZED (
    SELECT one.number, id, artist, name, credited, sort, published, seen.genre, letter, year, added, seen.tracks,
      ${albumExtras} AS extras, seen.duration
    FROM main.album AS one CROSS JOIN ${of}album AS seen ON seen.number = one.number),
  made_by AS NOT MATERIALIZED (
    SELECT artist, album FROM main.made_by WHERE album IN (SELECT number FROM ${of}album)),
  artist AS NOT MATERIALIZED (
    SELECT one.number, id, name, sort, seen.cover, letter, added, seen.tracks, extras
    FROM main.artist AS one CROSS JOIN ${of}artist AS seen ON seen.number = one.number),
  playlist AS NOT MATERIALIZED (
    SELECT one.id, genre, name, sort, seen.genres, seen.tracks, seen.cover, updated
    FROM main.playlist AS one CROSS JOIN ${of}playlist AS seen ON seen.id = one.id)
`

let parts = 0

/**
 * The rows of the library that an account sees. Every statement for the account is rewritten here, so that restricted
 * rows are never visible. Ids and times of tracks are the same for all accounts.
 */
export class LimitedRows implements IndexReader {
  readonly isPart = true
  readonly #db: IndexDatabase
  readonly #limits: Limits
  readonly #of = `seen_${++parts}_`
  readonly #definitions: string
  #isMade = false

  constructor (db: IndexDatabase, limits: Limits) {
    this.#db = db
    this.#limits = limits
    const albumExtras = limits.explicit === false ? "json_remove(extras, '$.explicitStatus')" : 'extras'
    this.#definitions = definitions(this.#of, albumExtras)
  }

  all<Row = Record<string, Value>> (sql: string, ...values: Value[]): Row[] {
    if (!this.#isMade) this.#make()
    return this.#db.all<Row>(this.#definitions + sql, ...values)
  }

  get<Row = Record<string, Value>> (sql: string, ...values: Value[]): Row | undefined {
    return this.all<Row>(sql, ...values)[0]
  }

  /** Called after the library has changed. The visible rows are determined again on the next query. */
  changed (): void { this.#isMade = false }

  /** Frees the tables until the next query. */
  drop (): void {
    this.changed()
    for (const kind of kinds) this.#db.run(`DROP TABLE IF EXISTS temp.${this.#of}${kind}`)
  }

  #make (): void {
    const { condition, values } = seen(this.#limits)
    for (const table of makeTables(this.#of)) this.#db.run(table)
    for (const kind of kinds) this.#db.run(`DELETE FROM ${this.#of}${kind}`)
    this.#db.run(`INSERT INTO ${this.#of}track SELECT number FROM main.track WHERE ${condition}`, ...values)
    for (const sum of sums(this.#of)) this.#db.run(sum)
    this.#isMade = true
  }
}
