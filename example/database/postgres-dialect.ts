import type { FastifyBaseLogger } from 'fastify'
import { PostgresDialect, type PostgresPoolClient } from 'kysely'
import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { atLongest } from './at-longest.ts'

/**
 * Limits on the server's side, in milliseconds: what a process that hangs has left open must not stop the others. They
 * are no options of the connection, which PgBouncer refuses. Changes lock the rows that they are about.
 */
const limits = 'set idle_in_transaction_session_timeout = 10000; ' +
  'set default_transaction_isolation = \'read committed\'; '

/** Of requests: nobody waits for longer. */
const ofRequests = { server: 'set statement_timeout = 9000', client: 10_000 }
/** Of migrations, which take as long as there is to convert. Waiting for a lock ends, so that it can be told. */
export const ofMigrations = { server: 'set lock_timeout = 500', client: 0 }

/** Milliseconds that a query waits for a connection. */
const waitForConnection = 5000
/** Milliseconds without traffic after which TCP keepalive begins, so that firewalls keep the connection. */
const keepAliveAfter = 60_000
/** Milliseconds after which a server that had no connection left is asked for one again. */
const askAgainAfter = 1000
/** Milliseconds that a server has to take its leave: all queries have ended then, or were given up. */
const endWithin = 200

/** PostgreSQL by a pool of connections, `max` at most; fewer while the server has none left for this process. */
export function postgresDialect (
  connectionString: string, max: number, log: Pick<FastifyBaseLogger, 'warn'>, timeouts = ofRequests
): PostgresDialect {
  /** Of the connections that are there, and of those that are being made. */
  const sockets = new Set<Socket>()
  const pool = new pg.Pool({
    connectionString,
    max,
    // Others may have taken all of the server's connections when the next query comes.
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
  // Without these listeners a PostgreSQL that stops ends the process.
  pool.on('error', error => log.warn(`PostgreSQL: ${error.message}`))
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
        // Queries wait for the connections that work, and begin no more.
        refusedAt = performance.now()
        pool.options.max = Math.max(1, pool.totalCount)
        await setTimeout(50)
      }
    }
  }

  /** A server that hangs does not say good-bye. */
  async function end (): Promise<void> {
    const ended = pool.end()
    await atLongest(endWithin, ended)
    for (const socket of sockets) socket.destroy()
    await ended
  }
  return new PostgresDialect({ pool: { connect, end } })
}

/** Of what a server answers that is, or became, a copy of another one. */
const readOnly = '25006'
const tooManyConnections = '53300'

/**
 * A connection that is closed when a query has no answer in time: the query goes on, in a transaction that nobody ends,
 * and whoever had the connection next would wait for both. Also when the server takes no changes any more: another one
 * may have its address now.
 */
function closedWhenStuck (client: pg.PoolClient): PostgresPoolClient {
  let isClosed = false
  const query = async (sql: any, values?: any): Promise<any> => {
    // The server does so by itself, and Kysely would tell of this failure instead of the one before.
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
