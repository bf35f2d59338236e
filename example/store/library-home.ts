import type { KeptFile } from '../catalogue/kept-file.ts'
import type { Mounts } from '../scan/mounted-folders.ts'
import type { LibraryDatabase } from './library-database.ts'

/** Where the files were when they were read last. */
export interface Home {
  /** The folder that had files in it; `undefined` before the first scan. */
  readonly home: string | undefined
  /** What was mounted inside of it. */
  readonly mounts: Mounts
}

export function homeOf (db: LibraryDatabase): Home {
  const home = db.get<{ folder: string }>('SELECT folder FROM home')?.folder
  const mounts = db.all<{ path: string, folder: string }>('SELECT path, folder FROM mounts')
  return { home, mounts: new Map(mounts.map(({ path, folder }) => [path, folder])) }
}

export function saveHome (db: LibraryDatabase, { home, mounts }: Home): void {
  if (home !== undefined) db.run('REPLACE INTO home VALUES (1, ?)', home)
  db.run('DELETE FROM mounts')
  for (const mount of mounts) db.run('INSERT INTO mounts VALUES (?, ?)', ...mount)
}

/** Whether there is an index that was made before the library had tables, and is not taken over whole. */
export const hasOldIndex = (db: LibraryDatabase): boolean =>
  db.get('SELECT 1 FROM sqlite_schema WHERE name = \'files\'') !== undefined

/** Takes some files out of that index. It has to be in the transaction that keeps them. */
export function takeOver (db: LibraryDatabase, limit: number): KeptFile[] {
  const rows = db.all<{ path: string, file: string }>('SELECT path, file FROM files ORDER BY path LIMIT ?', limit)
  for (const { path } of rows) db.run('DELETE FROM files WHERE path = ?', path)
  if (rows.length < limit) db.drop('files')
  return rows.map(({ file }): KeptFile => ({ audio: null, ...JSON.parse(file) }))
}
