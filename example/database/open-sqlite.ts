import { rmSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { nodeDriver } from './node-sqlite.ts'
import { makePrivate, refuseUnusable } from './private-files.ts'
import { removeLock } from './remove-lock.ts'
import type { Driver, Sqlite } from './sqlite-driver.ts'

export type { Driver, Sqlite, Statement, Value } from './sqlite-driver.ts'

/**
 * The bytes of WebAssembly that a function executes before V8 compiles it again with optimisations. No function reaches
 * this budget during the start, so the start does not wait for the compiler.
 */
const quick = 30_000_000

export async function wasmDriver (): Promise<Driver> {
  setFlagsFromString(`--wasm-tiering-budget=${quick}`)
  const { default: sqlite } = await import('node-sqlite3-wasm')
  return { connect: file => new sqlite.Database(file), hasLocks: false }
}

const ours = nodeDriver() ?? await wasmDriver()

/** The file name of a database in memory. */
export const inMemory = ':memory:'

/** The suffixes of the files that SQLite needs to open a database. */
const endings = ['', '-wal', '-journal']

/**
 * Opens a database for this process only, and creates the database if it does not exist.
 *
 * @param isShared If `true` and the driver supports locks, other processes may read the database meanwhile. Each query
 * then takes a lock, which costs several times as much as finding a row.
 * @throws Error with the path of the file that cannot be read and written: the database, its log or its journal
 */
export function openSqlite (file: string, isShared = false, driver = ours): Sqlite {
  // The driver's error would contain neither the reason nor the path of the file.
  for (const ending of endings) refuseUnusable(`${file}${ending}`)
  if (file !== inMemory) makePrivate(file)
  const open = (mode: 'NORMAL' | 'EXCLUSIVE') => openIn(mode, file, driver)
  // The WASM build creates a folder as a lock. A lock for each query would take 100 times as long as the query.
  if (!driver.hasLocks) return open('EXCLUSIVE')
  try {
    return open(isShared ? 'NORMAL' : 'EXCLUSIVE')
  } catch {
    // The shared mode needs a file mapped to memory, which some file systems do not support. The exclusive mode fails
    // if another process reads the database.
    return open(isShared ? 'EXCLUSIVE' : 'NORMAL')
  }
}

function openIn (mode: string, file: string, { connect }: Driver): Sqlite {
  const database = connect(file)
  try {
    database.exec(`PRAGMA busy_timeout = 1000; PRAGMA locking_mode = ${mode}`)
    // The WASM build takes its own lock for the lock of another process. So it never restores data from the rollback
    // journal of a killed process. A write-ahead log does not need that.
    database.get('PRAGMA journal_mode = WAL')
    // Creates the log and checks whether it is writable.
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    // Limits the log to about 400 kB, for small disks.
    database.exec('PRAGMA wal_autocheckpoint = 100')
    // A query that waits for a writing process blocks the event loop, so the timeout is short.
    database.exec('PRAGMA busy_timeout = 100')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Removes all files of a database. */
export function removeFiles (file: string): void {
  for (const ending of [...endings, '-shm']) rmSync(`${file}${ending}`, { recursive: true, force: true })
  removeLock(file)
}
