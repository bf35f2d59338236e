import { joinPath } from '../text/paths.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { isSame, type FoundFile, type FoundFolder } from './walk-folder.ts'

/** The number of folders per query. */
const foldersAtATime = 500

/** The new and changed files of a folder, and the paths of known files that are missing. */
export interface Difference {
  readonly audio: FoundFile[]
  readonly playlists: FoundFile[]
  readonly gone: string[]
  readonly gonePlaylists: string[]
  /** Paths of known unreadable files that have not changed. */
  readonly unread: string[]
}

/** Compares a folder with the index. */
export function compareFolder (
  db: IndexDatabase, { path, audio, playlists }: Omit<FoundFolder, 'folders'>
): Difference {
  const files = db.all<Known & { unread: number }>(
    'SELECT name, size, mtime, recording IS NULL AS unread FROM file WHERE folder = ?', path)
  const lists = db.all<Known>('SELECT file AS name, size, mtime FROM playlist WHERE folder = ?', path)
  const [newAudio, gone] = compare(audio, files, path)
  const [newPlaylists, gonePlaylists] = compare(playlists, lists, path)
  const unread = files.filter(({ unread }) => unread === 1).map(({ name }) => joinPath(path, name))
    .filter(file => !gone.includes(file) && !newAudio.some(({ path }) => path === file))
  return { audio: newAudio, playlists: newPlaylists, gone, gonePlaylists, unread }
}

interface Known { name: string, size: number, mtime: number }

function compare (found: readonly FoundFile[], rows: readonly Known[], folder: string): [FoundFile[], string[]] {
  const known = new Map(rows.map(({ name, size, mtime }) => {
    const path = joinPath(folder, name)
    return [path, { path, size, mtimeMs: mtime }]
  }))
  const changed = found.filter(file => !isSame(file, known.get(file.path)))
  for (const { path } of found) known.delete(path)
  return [changed, [...known.keys()]]
}

/**
 * The maximum number of files that a folder may lose at once. With more, it may be another disk, and the operator must
 * confirm.
 */
const mostAtOnce = 100

/**
 * Returns whether the index has too many files in and below a folder to accept an empty folder without confirmation.
 */
export const hasMany = (db: IndexDatabase, folder: string): boolean => db.get(
  `SELECT 1 FROM file WHERE folder = ? OR (folder > ? AND folder < ?) LIMIT 1 OFFSET ${mostAtOnce}`,
  folder, ...rangeBelow(folder)) !== undefined

/** Returns the range of paths below a folder. */
const rangeBelow = (folder: string): [string, string] =>
  folder === '' ? ['', '\u{10ffff}'] : [`${folder}/`, `${folder}0`]

/** Yields the paths of folders below a folder that contain known files. */
export function * foldersBelow (db: IndexDatabase, folder: string): Generator<string, void, undefined> {
  const [begin, end] = rangeBelow(folder)
  for (const table of ['file', 'playlist']) {
    let last = begin
    for (;;) {
      const rows = db.all<{ folder: string }>(
        `SELECT DISTINCT folder FROM ${table} WHERE folder > ? AND folder < ? ORDER BY folder LIMIT ${foldersAtATime}`,
        last, end)
      for (const { folder } of rows) yield folder
      if (rows.length < foldersAtATime) break
      last = rows.at(-1)!.folder
    }
  }
}

/** Returns whether there are known files in a folder or below it. */
export const isKnown = (db: IndexDatabase, folder: string): boolean =>
  db.get('SELECT 1 FROM file WHERE folder = ? LIMIT 1', folder) !== undefined || !foldersBelow(db, folder).next().done
