import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { attachIdentities, identitiesInMemory, readIdentities, unsettleMissing } from '../catalogue/identities.ts'
import { refuseDamage, isDamage, NewerError, OlderError } from '../database/index-errors.ts'
import { isNoRoom, reserveDiskSpace } from '../database/reserve-disk-space.ts'
import { IndexDatabase } from '../database/index-database.ts'
import { indexForm, libraryTables } from './index-tables.ts'
import { inMemory, openSqlite, removeFiles, type Sqlite } from '../database/open-sqlite.ts'
import { removeLock } from '../database/remove-lock.ts'
import { reasonOf } from '../database/reason-of.ts'

const name = 'index.sqlite'
/** The index of older versions. They would fail to start if a newer format had this name. */
const formerName = 'library.sqlite'

/** The page cache in kilobytes. */
const cacheSize = 32_000

/**
 * Creates a library in memory, for a full disk.
 *
 * @param fill adds its initial identities
 */
export function libraryInMemory (fill?: (database: Sqlite) => void): IndexDatabase {
  const database = openSqlite(inMemory)
  identitiesInMemory(database)
  fill?.(database)
  makeTables(database)
  return new IndexDatabase(database)
}

/**
 * Opens the library of a folder. A damaged index, or one of another version, is created again, and the files are read
 * again. An index of a newer version is retained next to it. If the disk is full, the library is in memory.
 *
 * @param report receives messages about problems of an index
 * @throws if the folder is not writable, or the file cannot be used for another reason
 */
export function openIndex (dataDir: string, report: (message: string) => void): IndexDatabase {
  const file = join(dataDir, name)
  mkdirSync(dataDir, { recursive: true })
  removeLock(file)
  removeFormer(join(dataDir, formerName), report)
  try {
    reserveDiskSpace(dataDir)
    return openFile(file, false, report)
  } catch (error) {
    if (error instanceof NewerError) {
      const aside = `${file}.newer`
      renameSync(file, aside)
      report(`The index in ${file} is of a newer version: it is kept as ${aside}; a new one is made`)
    } else if (error instanceof OlderError) {
      reportOlder(file, report)
    } else if (isDamage(error as Error)) {
      report(`The index in ${file} is damaged (${(error as Error).message}): it is rebuilt`)
    } else return withoutRoom(file, error as Error, report)
    return makeIndexAnew(dataDir, report)
  }
}

const reportOlder = (file: string, report: (message: string) => void) =>
  report(`The index in ${file} is of an older version: it is rebuilt, and tracks keep their ids`)

function removeFormer (file: string, report: (message: string) => void): void {
  if (!existsSync(file)) return
  reportOlder(file, report)
  for (const part of [file, `${file}.newer`]) removeFiles(part)
}

/** Replaces the unused library of a folder by an empty one. */
export function makeIndexAnew (dataDir: string, report: (message: string) => void): IndexDatabase {
  const file = join(dataDir, name)
  removeFiles(file)
  try {
    reserveDiskSpace(dataDir)
    return openFile(file, true, report)
  } catch (error) {
    return withoutRoom(file, error as Error, report)
  }
}

/** Deletes the index on a full disk, to leave space for data that cannot be created again. */
function withoutRoom (file: string, error: Error, report: (message: string) => void): IndexDatabase {
  const reason = reasonOf(error, file)
  if (!isNoRoom(reason)) throw reason
  for (const part of [file, `${file}.newer`]) removeFiles(part)
  report(`The index is in memory until the next start: ${reason.message}`)
  return libraryInMemory(database => readIdentities(database, file, report))
}

function openFile (file: string, isAnew: boolean, report: (message: string) => void): IndexDatabase {
  // A process that was killed leaves a write-ahead log.
  const wasKilled = existsSync(`${file}-wal`)
  const database = openSqlite(file)
  try {
    // Data lost in a power failure is read again.
    database.exec(`
      PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${cacheSize}; PRAGMA wal_autocheckpoint = 0`)
    if (wasKilled) refuseDamage(database, 'main')
    attachIdentities(database, file, wasKilled || isAnew, report)
    makeTables(database)
    unsettleMissing(database, wasKilled)
    tryTables(database)
    return new IndexDatabase(database, file)
  } catch (error) {
    database.close()
    throw error
  }
}

/** Reads the beginning of each table and index, since reading all of them takes too long for a large library. */
function tryTables (database: Sqlite): void {
  const names = database.all('SELECT name FROM sqlite_schema WHERE type = \'table\'')
  for (const { name } of names) database.get(`SELECT * FROM "${name}" LIMIT 1`)
}

/**
 * Creates the tables atomically.
 *
 * @throws NewerError, OlderError for tables of another version
 */
function makeTables (database: Sqlite): void {
  const form: number = database.get('PRAGMA user_version')!.user_version
  if (form > indexForm) throw new NewerError()
  if (form === indexForm) return
  if (database.get('SELECT 1 FROM sqlite_schema') !== null) throw new OlderError()
  database.exec(`BEGIN; ${libraryTables}; COMMIT`)
}
