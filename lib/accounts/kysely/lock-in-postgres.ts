import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import PQueue from 'p-queue'
import { tokensLock, type AccountStore } from '../account-store.ts'
import type { TakeTurn } from '../create-turns.ts'
import type { Tables } from './migrations.ts'

/**
 * Locks that PostgreSQL holds for a connection, which it releases when the connection breaks off.
 *
 * They take four connections at most, so that upstreams that hang do not occupy the whole pool. One of them is for
 * changes of tokens, which then never wait for a refresh.
 *
 * @param storeOn the store over one connection
 * @param takeTurn one at a time within this process, so that those who wait for each other take one connection
 * @param longestWait milliseconds after which the wait for another replica fails: longer than a refresh may take
 */
export function lockInPostgres (
  db: Kysely<Tables>, storeOn: (connection: Kysely<Tables>) => AccountStore, takeTurn: TakeTurn, longestWait = 60_000
): AccountStore['withLock'] {
  const tokenChanges = new PQueue({ concurrency: 1 })
  const others = new PQueue({ concurrency: 3 })
  const placesFor = (name: string) => name.startsWith(tokensLock) ? tokenChanges : others

  return (name, run) => takeTurn(name, () => placesFor(name).add(() => db.connection().execute(async connection => {
    const digest = createHash('sha256').update(`fastify-source-origin/accounts ${name}`).digest()
    const key = digest.readBigInt64BE().toString()
    // Sets the limit for this statement only.
    await connection
      .with('wait', query => query.selectNoFrom(({ fn, val }) =>
        fn('set_config', [val('lock_timeout'), val(`${longestWait}`), val(true)]).as('limit')))
      .selectFrom('wait').select(({ fn, val }) => fn('pg_advisory_lock', [val(key)]).as('lock')).execute()
    try {
      return await run(storeOn(connection))
    } finally {
      const unlock = connection.selectNoFrom(({ fn, val }) => fn('pg_advisory_unlock', [val(key)]).as('unlocked'))
      // A broken connection has released the lock.
      const answer = await unlock.executeTakeFirst().catch(() => undefined)
      if (answer?.unlocked === false) warnOfPooler()
    }
  })))
}

function warnOfPooler (): void {
  process.emitWarning(
    'A lock in PostgreSQL is left on another connection, so tokens and sessions may not be changed any more: ' +
    'PgBouncer must pool by session',
    { type: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_LOST_LOCK' })
}
