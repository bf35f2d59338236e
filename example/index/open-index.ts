import type { FastifyBaseLogger } from 'fastify'
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
 * @param log receives events about problems of an index
 * @throws if the folder is not writable, or the file cannot be used for another reason
 */
export function openIndex (dataDir: string, log: Pick<FastifyBaseLogger, 'warn'>): IndexDatabase {
  const file = join(dataDir, name)
  mkdirSync(dataDir, { recursive: true })
  removeLock(file)
  removeFormer(join(dataDir, formerName), log)
  try {
    reserveDiskSpace(dataDir)
    return openFile(file, false, log)
  } catch (error) {
    if (error instanceof NewerError) {
      const aside = `${file}.newer`
      renameSync(file, aside)
      log.warn({ path: file, to: aside }, 'newer index set aside')
    } else if (error instanceof OlderError) {
      warnOfOlder(file, log)
    } else if (isDamage(error as Error)) {
      log.warn({ path: file, reason: (error as Error).message }, 'index rebuilt')
    } else return withoutRoom(file, error as Error, log)
    return makeIndexAnew(dataDir, log)
  }
}

const warnOfOlder = (file: string, log: Pick<FastifyBaseLogger, 'warn'>) =>
  log.warn({ path: file, reason: 'older version' }, 'index rebuilt')

function removeFormer (file: string, log: Pick<FastifyBaseLogger, 'warn'>): void {
  if (!existsSync(file)) return
  warnOfOlder(file, log)
  for (const part of [file, `${file}.newer`]) removeFiles(part)
}

/** Replaces the unused library of a folder by an empty one. */
export function makeIndexAnew (dataDir: string, log: Pick<FastifyBaseLogger, 'warn'>): IndexDatabase {
  const file = join(dataDir, name)
  removeFiles(file)
  try {
    reserveDiskSpace(dataDir)
    return openFile(file, true, log)
  } catch (error) {
    return withoutRoom(file, error as Error, log)
  }
}

/** Deletes the index on a full disk, to leave space for data that cannot be created again. */
function withoutRoom (file: string, error: Error, log: Pick<FastifyBaseLogger, 'warn'>): IndexDatabase {
  const reason = reasonOf(error, file)
  if (!isNoRoom(reason)) throw reason
  for (const part of [file, `${file}.newer`]) removeFiles(part)
  log.warn({ reason: reason.message }, 'index in memory')
  return libraryInMemory(database => readIdentities(database, file, log))
}

function openFile (file: string, isAnew: boolean, log: Pick<FastifyBaseLogger, 'warn'>): IndexDatabase {
  // A process that was killed leaves a write-ahead log.
  const wasKilled = existsSync(`${file}-wal`)
  const database = openSqlite(file)
  try {
    // Data lost in a power failure is read again.
    database.exec(`
      PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${cacheSize}; PRAGMA wal_autocheckpoint = 0`)
    if (wasKilled) refuseDamage(database, 'main')
    attachIdentities(database, file, wasKilled || isAnew, log)
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
