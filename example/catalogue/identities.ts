import type { FastifyBaseLogger } from 'fastify'
import type { Yield } from 'fastify-source-origin'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { refuseDamage, isDamage } from '../database/index-errors.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { openSqlite, removeFiles, type Sqlite } from '../database/open-sqlite.ts'
import { removeLock } from '../database/remove-lock.ts'

/** Returns the identities file next to a library file. */
const identitiesBeside = (library: string): string => join(dirname(library), 'identities.sqlite')

/** The cache size in kilobytes. It holds all pages that a transaction changes; otherwise SQLite writes them twice. */
const cacheSize = 8000

const tables = `
  -- What tracks with an id are recognised by: a file, its audio, and the id that its tags make.
  CREATE TABLE IF NOT EXISTS ids.known (
    id TEXT NOT NULL,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    audio TEXT,
    key TEXT NOT NULL,
    PRIMARY KEY (id, folder, name)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS ids.known_path ON known (folder, name);
  CREATE INDEX IF NOT EXISTS ids.known_audio ON known (audio) WHERE audio <> '';
  CREATE INDEX IF NOT EXISTS ids.known_key ON known (key) WHERE key <> id;
  -- How many tracks of an album or an artist went to another one.
  CREATE TABLE IF NOT EXISTS ids.went (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    heir TEXT NOT NULL,
    tracks INTEGER NOT NULL,
    PRIMARY KEY (kind, id, heir)
  ) WITHOUT ROWID;
  -- Titles that tracks had last whose files are gone.
  CREATE TABLE IF NOT EXISTS ids.gone (id TEXT PRIMARY KEY, title TEXT NOT NULL) WITHOUT ROWID`

/**
 * Attaches the data that identifies tracks to a library. It is in a separate file, since it survives a new index.
 *
 * @param isChecked whether to read it completely, because the index was damaged or the process was killed
 * @param log receives an event about a damaged file, which is replaced; ids are then derived from tags
 */
export function attachIdentities (
  database: Sqlite, library: string, isChecked: boolean, log: Pick<FastifyBaseLogger, 'warn'>
): void {
  const file = identitiesBeside(library)
  removeLock(file)
  try {
    attach(database, file)
    if (isChecked) refuseDamage(database, 'ids')
  } catch (error) {
    if (!isDamage(error as Error)) throw error
    log.warn({ path: file, reason: (error as Error).message }, 'identities rebuilt')
    try {
      database.exec('DETACH ids')
    } catch {
      // It was not attached.
    }
    removeFiles(file)
    attach(database, file)
  }
}

function attach (database: Sqlite, file: string): void {
  // For some damage ATTACH only reports that the file cannot be opened.
  const alone = openSqlite(file)
  try {
    alone.get('SELECT 1 FROM sqlite_schema')
  } finally {
    alone.close()
  }
  database.run('ATTACH ? AS ids', [file])
  database.get('PRAGMA ids.journal_mode = WAL')
  database.exec(`PRAGMA ids.synchronous = NORMAL; PRAGMA ids.cache_size = -${cacheSize}; ${tables}`)
}

/**
 * Marks tracks whose identifying data is missing, so that it is stored again: the process was killed between the
 * changes of the two files, or the identities file was replaced.
 *
 * @param isChecked whether some may be missing
 */
export function unsettleMissing (database: Sqlite, isChecked: boolean): void {
  if (!isChecked && database.get('SELECT 1 FROM ids.known LIMIT 1') !== undefined) return
  database.run(`
    UPDATE file SET settled = 0 WHERE settled = 1 AND NOT EXISTS (
      SELECT 1 FROM ids.known WHERE id = own AND known.folder = file.folder AND known.name = file.name)`)
}

/** Creates the tables of `attachIdentities` for a library in memory. */
export function identitiesInMemory (database: Sqlite): void {
  database.exec(`ATTACH ':memory:' AS ids; ${tables}`)
}

/**
 * Copies the identities file of a library into memory.
 *
 * @param log receives an event about an unreadable file, which stays unchanged; ids are then derived from tags
 */
export function readIdentities (database: Sqlite, library: string, log: Pick<FastifyBaseLogger, 'warn'>): void {
  const file = identitiesBeside(library)
  if (!existsSync(file)) return
  removeLock(file)
  try {
    database.run('ATTACH ? AS kept', [file])
    try {
      const there = database.all(`
        SELECT name FROM kept.sqlite_schema WHERE type = 'table' AND name IN (SELECT name FROM ids.sqlite_schema)`)
      for (const { name } of there) database.exec(`INSERT INTO ids.${name} SELECT * FROM kept.${name}`)
    } finally {
      database.exec('DETACH kept')
    }
  } catch (error) {
    log.warn({ path: file, reason: (error as Error).message }, 'identities not read')
  }
}

/** The number of rows copied at a time. */
const rowsAtATime = 500

/** Copies the data that identifies tracks from one library to another. */
export async function copyIdentities (from: IndexDatabase, to: IndexDatabase, pause: Yield): Promise<void> {
  const tables = [['known', 'id, folder, name'], ['went', 'kind, id, heir'], ['gone', 'id']] as const
  for (const [table, key] of tables) {
    const columns = key.split(', ')
    const after = columns.map(() => '?').join()
    let last = columns.map(() => '')
    for (;;) {
      const rows = from.all(
        `SELECT * FROM ids.${table} WHERE (${key}) > (${after}) ORDER BY ${key} LIMIT ${rowsAtATime}`, ...last)
      for (const row of rows) {
        const values = Object.values(row)
        to.run(`INSERT INTO ids.${table} VALUES (${values.map(() => '?').join()})`, ...values)
      }
      await pause()
      const end = rows.at(-1)
      if (end === undefined) break
      last = columns.map(name => String(end[name]))
    }
  }
}
