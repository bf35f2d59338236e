import type { FastifyBaseLogger } from 'fastify'
import { Kysely, sql } from 'kysely'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { StartError } from '../start/start-error.ts'
import { isPlainUrl } from '../text/is-plain-url.ts'
import { syncToDisk } from './keep-on-disk.ts'
import { makePrivate } from './private-files.ts'
import { removeLock } from './remove-lock.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { reasonOf } from './reason-of.ts'
import { accountTables, firstMigration, formerMigrations, migrations, type Tables } from './tables.ts'

/**
 * Opens the database of the accounts, and creates or migrates its tables. The database is PostgreSQL at `url`, or the
 * file `state.sqlite` in a folder that this process has claimed. Before a migration, the file is copied to the same
 * folder. If another process holds a lock, the function waits for it.
 *
 * @param url The URL of PostgreSQL; an empty string for SQLite
 * @param connections The maximum number of connections to PostgreSQL. Default: 10.
 * @throws StartError if the database cannot be opened, is read-only, or was written by a newer or a too old version
 */
export async function openDatabase (
  dataDir: string, url: string, log: Pick<FastifyBaseLogger, 'warn' | 'info'>, connections = 10
): Promise<Kysely<Tables>> {
  const file = url === '' ? join(dataDir, 'state.sqlite') : undefined
  if (file !== undefined) removeLock(file)
  const existing = file !== undefined && existsSync(file) ? file : undefined
  const postgres = file === undefined ? await import('./postgres-dialect.ts') : undefined
  const dialect = postgres === undefined
    ? sqliteDialect(file!, log)
    : postgres.postgresDialect(url, connections, log)
  const db = new Kysely<Tables>({ dialect })
  try {
    if (postgres === undefined) {
      await whenUnlocked(log, async () => {
        await refuseDamaged(db)
        if (existing !== undefined && (await namesOfDone(db)).length === 0) {
          const hint = 'If there were other accounts, restore a backup: npm run account -- restore FILE'
          log.warn({ path: existing, hint }, 'database empty')
        }
        await migrate(db, existing)
      })
    } else {
      await refuseReadOnly(db)
      const ofMigrations = postgres.postgresDialect(url, 1, log, postgres.ofMigrations)
      const migrating = new Kysely<Tables>({ dialect: ofMigrations })
      const turn = async () => {
        await sql`select pg_advisory_lock(hashtext('fastify-source-origin'))`.execute(migrating)
        await migrate(migrating)
      }
      await whenUnlocked(log, turn).finally(() => migrating.destroy())
      await refuseMissingRights(db)
    }
    return db
  } catch (error) {
    await db.destroy()
    if (error instanceof StartError) throw error
    const what = file === undefined
      ? 'DATABASE_URL must lead to a PostgreSQL that takes connections'
      : `The database ${file} cannot be used`
    // The address in the driver's message may contain a part of the password.
    const why = file === undefined && !isPlainUrl(url)
      ? 'write @ as %40, / as %2F, ? as %3F and # as %23 in its user and password'
      : messageOf(reasonOf(error as Error, file))
    throw new StartError(`${what}: ${why}`)
  }
}

/** @throws Error if the file is damaged, since changes would increase the damage */
async function refuseDamaged (db: Kysely<any>): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db)
  const found = rows[0]!.quick_check.split('\n').find(line => !line.startsWith('***'))
  if (found !== 'ok') throw new Error(`it is damaged (${found})`)
}

/** @throws StartError if PostgreSQL is read-only, such as a replica */
async function refuseReadOnly (db: Kysely<any>): Promise<void> {
  const { rows } = await sql<{ mode: string }>`select current_setting('transaction_read_only') as mode`.execute(db)
  if (rows[0]!.mode === 'on') {
    throw new StartError('DATABASE_URL must lead to a PostgreSQL that takes changes: this one is read-only')
  }
}

