import { createYield, type LibraryQuery, type LibrarySort } from 'fastify-source-origin'
import type { Heard } from './listened.ts'
import type { IndexReader } from '../database/index-database.ts'
import type { Value } from '../database/open-sqlite.ts'
import { genreKey, lastPlace } from './track-rows.ts'

/** Additional sort orders for albums of an account. */
export const playedSorts: readonly LibrarySort[] = ['plays', 'played']

/** The number of track ids, and of albums whose tracks are read, per batch. */
const batch = { ids: 5000, albums: 100 }

/** Joins albums with played tracks. */
const heardAlbums = `
  album JOIN (
    SELECT track.album, sum(value ->> '$.plays') AS plays, max(value ->> '$.last') AS played
    FROM json_each(?) JOIN track ON track.id = value ->> '$.id' GROUP BY track.album
  ) AS heard ON heard.album = album.number`

/** Returns the plays and the last play of albums by id. */
export const sumHeard = (db: IndexReader, heard: readonly Heard[]): ReadonlyMap<string, Heard> => new Map(
  db.all<{ id: string, plays: number, last: number }>(
    `SELECT id, plays, played AS last FROM ${heardAlbums}`, JSON.stringify(heard)).map(sum => [sum.id, sum]))

const ofGenre = {
  albums: 'number IN (SELECT album FROM genre_track WHERE genre = ?)',
  artists: `number IN (
    SELECT artist.value ->> '$[0]'
    FROM genre_track JOIN track ON track.number = genre_track.track, json_each(track.data, '$.artists') AS artist
    WHERE genre = ?)`
}

const byArtist = `number IN (
  WITH wanted AS (SELECT number FROM artist WHERE id = ?)
  SELECT made_by.album FROM wanted JOIN made_by ON made_by.artist = wanted.number
  UNION SELECT track.album FROM wanted JOIN credit ON credit.artist = wanted.number AND played = 1
  JOIN track ON track.number = credit.track)`

/** Returns the first moment of a year. `Date.UTC` handles years before 100 differently. */
export const startOf = (year: number) => new Date(0).setUTCFullYear(Math.min(year, 10_000))

/** Returns the SQL conditions and order of a query. */
export function partOf (
  { kind, sort = 'name', order = 'asc', letter, genre, artist, album, years }: LibraryQuery, heard?: readonly Heard[]
) {
  const conditions = ['TRUE']
  const values: Value[] = heard === undefined ? [] : [JSON.stringify(heard)]
  const filter = (condition: string, ...given: Value[]) => {
    conditions.push(condition)
    values.push(...given)
  }
  if (letter !== undefined) filter('letter = ?', letter)
  if (genre !== undefined) filter(ofGenre[kind === 'artists' ? kind : 'albums'], genreKey(genre))
  if (artist !== undefined) filter(byArtist, artist)
  if (album !== undefined) filter('id = ?', album)
  // Artists have no year.
  if (years !== undefined && kind === 'artists') filter('FALSE')
  else if (years !== undefined) {
    filter('number IN (SELECT album FROM track WHERE published >= ? AND published < ?)',
      startOf(years[0]), startOf(years[1] + 1))
  }
  const way = order === 'desc' ? 'DESC' : 'ASC'
  const orders: Partial<Record<LibrarySort, string>> = {
    artist: `(SELECT sort FROM artist WHERE number = album.artist) ${way}, sort ${way}, number ${way}`,
    year: `year ${way} NULLS LAST, sort, number`,
    added: `added ${way} NULLS LAST, sort, number`,
    plays: `plays ${way}, played ${way}, sort, number`,
    played: `played ${way}, sort, number`
  }
  const table = heard !== undefined ? heardAlbums : kind === 'artists' ? 'artist' : 'album'
  const by = orders[sort] ?? `sort ${way}, number ${way}`
  return { from: `FROM ${table} WHERE ${conditions.join(' AND ')}`, by, values }
}

/** The condition that a track belongs to a genre. */
export const hasGenre = 'EXISTS (SELECT 1 FROM genre_track WHERE genre = ? AND genre_track.path = track.path)'

/**
 * Returns the conditions of a query for tracks.
 *
 * @param ofGenre the condition of the tracks of a genre
 */
