import { sortKey } from 'fastify-source-origin/library'
import { basename, normalize } from 'node:path/posix'
import { joinPath, splitPath } from '../text/paths.ts'
import { ofRecording } from './track-index.ts'
import { genreKey } from './track-rows.ts'
import { idOf } from '../scan/identify.ts'
import type { IndexDatabase, IndexReader } from '../database/index-database.ts'
import { compose } from '../text/compose.ts'
import { decodePath, PathFinder } from '../playlists/path-finder.ts'
import type { PlaylistPart } from '../playlists/group-playlists.ts'

/** The number of lines that one transaction resolves. */
const entriesAtATime = 300

/** Compares names in natural order: ignoring case, numbers by their value. */
const compareNames = new Intl.Collator('en', { numeric: true }).compare

/** The maximum number of times that a name may have been URL-encoded. */
const mostDecoded = 5

/** Replaces playlist files, and removes deleted ones. Their lines are resolved later. */
export function changePlaylists (db: IndexDatabase, parts: readonly PlaylistPart[], gone: readonly string[]): void {
  const begun = parts.filter(({ from }) => !from)
  for (const path of [...gone, ...begun.map(({ path }) => path)]) {
    const id = idOf('playlist', path)
    db.run('DELETE FROM playlist WHERE id = ?', id)
    db.run('DELETE FROM entry WHERE playlist = ?', id)
  }
  for (const { path, size, mtimeMs, name } of begun) {
    db.run(`
      INSERT INTO playlist (id, folder, file, size, name, sort, genres, tracks, updated)
      VALUES (?, ?, ?, ?, ?, ?, '[]', 0, ?)`,
    idOf('playlist', path), ...splitPath(path), size, name, sortKey(name), mtimeMs)
  }
  for (const { path, mtimeMs, entries, from = 0, hasMore } of parts) {
    const id = idOf('playlist', path)
    entries.forEach((entry, at) => {
      // No path contains NUL, and the driver would truncate the string there.
      if (entry.includes('\0')) return
      db.run('INSERT INTO entry (playlist, place, path, name, stale) VALUES (?, ?, ?, ?, 1)',
        id, from + at, entry, nameOf(entry))
    })
    // A playlist that is incomplete when the process is killed is read again.
    if (!hasMore) db.run('UPDATE playlist SET mtime = ? WHERE id = ?', mtimeMs, id)
  }
}

export const hasPlaylist = (db: IndexDatabase, path: string): boolean =>
  db.get('SELECT 1 FROM playlist WHERE id = ?', idOf('playlist', path)) !== undefined

/** Returns the normalised name of a file or playlist line. Lines may be URL-encoded, and in another case. */
function nameOf (path: string): string {
  let name = basename(normalize(compose(path)))
  for (let times = 0; times < mostDecoded; times++) name = basename(normalize(compose(decodePath(name))))
  return name.toLowerCase()
}

/** Marks playlist lines that may refer to one of these files. */
export function markEntries (db: IndexDatabase, paths: Iterable<string>): void {
  if (db.get('SELECT 1 FROM entry LIMIT 1') === undefined) return
  for (const name of new Set(Array.from(paths, nameOf))) {
    db.run('UPDATE entry SET stale = 1 WHERE name = ? AND stale = 0', name)
  }
}

/** Returns whether lines are still marked, left by a process that was killed. */
export const hasStaleEntries = (db: IndexDatabase): boolean =>
  db.get('SELECT 1 FROM entry WHERE stale = 1 LIMIT 1') !== undefined

/**
 * Resolves some of the marked lines to tracks.
 *
 * @param root real path of the music folder
 * @returns whether more lines are marked
 */
export function findEntries (db: IndexDatabase, root: string): boolean {
  const entries = db.all<{ playlist: string, place: number, path: string }>(
    'SELECT playlist, place, path FROM entry WHERE stale = 1 ORDER BY playlist, place LIMIT ?', entriesAtATime)
  const finder = new PathFinder(root, ...[trackAt, trackInAnyCase].map(at => (path: string) => at(db, path)?.number))
  const paths = new Map<string, string>()
  for (const { playlist, place, path } of entries) {
    if (!paths.has(playlist)) {
      const row = db.get<{ folder: string, file: string }>('SELECT folder, file FROM playlist WHERE id = ?', playlist)!
      paths.set(playlist, joinPath(row.folder, row.file))
    }
    db.run('UPDATE entry SET track = ?, stale = 0 WHERE playlist = ? AND place = ?',
      finder.find(paths.get(playlist)!, path) ?? null, playlist, place)
  }
  for (const playlist of paths.keys()) {
    const isWhole = db.get('SELECT 1 FROM entry WHERE playlist = ? AND stale = 1 LIMIT 1', playlist) === undefined
    if (isWhole) sumPlaylist(db, playlist)
  }
  return entries.length === entriesAtATime
}

/** Returns the track of a file by its path in NFC. */
export function trackAt (db: IndexReader, path: string): { number: number } | undefined {
  if (path.includes('\0')) return undefined
  const file = db.get<{ folder: string, name: string, recording: string }>(`
    SELECT folder, name, recording FROM file WHERE folder = ? AND name = ? AND recording IS NOT NULL
    UNION ALL SELECT * FROM (
      SELECT folder, name, recording FROM file WHERE composed = ? AND recording IS NOT NULL ORDER BY folder, name
    ) LIMIT 1`,
  ...splitPath(path), path)
  if (file === undefined) return undefined
  return db.get<{ number: number }>(`
    SELECT number FROM (${ofRecording}), json_each(data, '$.paths') WHERE json_each.value = ?2`,
  file.recording, joinPath(file.folder, file.name))
}

/** Returns the track of the only file whose path differs in case, since Windows ignores case. */
export function trackInAnyCase (db: IndexReader, path: string): { number: number } | undefined {
  if (path.includes('\0')) return undefined
  const files = db.all<{ folder: string, name: string }>(`
    SELECT folder, name FROM file
    WHERE folder = ? COLLATE NOCASE AND name = ? COLLATE NOCASE AND recording IS NOT NULL LIMIT 2`, ...splitPath(path))
  return files.length === 1 ? trackAt(db, joinPath(files[0]!.folder, files[0]!.name)) : undefined
}

/** Updates the track count, the genres and the cover of a playlist file. */
function sumPlaylist (db: IndexDatabase, playlist: string): void {
  const lists = db.all<{ genres: string, tracks: number }>(`
    SELECT data -> '$.genres' AS genres, count(*) AS tracks FROM entry JOIN track ON track.number = entry.track
    WHERE playlist = ? GROUP BY 1 ORDER BY min(entry.place)`, playlist)
  const genres = new Map<string, { name: string, tracks: number }>()
  for (const { genres: list, tracks } of lists) {
    for (const name of JSON.parse(list) as string[]) {
      const genre = genres.get(genreKey(name))
      if (genre === undefined) genres.set(genreKey(name), { name, tracks })
      else genre.tracks += tracks
    }
  }
  const names = [...genres.values()]
    .sort((a, b) => b.tracks - a.tracks || compareNames(a.name, b.name)).map(({ name }) => name)
  db.run(`
    UPDATE playlist SET genres = ?1, tracks = (SELECT count(track) FROM entry WHERE playlist = ?2), cover = (
      SELECT album.id FROM entry JOIN track ON track.number = entry.track JOIN album ON album.number = track.album
      WHERE playlist = ?2 ORDER BY entry.place LIMIT 1
    ) WHERE id = ?2`, JSON.stringify(names), playlist)
}
