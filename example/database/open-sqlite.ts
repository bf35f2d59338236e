import { rmSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { nodeDriver } from './node-sqlite.ts'
import { makePrivate, refuseUnusable } from './private-files.ts'
import { removeLock } from './remove-lock.ts'
import type { Driver, Sqlite } from './sqlite-driver.ts'

export type { Driver, Sqlite, Statement, Value } from './sqlite-driver.ts'

/** Bytes of WebAssembly that a function runs before it is compiled again, for speed: a start runs each for less. */
const quick = 30_000_000

export async function wasmDriver (): Promise<Driver> {
  setFlagsFromString(`--wasm-tiering-budget=${quick}`)
  const { default: sqlite } = await import('node-sqlite3-wasm')
  return { connect: file => new sqlite.Database(file), hasLocks: false }
}

const ours = nodeDriver() ?? await wasmDriver()

/** A database without a file. */
export const inMemory = ':memory:'

/** Of the files without which a database cannot be opened. */
const endings = ['', '-wal', '-journal']

/**
 * Opens a database, and makes it if there is none, for this process alone.
 *
 * @param isShared whether other processes may read it meanwhile, where the driver has locks. Each query then takes
 * one, which costs several times as much as finding a row.
 * @throws Error that names the file, of the database or beside it, which cannot be read and written
 */
export function openSqlite (file: string, isShared = false, driver = ours): Sqlite {
  // The driver would not say why it cannot use a file, nor which one.
  for (const ending of endings) refuseUnusable(`${file}${ending}`)
  if (file !== inMemory) makePrivate(file)
  const open = (mode: 'NORMAL' | 'EXCLUSIVE') => openIn(mode, file, driver)
  // The WASM build locks by making a folder: to do so for each query takes a hundred times as long as the query.
  if (!driver.hasLocks) return open('EXCLUSIVE')
  try {
    return open(isShared ? 'NORMAL' : 'EXCLUSIVE')
  } catch {
    // Shared ones need memory that is mapped to a file, which not every file system has. One that another process
    // reads cannot be had alone.
    return open(isShared ? 'EXCLUSIVE' : 'NORMAL')
  }
}

function openIn (mode: string, file: string, { connect }: Driver): Sqlite {
  const database = connect(file)
  try {
    database.exec(`PRAGMA busy_timeout = 1000; PRAGMA locking_mode = ${mode}`)
    // The WASM build takes its own lock for that of another process, and so never takes back from a rollback journal
    // what a process that was killed had half written. A write-ahead log does not need it.
    database.get('PRAGMA journal_mode = WAL')
    // Makes the log, and shows whether it can be written to.
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    // The log takes 400 kB, on a small disk too.
    database.exec('PRAGMA wal_autocheckpoint = 100')
    // Nothing else is done while a query waits for another process that writes.
    database.exec('PRAGMA busy_timeout = 100')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Removes the files that make up a database. */
export function removeFiles (file: string): void {
  for (const ending of [...endings, '-shm']) rmSync(`${file}${ending}`, { recursive: true, force: true })
  removeLock(file)
}
