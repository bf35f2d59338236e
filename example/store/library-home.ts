import type { KeptFile } from '../catalogue/file-rows.ts'
import type { Mounts } from '../scan/mounted-folders.ts'
import type { LibraryDatabase } from './library-database.ts'

/** Which folder the files of the library were in. */
export const homeOf = (db: LibraryDatabase): string | undefined =>
  db.get<{ folder: string }>('SELECT folder FROM home')?.folder

/** What was mounted inside of it. */
export function mountsOf (db: LibraryDatabase): Mounts {
  const mounts = db.all<{ path: string, folder: string }>('SELECT path, folder FROM mounts')
  return new Map(mounts.map(({ path, folder }) => [path, folder]))
}

export function saveHome (db: LibraryDatabase, home: string | undefined, mounts: Mounts): void {
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
  return rows.map(({ file }) => JSON.parse(file) as KeptFile)
}