/** @throws StartError if the PostgreSQL user lacks permissions for a table */
async function refuseMissingRights (db: Kysely<any>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${[...accountTables, 'setting']}::text[]) as name
    where not (has_table_privilege(name, 'select') and has_table_privilege(name, 'insert')
      and has_table_privilege(name, 'update') and has_table_privilege(name, 'delete'))`.execute(db)
  if (rows.length > 0) {
    const names = rows.map(({ name }) => name).join(', ')
    throw new StartError(`The database of accounts cannot be written to: permission denied for table ${names}`)
  }
}

/** Returns the message of an error. An `AggregateError` of a connection has only the messages of its errors. */
export const messageOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(({ message }) => message).join(', ') : (error as Error).message

/** PostgreSQL's codes of lock and statement timeouts. Its messages depend on the configured language. */
const locked = new Set<string | undefined>(['55P03', '57014'])

/** Calls `run`, and repeats the call while another process holds a lock on the database. */
export async function whenUnlocked<T> (
  log: Pick<FastifyBaseLogger, 'warn'>, run: () => Promise<T>, isTold = false
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const { cause = error } = error as Error
    const { code, message } = cause as Error & { code?: string }
    if (!locked.has(code) && !message.includes('database is locked')) throw error
    if (!isTold) log.warn({}, 'database locked')
    await setTimeout(100)
    return whenUnlocked(log, run, true)
  }
}

/**
 * Runs the pending migrations in one transaction.
 *
 * @param existing The path of the SQLite file, if the file existed before the start
 */
async function migrate (db: Kysely<any>, existing?: string): Promise<void> {
  const done = await namesOfDone(db)
  const newer = done.find(name => !Object.hasOwn(migrations, name) && !formerMigrations.includes(name))
  if (newer !== undefined) {
    throw new StartError(`The database is of a newer version of this source (${newer}): start that version`)
  }
  if (done.length > 0 && !done.includes(firstMigration)) {
    throw new StartError(`The database ${existing ?? 'of DATABASE_URL'} is of a version that cannot be upgraded: ` +
      'start commit 3ead6a63 of this source once, which converts it')
  }
  const pending = Object.entries(migrations).filter(([name]) => !done.includes(name))
  const [last] = pending.at(-1) ?? []
  if (last === undefined) return
  if (existing !== undefined) {
    // The copy gets its final name at the end, so that an incomplete copy is not taken for a backup.
    const copy = `${existing}.before-${last}`
    // A killed process may have left files of the driver beside an incomplete copy. The driver's lock is a folder.
    for (const end of ['', '.lock', '-journal', '-wal', '-shm']) {
      await rm(`${copy}.new${end}`, { recursive: true, force: true })
    }
    makePrivate(`${copy}.new`)
    await sql`vacuum into ${`${copy}.new`}`.execute(db)
    syncToDisk(`${copy}.new`)
    await rename(`${copy}.new`, copy)
  }
  // Kysely's Migrator is not used: it reads the schema of all tables at each start, and uses no transaction in SQLite.
  await db.transaction().execute(async transaction => {
    await transaction.schema.createTable('kysely_migration').ifNotExists()
      .addColumn('name', 'varchar(255)', column => column.notNull().primaryKey())
      .addColumn('timestamp', 'varchar(255)', column => column.notNull())
      .execute()
    for (const [name, { up }] of pending) {
      await up(transaction)
      await transaction.insertInto('kysely_migration').values({ name, timestamp: new Date().toISOString() }).execute()
    }
  })
}

/** PostgreSQL's error code for a missing table. */
const noTable = '42P01'

/** Returns the names of the migrations that have run in a database. */
async function namesOfDone (db: Kysely<any>): Promise<string[]> {
  try {
    const rows: { name: string }[] = await db.selectFrom('kysely_migration').select('name').execute()
    return rows.map(({ name }) => name)
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === noTable || /^no such table: /.test(message)) return []
    throw error
  }
}
