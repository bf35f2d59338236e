import { sql } from 'kysely'
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../start/start-error.ts'
import { syncToDisk } from '../database/keep-on-disk.ts'
import { openDatabase } from '../database/open-database.ts'
import { openSqlite } from '../database/open-sqlite.ts'
import { makePrivate } from '../database/private-files.ts'
import { accountTables as tables, type Tables } from '../database/tables.ts'
import type { Database } from './state-database.ts'

/** The number of rows that are read and written at a time. */
const rowsAtATime = 500

/** Returns whether the database is SQLite, whose dialect has no transactional DDL. */
const isSqlite = (db: Database) => !db.getExecutor().adapter.supportsTransactionalDdl

/**
 * Writes a consistent copy of all account data to a file. The file is an SQLite database, whatever the engine of the
 * source database.
 *
 * @throws StartError if the file exists already
 */
export async function backUp (db: Database, file: string): Promise<void> {
  if (existsSync(file)) throw new StartError(`${file} is there already: choose another name`)
  await inFolderOfItsOwn(dirname(file), async folder => {
    const copy = join(folder, 'state.sqlite')
    if (isSqlite(db)) {
      makePrivate(copy)
      await sql`vacuum into ${copy}`.execute(db)
    } else {
      const target = await openDatabase(folder, '', console)
      try {
        await db.transaction().setIsolationLevel('repeatable read').execute(async from => {
          for (const table of [...tables, 'setting' as const]) await copyRows(from, target, table)
        })
      } finally {
        await target.destroy()
      }
    }
    syncToDisk(copy)
    await rename(copy, file)
  })
}

/**
 * Replaces all account data by the content of a backup atomically. Settings that replicas share stay.
 *
 * @param dataDir the folder to which the backup is copied, because a backup of an older version is migrated
 * @throws StartError if the file is not a backup, or a backup of a newer version
 */
export async function restore (db: Database, file: string, dataDir: string): Promise<void> {
  if (!existsSync(file)) throw new StartError(`File not found: ${file}`)
  await inFolderOfItsOwn(dataDir, async folder => {
    const copy = join(folder, 'state.sqlite')
    await copyFile(file, copy)
    // A file that was copied by other means may have a log.
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${copy}-wal`)
    refuseOthers(copy, file)
    const source = await openDatabase(folder, '', console)
    try {
      await db.transaction().execute(to => replaceAll(source, to))
    } finally {
      await source.destroy()
    }
  })
}

async function inFolderOfItsOwn (parent: string, run: (folder: string) => Promise<void>): Promise<void> {
  let folder: string | undefined
  try {
    folder = await mkdtemp(join(parent, 'backup-'))
    await run(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw /^E[A-Z]+$/.test(code ?? '') ? new StartError(message) : error
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}

function refuseOthers (copy: string, file: string): void {
  let database
  let problem: unknown
  try {
    database = openSqlite(copy)
    problem = database.get('PRAGMA integrity_check')!.integrity_check
    const isOurs = database.get("SELECT 1 FROM kysely_migration WHERE name LIKE 'state-%'") !== null
    if (!isOurs) problem = 'it has no accounts'
  } catch (error) {
    problem = (error as Error).message
  }
  database?.close()
  if (problem !== 'ok') {
    throw new StartError(
    `${file} is not a backup of this source, or is damaged: ${String(problem)}`
    )
  }
}

async function replaceAll (source: Database, to: Database): Promise<void> {
  const known = await to.selectFrom('account').select(['listener', 'revision']).execute()
  if (isSqlite(to)) for (const table of tables) await to.deleteFrom(table).execute()
  else await sql`truncate table ${sql.join(tables.map(table => sql.table(table)))}`.execute(to)
  for (const table of tables) await copyRows(source, to, table)
  await copyRows(source, to, 'setting')
  // Revisions are increased, so that responses from before the restore are invalid.
  for (const { listener, revision } of known) {
    await to.updateTable('account').set({ revision: revision + 1 })
      .where('listener', '=', listener).where('revision', '<=', revision).execute()
  }
}

async function copyRows (from: Database, to: Database, table: keyof Tables): Promise<void> {
  for await (const rows of partsOf(from, table)) {
    const insert = to.insertInto(table).values(rows)
    await (table === 'setting' ? insert.onConflict(conflict => conflict.doNothing()) : insert).execute()
  }
}

/** Yields the rows of a table in a transaction of PostgreSQL, or of an SQLite database without other users. */
async function * partsOf (db: Database, table: keyof Tables): AsyncGenerator<any[]> {
  if (!isSqlite(db)) await sql`declare parts no scroll cursor for select * from ${sql.table(table)}`.execute(db)
  for (let at = 0; ; at += rowsAtATime) {
    const { rows } = isSqlite(db)
      ? await sql`select * from ${sql.table(table)} order by rowid limit ${rowsAtATime} offset ${at}`.execute(db)
      : await sql`fetch ${sql.lit(rowsAtATime)} from parts`.execute(db)
    if (rows.length > 0) yield rows
    if (rows.length < rowsAtATime) break
  }
  if (!isSqlite(db)) await sql`close parts`.execute(db)
}