export function tracksOf ({ genre, years }: Pick<LibraryQuery, 'genre' | 'years'>, ofGenre: string) {
  const conditions = ['TRUE']
  const values: Value[] = []
  if (genre !== undefined) {
    conditions.push(ofGenre)
    values.push(genreKey(genre))
  }
  if (years !== undefined) {
    conditions.push('published >= ? AND published < ?')
    values.push(startOf(years[0]), startOf(years[1] + 1))
  }
  return { condition: conditions.join(' AND '), values }
}

/** Returns the list in the only row of a statement, stored as JSON. */
export const listOf = <T>(db: IndexReader, sql: string, ...values: Value[]): T[] =>
  JSON.parse(db.get<{ list: string }>(sql, ...values)!.list)

/**
 * Returns the ids of a query in order; track ids are returned in parts.
 *
 * @param heard played tracks, for a list of their albums
 */
export function listIds (
  db: IndexReader, query: LibraryQuery, heard?: readonly Heard[]
): string[] | AsyncIterable<string[]> {
  const { kind } = query
  if (kind !== 'tracks') {
    const { from, by, values } = partOf(query, heard)
    return listOf(db, `SELECT json_group_array(id) AS list FROM (SELECT id ${from} ORDER BY ${by})`, ...values)
  }
  return albumByAlbum(db, query)
}

/** Returns all track ids by row. Only an index is read: rows take ten times as long. */
async function idsByRow (db: IndexReader): Promise<ReadonlyMap<number, string>> {
  const pause = createYield()
  const found = new Map<number, string>()
  const readAfter = (last: string) => listOf<[number, string]>(db, `
    SELECT json_group_array(json_array(at, id)) AS list
    FROM (SELECT rowid AS at, id FROM track WHERE id > ? ORDER BY id LIMIT ${batch.ids})`, last)
  for (let some = readAfter(''); some.length > 0; some = readAfter(some.at(-1)![1])) {
    for (const [row, id] of some) found.set(row, id)
    await pause()
  }
  return found
}

/**
 * Returns the SQL order by folder within a disc, if numbers repeat, as for discs without disc numbers; else nothing.
 */
export function byFolder (db: IndexReader, album: number, way = ''): string {
  const repeated = db.get(
    'SELECT 1 FROM track WHERE album = ? AND place < ? GROUP BY disc, place HAVING count(*) > 1 LIMIT 1',
    album, lastPlace)
  return repeated === undefined ? '' : `rtrim(track.path, replace(track.path, '/', '')) ${way},`
}

/** Yields track ids, with albums by name and the tracks of each in order. */
async function * albumByAlbum (
  db: IndexReader, { order, genre, album, years }: LibraryQuery
): AsyncGenerator<string[], void, undefined> {
  const { from, by, values } = partOf({ kind: 'albums', order, genre, album, years })
  const albums = listOf<number>(
    db, `SELECT json_group_array(number) AS list FROM (SELECT number ${from} ORDER BY ${by})`, ...values)
  const { condition, values: given } = tracksOf({ genre, years }, hasGenre)
  const way = order === 'desc' ? 'DESC' : 'ASC'
  const isAll = (genre ?? album ?? years) === undefined
  let byRow: ReadonlyMap<number, string> | undefined
  for (let at = 0; at < albums.length; at += batch.albums) {
    // In a list of all tracks, the first page is available immediately.
    if (isAll && at > 0) byRow ??= await idsByRow(db)
    const folder = album === undefined ? '' : byFolder(db, albums[at]!, way)
    const some = listOf<string | number>(db, `
      SELECT json_group_array(one) AS list FROM (
        SELECT track.${byRow === undefined ? 'id' : 'rowid'} AS one
        FROM json_each(?) AS list CROSS JOIN track ON track.album = list.value
        WHERE ${condition}
        ORDER BY list.key, disc ${way}, ${folder} place ${way}, track.sort ${way}, track.number ${way}
      )`, JSON.stringify(albums.slice(at, at + batch.albums)), ...given)
    const ids = some.map(one => byRow === undefined ? one as string : byRow.get(one as number))
    // Tracks that have been added meanwhile are left out.
    yield ids.filter(id => id !== undefined)
  }
}
