import { dirname } from 'node:path/posix'
import { allOf, mapTexts, nameTrack } from '../scan/name-track.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'
import { findRepair } from '../scan/repair-encodings.ts'
import type { FoundFile } from '../scan/walk-folder.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { compose } from '../text/compose.ts'
import { joinPath, splitPath } from '../text/paths.ts'
import { AlbumGroups } from './album-groups.ts'
import { findIds, ofRecording, settle, type Settled } from './track-index.ts'
import { filesOf, readRow, writeTags, type FileRow, type KeptFile, type Recordings } from './kept-file.ts'
import { keyOf } from './qualities.ts'

/** A file whose row is removed. */
interface RemovedFile {
  number: number
  recording: string | null
  read_as: string | null
  album_texts: string | null
  album_group: string | null
  album_key: string | null
  added: number
}

/** Returns the files of a recording at the given paths. */
export function filesOfRecording (db: IndexDatabase, recording: string, paths: readonly string[]): AudioFile[] {
  return paths.flatMap(path => db.all<FileRow>(
    'SELECT * FROM file WHERE folder = ? AND name = ? AND recording = ?', ...splitPath(path), recording)).map(readRow)
}

export const byPath = (a: FoundFile, b: FoundFile) => a.path < b.path ? -1 : 1

/** Returns the files after a path, in the order of folders and names. */
export function filesBehind (db: IndexDatabase, path: string, limit: number): KeptFile[] {
  const rows = db.all<FileRow & { recording: string | null }>(
    'SELECT * FROM file WHERE (folder, name) > (?, ?) ORDER BY folder, name LIMIT ?', ...splitPath(path), limit)
  return rows.map(row => row.recording === null
    ? { path: joinPath(row.folder, row.name), size: row.size, mtimeMs: row.mtime, broken: true }
    : readRow(row))
}

/** Returns the time when a file of a recording arrived, `undefined` for a new one. */
export function arrivalOf (db: IndexDatabase, recording: string): number | undefined {
  return db.get<{ added: number }>(`
    SELECT added FROM (${ofRecording}) UNION ALL SELECT added FROM file WHERE read_as = ?1 LIMIT 1`,
  recording)?.added
}

/**
 * Replaces files, and removes deleted ones.
 *
 * @param removed filled with the arrival times of recordings whose files are replaced or deleted, by id
 * @returns the files of each recording that may have changed
 */
export function changeFiles (
  db: IndexDatabase, files: readonly KeptFile[], gone: readonly string[], removed?: Map<string, number>
): Recordings {
  const recordings: Recordings = new Map()
  const groups = new AlbumGroups(db, recordings)
  const albums = new Set<string>()
  const placed: string[] = []
  const ids = new Map<string, Settled>()
  const remove = (path: string) => {
    const row = db.get<RemovedFile>(`
      SELECT rowid AS number, recording, read_as, album_texts, album_group, album_key, added
      FROM file WHERE folder = ? AND name = ?`, ...splitPath(path))
    if (row === undefined) return
    db.run('DELETE FROM file WHERE rowid = ?', row.number)
    if (row.recording !== null) {
      filesOf(recordings, row.recording).delete(path)
      removed?.set(row.read_as ?? row.recording, row.added)
    }
    if (row.album_texts !== null) albums.add(row.album_texts)
    groups.lose(row)
  }
  // Before any file is replaced, since all files of a track are stored together.
  for (const path of [...gone, ...files.map(({ path }) => path)]) {
    const known = db.all<{ recording: string }>(
      'SELECT recording FROM file WHERE folder = ? AND name = ? AND recording IS NOT NULL', ...splitPath(path))
    for (const file of known.flatMap(({ recording }) => settle(db, recording, path))) ids.set(path, file)
  }
  for (const path of gone) remove(path)
  for (const file of files) {
    remove(file.path)
    const found = [...splitPath(file.path), file.size, file.mtimeMs] as const
    if ('broken' in file) {
      db.run('INSERT INTO file (folder, name, size, mtime) VALUES (?, ?, ?, ?)', ...found)
      continue
    }
    const album = albumTextsOf(file)
    const composed = compose(file.path)
    db.run(`
      INSERT INTO file (
        folder, name, size, mtime, recording, read_as, album_texts, quality, composed, added, audio, tags,
        album_group, album_credit, album_key, album_part)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...found, file.trackId, album === null ? file.plainId ?? null : file.trackId, album, keyOf(file),
    composed === file.path ? null : composed, file.added, file.audio, writeTags(file), ...groups.add(file))
    placed.push(file.path)
    if (album !== null) albums.add(album)
  }
  for (const album of albums) repairAlbum(db, album, groups)
  groups.regroup()
  for (const recording of findIds(db, placed.map(path => groups.at(path)), ids)) filesOf(recordings, recording)
  return recordings
}

/** Returns the key of files whose tags are repaired together, `null` if nothing needs repair. */
const albumTextsOf = ({ path, texts }: AudioFile): string | null =>
  texts === undefined ? null : JSON.stringify([dirname(path), texts.album ?? texts.artists.join()])

/** Repairs the names of an album whose tags have an old encoding. */
function repairAlbum (db: IndexDatabase, album: string, groups: AlbumGroups): void {
  const files = db.all<FileRow>('SELECT * FROM file WHERE album_texts = ?', album)
  const read = files.map(readRow).sort(byPath)
  const repair = findRepair(read.flatMap(file => allOf(file.texts!)))
  for (const file of read) {
    const texts = repair === undefined ? file.texts! : mapTexts(file.texts!, repair)
    const named: AudioFile = { ...file, ...nameTrack(texts, file), edition: undefined, plainId: undefined }
    if (named.trackId !== file.trackId || writeTags(named) !== writeTags(file)) groups.rename(file, named)
  }
}
