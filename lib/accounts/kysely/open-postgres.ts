import { lacksPackage } from '../../errors/lacks-package.ts'
import type { AccountStore } from '../account-store.ts'
import { kyselyStore } from './kysely-store.ts'
import { migrations } from './migrations.ts'

/**
 * Opens an account store in PostgreSQL, with a separate pool of ten connections, and migrates its tables.
 *
 * @param connectionString `postgresql://user:password@host/name`
 * @returns the store; `close` ends its connections
 * @throws SOURCE_ORIGIN_ERR_MISSING_PACKAGE without `kysely` or `pg`; the errors of PostgreSQL
 */
export async function openPostgres (connectionString: string): Promise<AccountStore & { close(): Promise<void> }> {
  const { CompiledQuery, Kysely, Migrator, PostgresDialect } =
    await import('kysely').catch(lacksPackage('kysely', 'connectionString'))
  const { default: pg } = await import('pg').catch(lacksPackage('pg', 'connectionString'))

  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 5000 })
  // Without listeners a stopped PostgreSQL would end the process. The next query throws.
  const ignore = () => {}
  pool.on('error', ignore)
  pool.on('connect', client => client.on('error', ignore))
  const dialect = new PostgresDialect({
    pool,
    // A process that is frozen in a transaction must not block the others. PgBouncer rejects this setting as a
    // parameter of the connection.
    async onCreateConnection (connection) {
      await connection.executeQuery(CompiledQuery.raw('set idle_in_transaction_session_timeout = 5000'))
    }
  })
  const db = new Kysely({ dialect })
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'accounts_migration',
    migrationLockTableName: 'accounts_migration_lock'
  }).migrateToLatest()
  if (error !== undefined) {
    await db.destroy()
    throw error
  }
  return Object.assign(kyselyStore(db), { close: () => db.destroy() })
}
