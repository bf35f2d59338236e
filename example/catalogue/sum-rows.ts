import type { AlbumExtras } from 'fastify-source-origin'
import { letterOf, sortKey, withoutArticle } from 'fastify-source-origin/library'
import { idOf } from '../scan/identify.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { albumExtras } from './album-extras.ts'
import { artistExtras } from './artist-extras.ts'
import { indexWords } from './search-words.ts'
import type { Touched, TrackData } from './track-rows.ts'
import { artistNames } from '../text/artist-names.ts'

/** Updates the albums, artists and genres whose tracks have changed. Of their tracks only the first is read. */
export function makeSums (db: IndexDatabase, { albums, lengths, artists, genres }: Touched): void {
  for (const [number, more] of [...albums].sort(byNumber)) makeAlbum(db, number, more, lengths.get(number) ?? 0)
  for (const [number, more] of [...artists].sort(byNumber)) makeArtist(db, number, more)
  for (const [genre, more] of genres) makeGenre(db, genre, more)
}

const byNumber = ([a]: [number, number], [b]: [number, number]) => a - b

interface AlbumRow {
  name: string, credited: string, extras: string | null, genre: string | null, year: number | null
}

/** Returns the other texts by which an album is found. */
function moreOfAlbum ({ credited, extras, genre, year }: Omit<AlbumRow, 'name'>): string {
  const { discTitles = [], genres = [] } = JSON.parse(extras ?? '{}') as AlbumExtras
  const titles = discTitles.map(({ title }) => title)
  return [credited, sortNameIn(extras), ...titles, ...new Set([genre, ...genres]), year].filter(Boolean).join(' ')
}

/** Returns the sort name from tags in the JSON of extras: `Utada, Hikaru`. */
const sortNameIn = (extras: string | null): string =>
  (JSON.parse(extras ?? '{}') as { sortName?: string }).sortName ?? ''

/**
 * @param more the number of added tracks
 * @param longer the added length in milliseconds
 */
function makeAlbum (db: IndexDatabase, number: number, more: number, longer: number): void {
  const before = db.get<AlbumRow>('SELECT name, credited, extras, genre, year FROM album WHERE number = ?', number)!
  const first = db.get<{ data: string, published: number | null }>(
    'SELECT data, published FROM track WHERE album = ? ORDER BY disc, place, sort, number LIMIT 1', number)
  if (first === undefined) {
    setArtists(db, number, [])
    db.run('DELETE FROM album WHERE number = ?', number)
    db.run('DELETE FROM album_words WHERE rowid = ?', number)
    return
  }
  const data = JSON.parse(first.data) as TrackData
  const { album: name, albumArtists, genres, year } = data
  const credited = artistNames(albumArtists.map(([, name]) => ({ name })))
  const extras = albumExtras(db, number, data)
  setArtists(db, number, albumArtists.map(([artist]) => artist))
  db.run(`
    UPDATE album SET name = ?1, credited = ?2, sort = ?3, published = ?4, genre = ?5, letter = ?6, year = ?7,
      added = (SELECT max(added) FROM track WHERE album = ?9), tracks = tracks + ?8, extras = ?10,
      duration = duration + ?11
    WHERE number = ?9`,
  name, credited, sortKey(name), first.published, genres[0] ?? null, letterOf(name), year ?? null, more, number,
  extras, longer)
  const found = moreOfAlbum({ credited, extras, genre: genres[0] ?? null, year: year ?? null })
  if (name === before.name && found === moreOfAlbum(before)) return
  db.run('DELETE FROM album_words WHERE rowid = ?', number)
  indexWords(db, 'album', number, name, found)
}

/** Stores the artists of an album. The first is stored in the album's row. */
function setArtists (db: IndexDatabase, album: number, [first, ...others]: readonly number[]): void {
  db.run('DELETE FROM also_by WHERE album = ?', album)
  others.forEach((artist, at) =>
    db.run('INSERT INTO also_by (album, place, artist) VALUES (?, ?, ?)', album, at, artist))
  if (first !== undefined) db.run('UPDATE album SET artist = ? WHERE number = ? AND artist <> ?1', first, album)
}

function makeArtist (db: IndexDatabase, number: number, more: number): void {
  const before = db.get<{ id: string, name: string, extras: string | null }>(
    'SELECT id, name, extras FROM artist WHERE number = ?', number)!
  const first = db.get<{ name: string }>('SELECT name FROM credit WHERE artist = ? ORDER BY path LIMIT 1', number)
  if (first === undefined) {
    db.run('DELETE FROM artist WHERE number = ?', number)
    db.run('DELETE FROM artist_words WHERE rowid = ?', number)
    return
  }
  const { name } = first
  const extras = artistExtras(db, number, before.id)
  const sorted = withoutArticle(name)
  const newest = 'ORDER BY published DESC, sort, number LIMIT 1'
  const cover = db.get<{ id: string }>(`SELECT id FROM album WHERE artist = ? ${newest}`, number) ??
    db.get<{ id: string }>(`
      SELECT id FROM also_by JOIN album ON number = album WHERE also_by.artist = ? ${newest}`, number) ??
    db.get<{ id: string }>(`
    SELECT album.id FROM credit JOIN track ON track.number = credit.track JOIN album ON album.number = track.album
    WHERE credit.artist = ? ORDER BY credit.path LIMIT 1`, number)!
  db.run(`
    UPDATE artist SET name = ?1, sort = ?2, cover = ?3, letter = ?4,
      added = (SELECT max(added) FROM credit WHERE artist = ?6), tracks = tracks + ?5, extras = ?7
    WHERE number = ?6`,
  name, sortKey(sorted), cover.id, letterOf(sorted), more, number, extras)
  if (name === before.name && sortNameIn(extras) === sortNameIn(before.extras)) return
  db.run('DELETE FROM artist_words WHERE rowid = ?', number)
  indexWords(db, 'artist', number, name, sortNameIn(extras))
}

/** Updates the playlist of a genre. */
function makeGenre (db: IndexDatabase, genre: string, more: number): void {
  const id = idOf('genre', genre)
  const first = db.get<{ name: string, cover: string }>(`
    SELECT genre_track.name, album.id AS cover FROM genre_track
    JOIN track ON track.number = genre_track.track JOIN album ON album.number = track.album
    WHERE genre_track.genre = ? ORDER BY genre_track.path LIMIT 1`, genre)
  if (first === undefined) {
    db.run('DELETE FROM playlist WHERE id = ?', id)
    return
  }
  const { name, cover } = first
  const { updated } = db.get<{ updated: number }>(
    'SELECT max(added) AS updated FROM genre_track WHERE genre = ?', genre)!
  db.run(`
    INSERT INTO playlist (id, genre, name, sort, genres, tracks, cover, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, sort = excluded.sort, genres = excluded.genres,
      tracks = tracks + excluded.tracks, cover = excluded.cover, updated = excluded.updated`,
  id, genre, name, sortKey(name), JSON.stringify([name]), more, cover, updated)
}
