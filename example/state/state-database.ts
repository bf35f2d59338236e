import { limitConcurrency, SourceError, createYield, UnauthorizedError } from 'fastify-source-origin'
import type { Kysely } from 'kysely'
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { StartError } from '../start/start-error.ts'
import type { Tables } from '../database/tables.ts'

export type Database = Kysely<Tables>

/** The maximum time in milliseconds for which a change waits for its start. Its request has timed out by then. */
const longestWait = 10_000

/**
 * The database of account data. Every method fails with a `SourceError` 503 while the database is unavailable. Errors
 * of the executed functions that are meant for clients are passed through.
 */
export class StateDatabase {
  readonly #db: Database
  readonly #limit: ReturnType<typeof limitConcurrency>
  readonly #pause = createYield()

  /** @param connections maximum number of connections */
  constructor (db: Database, connections = 10) {
    this.#db = db
    // Changes may wait for locks, so half of the connections are reserved for reads.
    this.#limit = limitConcurrency({ ofKey: 1, inAll: Math.floor(connections / 2) })
  }

  /** @param tries maximum number of attempts if concurrent changes conflict */
  async read<T> (run: (db: Database) => Promise<T>, tries = mostTries): Promise<T> {
    try {
      return await run(this.#db)
    } catch (cause) {
      if (cause instanceof SourceError || cause instanceof StartError) throw cause
      if (tries === 1 || !passing.has((cause as { code?: string }).code)) throw unreachable(cause)
      await setTimeout(Math.random() * 100 / tries)
      return this.read(run, tries - 1)
    }
  }

  /**
   * Runs changes of one account, each in a transaction. They wait for each other before they take a connection, so that
   * changes of one account leave connections to others, and changes of all accounts leave half of the connections to
   * reads.
   *
   * @param key of the account
   * @param run may be called again after a conflict with a concurrent change
   */
  async change<T> (key: string, run: (db: Database) => Promise<T>): Promise<T> {
    const asked = performance.now()
    return this.#limit(async () => {
      // SQLite runs synchronously, so without a pause hundreds of changes would block the event loop.
      await this.#pause()
      const waited = performance.now() - asked
      if (waited > longestWait) throw unreachable(new Error(`A change has waited for ${Math.round(waited)} ms`))
      return this.read(db => db.transaction().execute(run))
    }, { key })
  }

  /**
   * Changes data of an account, one change after the other, and increases its revision.
   *
   * @throws UnauthorizedError for a deleted account
   */
  changeAccount<T> (account: string, run: (db: Database) => Promise<T>): Promise<T> {
    return this.change(`account ${account}`, async db => {
      // The update locks the account, so that concurrent changes wait.
      const row = await db.updateTable('account').set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
        .where('id', '=', account).returning('id').executeTakeFirst()
      if (row === undefined) throw accountGone()
      return run(db)
    })
  }

  close (): Promise<void> {
    return this.#db.destroy()
  }
}

/** Error codes of conflicts with concurrent changes, which succeed when they are repeated. */
const passing = new Set<string | undefined>(['40001', '40P01'])
const mostTries = 5

const unreachable = (cause: unknown) =>
  new SourceError(503, 'The database of accounts cannot be reached', { cause, retryAfterSeconds: 5 })

export const newId = (): string => randomBytes(10).toString('hex')

export const accountGone = (): UnauthorizedError => new UnauthorizedError('This account is gone')
