import { Kysely, Migrator, PostgresDialect } from 'kysely'
import { kyselyStore, migrations } from 'fastify-source-origin/accounts/kysely'
import pg from 'pg'
import type { Test } from 'tap'

/** A store with its tables made, closed with the test. */
export async function openStore<DB> (t: Test, db: Kysely<DB>) {
  t.teardown(() => db.destroy())
  const migrator =
    new Migrator({ db, provider: { getMigrations: async () => migrations }, migrationTableName: 'accounts_migration' })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
  return kyselyStore(db)
}

/** As one replica has it. */
export function postgresOf (url: string, max = 10) {
  const pool = new pg.Pool({ connectionString: url, max })
  // Without these, a server that stops ends the process.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
}
