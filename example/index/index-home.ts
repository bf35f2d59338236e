import type { Mounts } from '../scan/mounted-folders.ts'
import type { IndexDatabase } from '../database/index-database.ts'

/** The location of the files when they were last read. */
export interface Home {
  /** The folder that contained the files; `undefined` before the first scan. */
  readonly home: string | undefined
  /** The mounts inside of it. */
  readonly mounts: Mounts
}

export function homeOf (db: IndexDatabase): Home {
  const home = db.get<{ folder: string }>('SELECT folder FROM home')?.folder
  const mounts = db.all<{ path: string, folder: string }>('SELECT path, folder FROM mounts')
  return { home, mounts: new Map(mounts.map(({ path, folder }) => [path, folder])) }
}

export function saveHome (db: IndexDatabase, { home, mounts }: Home): void {
  if (home !== undefined) db.run('REPLACE INTO home VALUES (1, ?)', home)
  db.run('DELETE FROM mounts')
  for (const mount of mounts) db.run('INSERT INTO mounts VALUES (?, ?)', ...mount)
}
