import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { AccountStore } from '../account-store.ts'
import { limitConcurrency } from '../../async/limit-concurrency.ts'
import { refreshTimeout } from '../refresh-timeout.ts'
import type { Tables } from './migrations.ts'

/** Milliseconds after which the wait for another replica fails: longer than a refresh may take. */
const maxWait = 2 * refreshTimeout

/**
 * Locks that PostgreSQL holds for a connection, which it releases when the connection breaks off.
 *
 * They take three connections at most, so that upstreams that hang do not occupy the whole pool.
 *
 * @param storeOn the store over one connection
 */
export function lockInPostgres (
  db: Kysely<Tables>, storeOn: (connection: Kysely<Tables>) => AccountStore
): AccountStore['withLock'] {
  // One at a time of a name, so that those who wait for each other take one connection.
  const limit = limitConcurrency({ ofKey: 1, inAll: 3 })

  async function lock<T> (name: string, run: (store: AccountStore) => Promise<T>, connection: Kysely<Tables>) {
    const digest = createHash('sha256').update(`fastify-source-origin/accounts ${name}`).digest()
    const key = digest.readBigInt64BE().toString()
    // Sets the limit for this statement only.
    const wait = connection
      .with('wait', query => query.selectNoFrom(({ fn, val }) =>
        fn('set_config', [val('lock_timeout'), val(`${maxWait}`), val(true)]).as('limit')))
      .selectFrom('wait').select(({ fn, val }) => fn('pg_advisory_lock', [val(key)]).as('lock'))
    await wait.execute().catch(error => refuseWait(connection, key, error))
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
    limit(() => db.connection().execute(connection => lock(name, run, connection)), { key: name })
}

/** What PostgreSQL says when a wait for a lock has ended. */
const waitEnded = '55P03'

/**
 * Tells a frozen holder of the lock from a busy one, which sends a query more often than `maxWait`.
 *
 * @throws the error; for a wait that has ended, with who holds the lock in its message
 */
async function refuseWait (
  connection: Kysely<Tables>, key: string, error: Error & { code?: string }
): Promise<never> {
  if (error.code !== waitEnded) throw error
  const { sql } = await import('kysely')
  const { rows: [frozen] } = await sql<{ pid: number, address: string, seconds: number }>`
    select pid, coalesce(host(client_addr), 'this machine') as address,
      extract(epoch from clock_timestamp() - state_change)::integer as seconds
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and datname = current_database()
      and (classid::bigint << 32 | objid::bigint) = ${key}::bigint
      and clock_timestamp() - state_change >= ${maxWait}::integer * interval '1 millisecond'`.execute(connection)
  const holder = frozen === undefined
    ? 'its holder is busy'
    : `its holder is frozen, session ${frozen.pid} from ${frozen.address}, silent for ${frozen.seconds} s: end it`
  error.message = `The lock of an account was not free within ${maxWait} ms (${error.message}): ${holder}`
  process.emitWarning(error.message, { type: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_LOCK_WAIT' })
  throw error
}

function warnOfPooler (): void {
  process.emitWarning(
    'A lock in PostgreSQL is left on another connection, so tokens and sessions may not be changed any more: ' +
    'PgBouncer must pool by session',
    { type: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_LOST_LOCK' })
}
