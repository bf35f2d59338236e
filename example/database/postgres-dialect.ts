import type { FastifyBaseLogger } from 'fastify'
import { PostgresDialect, type PostgresPoolClient } from 'kysely'
import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { waitAtMost } from './wait-at-most.ts'

/**
 * Session settings, in milliseconds: an open transaction of a process that hangs must not block other processes. They
 * are not set as connection options, because PgBouncer rejects those. `read committed` suffices, because each change
 * locks its rows.
 */
const limits = 'set idle_in_transaction_session_timeout = 10000; ' +
  'set default_transaction_isolation = \'read committed\'; '

/** The timeouts of queries for requests, in milliseconds. */
const ofRequests = { server: 'set statement_timeout = 9000', client: 10_000 }
/**
 * The timeouts of migrations, in milliseconds. A migration may take any time. The wait for a lock is short, so that it
 * can be logged.
 */
export const ofMigrations = { server: 'set lock_timeout = 500', client: 0 }

/** The time that a query waits for a connection, in milliseconds. */
const waitForConnection = 5000
/** The idle time in milliseconds before TCP keepalive begins, so that firewalls do not drop the connection. */
const keepAliveAfter = 60_000
/** The time in milliseconds before the pool may grow again after the server had no connection left. */
const askAgainAfter = 1000
/** The time that the server has to close connections, in milliseconds. All queries have ended or failed before. */
const endWithin = 200

/**
 * Creates a dialect of PostgreSQL with a pool of at most `max` connections. The pool is smaller while the server has no
 * free connection.
 */
export function postgresDialect (
  connectionString: string, max: number, log: Pick<FastifyBaseLogger, 'warn'>, timeouts = ofRequests
): PostgresDialect {
  /** The sockets of open and pending connections. */
  const sockets = new Set<Socket>()
  const pool = new pg.Pool({
    connectionString,
    max,
    // Without a permanent connection, other clients may have taken all connections before the next query.
    min: 1,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfter,
    connectionTimeoutMillis: waitForConnection,
    query_timeout: timeouts.client,
    stream () {
      const socket = new Socket()
      sockets.add(socket.once('close', () => sockets.delete(socket)))
      return socket
    },
    onConnect: async client => { await client.query(limits + timeouts.server) }
  })
  // Without these listeners the process would end when PostgreSQL stops.
  pool.on('error', error => log.warn({ reason: error.message }, 'postgresql connection lost'))
  pool.on('connect', client => client.on('error', () => {}))

  let refusedAt = -Infinity
  async function connect (): Promise<PostgresPoolClient> {
    const asked = performance.now()
    for (;;) {
      if (performance.now() - refusedAt > askAgainAfter) pool.options.max = max
      try {
        return closedWhenStuck(await pool.connect())
      } catch (error) {
        const isFull = (error as pg.DatabaseError).code === tooManyConnections
        if (!isFull || performance.now() - asked > waitForConnection) throw error
        // Queries then wait for the existing connections, and the pool opens no new ones.
        refusedAt = performance.now()
        pool.options.max = Math.max(1, pool.totalCount)
        await setTimeout(50)
      }
    }
  }

  /** Ends the pool. A server that hangs does not close its connections, so their sockets are destroyed. */
  async function end (): Promise<void> {
    const ended = pool.end()
    await waitAtMost(endWithin, ended)
    for (const socket of sockets) socket.destroy()
    await ended
  }
  return new PostgresDialect({ pool: { connect, end } })
}

/** PostgreSQL's error code of a server that is a read-only replica, or has become one. */
const readOnly = '25006'
const tooManyConnections = '53300'

/**
 * Wraps a connection so that it is closed when a query times out. The query still runs, in a transaction that is never
 * ended, and the next user of the connection would wait for both. The connection is also closed when the server has
 * become read-only: another server may have its address now.
 */
function closedWhenStuck (client: pg.PoolClient): PostgresPoolClient {
  let isClosed = false
  const query = async (sql: any, values?: any): Promise<any> => {
    // The server rolls back itself. A failed rollback would hide the original error in Kysely.
    if (isClosed && sql === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] }
    try {
      return await client.query(sql, values)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code === readOnly) {
        isClosed = true
        client.end()
      }
      throw error
    }
  }
  return { query: (sql: any, values?: any): any => query(sql, values), release: () => client.release() }
}
