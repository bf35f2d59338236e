import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { AccountStore } from '../account-store.ts'
import { limitConcurrency } from '../../async/limit-concurrency.ts'
import { refreshTimeout } from '../refresh-timeout.ts'
import type { Tables } from './migrations.ts'

/** The timeout in milliseconds of the wait for another replica: longer than a refresh may take. */
const maxWait = 2 * refreshTimeout

/**
 * Creates locks that PostgreSQL holds for a connection and releases when the connection breaks.
 *
 * Locks use at most three connections, so that unresponsive upstreams do not occupy the complete pool.
 *
 * @param storeOn creates the store over one connection
 */
export function lockInPostgres (
  db: Kysely<Tables>, storeOn: (connection: Kysely<Tables>) => AccountStore
): AccountStore['withLock'] {
  // Locks of the same name run one at a time, so that waiting calls use one connection.
  const limit = limitConcurrency({ ofKey: 1, inAll: 3 })

  async function lock<T> (name: string, run: (store: AccountStore) => Promise<T>, connection: Kysely<Tables>) {
    const digest = createHash('sha256').update(`fastify-source-origin/accounts ${name}`).digest()
    const key = digest.readBigInt64BE().toString()
    // `set_config` sets the limit for this statement only.
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

/** The PostgreSQL error code for a lock timeout. */
const waitEnded = '55P03'

/**
 * Adds the holder of the lock to the error of a timeout. A busy holder sends a query more often than `maxWait`, a
 * frozen one does not.
 *
 * @throws the error; after a lock timeout, its message names the holder of the lock
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
