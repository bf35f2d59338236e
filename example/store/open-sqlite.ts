import sqlite from 'node-sqlite3-wasm'

/** Opens a database, and makes it if there is none, for this process alone. */
export function openSqlite (file: string): sqlite.Database {
  const database = new sqlite.Database(file)
  try {
    // The driver locks by making a folder: to do so for each query takes a hundred times as long as the query.
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    // The driver takes its own lock for that of another process, and so never takes back from a rollback journal what
    // a process that was killed had half written. A write-ahead log does not need it.
    database.get('PRAGMA journal_mode = WAL')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The files that make up a database: it can be made anew without them. */
export const filesOf = (file: string) => ['', '-wal', '-journal', '.lock'].map(ending => `${file}${ending}`)
