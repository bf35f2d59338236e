import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import sqlite from 'node-sqlite3-wasm'
import { filesOf, openSqlite } from '../store/open-sqlite.ts'
import type { Mounts } from './mounted-folders.ts'
import type { AudioFile } from './read-audio-file.ts'
import type { FoundFile } from './walk-folder.ts'

/** What is kept of a file that could not be read: it is tried again when it has changed. */
interface BrokenFile extends FoundFile { readonly broken: true }

/** A file as the store has it. */
export type KeptFile = AudioFile | BrokenFile

/** What is kept. */
export interface Kept {
  readonly files: KeptFile[]
  /** Which folder the files were in. */
  readonly home: string | undefined
  /** What was mounted inside of it. */
  readonly mounts: Mounts
}

/** Changes with the form of what is kept. */
const version = 3

/** What was read of the files, in an SQLite file: a restart reads only what has changed. */
export class Store {
  readonly #database: sqlite.Database
  #home: string | undefined
  #mounts: Mounts

  private constructor (database: sqlite.Database, { home, mounts }: Kept) {
    this.#database = database
    this.#home = home
    this.#mounts = mounts
  }

  /**
   * Opens the store of a folder. One that is damaged is made anew, with one warning; the files are then read again.
   *
   * @throws when the folder cannot be written to, or the file cannot be used for another reason
   */
  static open (dataDir: string, log: FastifyBaseLogger): { store: Store, kept: Kept } {
    const file = join(dataDir, 'library.sqlite')
    mkdirSync(dataDir, { recursive: true })
    // The driver locks with a folder, which stays behind when the process is killed.
    rmSync(`${file}.lock`, { recursive: true, force: true })
    // The driver would not say why it cannot open a file.
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
    try {
      return openDatabase(file)
    } catch (error) {
      if (!isDamage(error)) throw error
      log.warn(`The index in ${file} is damaged (${(error as Error).message}): it is made anew`)
      for (const part of filesOf(file)) rmSync(part, { recursive: true, force: true })
      return openDatabase(file)
    }

    function openDatabase (file: string) {
      const database = openSqlite(file)
      try {
        const kept = readKept(database)
        return { store: new Store(database, kept), kept }
      } catch (error) {
        database.close()
        throw error
      }
    }
  }

  /**
   * Keeps what was read, and which folder it was in; forgets the paths. Nothing is written where nothing has changed:
   * the data folder may be in the music folder, where each change leads to a scan.
   */
  save (files: readonly KeptFile[], forgotten: readonly string[], home: string | undefined, mounts: Mounts): void {
    const isSame = home === this.#home && mounts === this.#mounts
    if (files.length === 0 && forgotten.length === 0 && isSame) return
    this.#database.exec('BEGIN')
    try {
      if (mounts !== this.#mounts) {
        this.#database.exec('DELETE FROM mounts')
        for (const mount of mounts) this.#database.run('INSERT INTO mounts VALUES (?, ?)', mount)
      }
      if (home !== undefined) this.#database.run('REPLACE INTO home VALUES (1, ?)', home)
      for (const path of forgotten) this.#database.run('DELETE FROM files WHERE path = ?', path)
      for (const file of files) {
        this.#database.run('REPLACE INTO files VALUES (?, ?)', [file.path, JSON.stringify(file)])
      }
      this.#database.exec('COMMIT')
      this.#home = home
      this.#mounts = mounts
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  close (): void {
    this.#database.close()
  }
}

/** Whether the reason is what is in the file, and not a full disk, for example. */
const isDamage = (error: unknown) =>
  !(error instanceof sqlite.SQLite3Error) || /Could not open|malformed|not a database/.test(error.message)

function readKept (database: sqlite.Database): Kept {
  const check = database.get('PRAGMA quick_check')?.quick_check
  if (check !== 'ok') throw new Error(String(check))
  if (database.get('PRAGMA user_version')?.user_version !== version) {
    database.exec(`
      DROP TABLE IF EXISTS files;
      DROP TABLE IF EXISTS home;
      CREATE TABLE files (path TEXT PRIMARY KEY, file TEXT NOT NULL);
      CREATE TABLE home (id INTEGER PRIMARY KEY, folder TEXT NOT NULL);
      PRAGMA user_version = ${version}`)
  }
  // It came later, and nothing has to be read again for it.
  database.exec('CREATE TABLE IF NOT EXISTS mounts (path TEXT PRIMARY KEY, folder TEXT NOT NULL)')
  const mounts = database.all('SELECT path, folder FROM mounts')
  return {
    mounts: new Map(mounts.map(({ path, folder }) => [String(path), String(folder)])),
    files: database.all('SELECT file FROM files').map(({ file }) => JSON.parse(String(file)) as KeptFile),
    home: database.get('SELECT folder FROM home')?.folder as string | undefined
  }
}
