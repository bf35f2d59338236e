import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { AccountStore } from '../account-store.ts'
import { limitConcurrency } from '../../async/limit-concurrency.ts'
import type { Tables } from './migrations.ts'

/**
 * Locks that PostgreSQL holds for a connection, which it releases when the connection breaks off.
 *
 * They take three connections at most, so that upstreams that hang do not occupy the whole pool.
 *
 * @param storeOn the store over one connection
 * @param maxWait milliseconds after which the wait for another replica fails: longer than a refresh may take
 */
export function lockInPostgres (
  db: Kysely<Tables>, storeOn: (connection: Kysely<Tables>) => AccountStore, maxWait = 60_000
): AccountStore['withLock'] {
  // One at a time of a name, so that those who wait for each other take one connection.
  const ofName = limitConcurrency(1)
  const limit = limitConcurrency(3)

  async function lock<T> (name: string, run: (store: AccountStore) => Promise<T>, connection: Kysely<Tables>) {
    const digest = createHash('sha256').update(`fastify-source-origin/accounts ${name}`).digest()
    const key = digest.readBigInt64BE().toString()
    // Sets the limit for this statement only.
    await connection
      .with('wait', query => query.selectNoFrom(({ fn, val }) =>
        fn('set_config', [val('lock_timeout'), val(`${maxWait}`), val(true)]).as('limit')))
      .selectFrom('wait').select(({ fn, val }) => fn('pg_advisory_lock', [val(key)]).as('lock')).execute()
    try {
      return await run(storeOn(connection))
    } finally {
      const unlock = connection.selectNoFrom(({ fn, val }) => fn('pg_advisory_unlock', [val(key)]).as('unlocked'))
      // A broken connection has released the lock.
      const answer = await unlock.executeTakeFirst().catch(() => undefined)
      if (answer?.unlocked === false) warnOfPooler()
    }
  }

  return (name, run) =>
    ofName(() => limit(() => db.connection().execute(connection => lock(name, run, connection))), { key: name })
}

function warnOfPooler (): void {
  process.emitWarning(
    'A lock in PostgreSQL is left on another connection, so tokens and sessions may not be changed any more: ' +
    'PgBouncer must pool by session',
    { type: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_LOST_LOCK' })
}
