import { limitConcurrency, SourceError, takeTurns, UnauthorizedError } from 'fastify-source-origin'
import type { Kysely } from 'kysely'
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { StartError } from '../start/start-error.ts'
import type { Tables } from '../database/tables.ts'

export type Database = Kysely<Tables>

/** Milliseconds after which a change is not begun any more: nobody waits for it. */
const longestWait = 10_000

/**
 * The database of what is kept for accounts. Every method fails with a `SourceError` 503 while it cannot be used; the
 * errors of what it runs that are meant for clients pass.
 */
export class StateDatabase {
  readonly #db: Database
  readonly #limit: ReturnType<typeof limitConcurrency>
  readonly #pause = takeTurns()

  /** @param connections of the database at most */
  constructor (db: Database, connections = 10) {
    this.#db = db
    // Changes may wait for locks of others: reads have half of the connections to themselves.
    this.#limit = limitConcurrency({ ofKey: 1, inAll: Math.floor(connections / 2) })
  }

  /** @param tries how often it may still be run, while what it reads is changed by others */
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
   * Changes of one account, all of each or nothing of it. They wait for each other before they take a connection, so
   * that those of one account leave connections to others, and those of all accounts half of them to reads.
   *
   * @param key of the account
   * @param run may be called again, when others changed the same at once
   */
  async change<T> (key: string, run: (db: Database) => Promise<T>): Promise<T> {
    const asked = performance.now()
    return this.#limit(async () => {
      // SQLite answers at once: without a pause hundreds of changes would be one long one.
      await this.#pause()
      const waited = performance.now() - asked
      if (waited > longestWait) throw unreachable(new Error(`A change has waited for ${Math.round(waited)} ms`))
      return this.read(db => db.transaction().execute(run))
    }, { key })
  }

  /**
   * Changes what is kept for an account, one change after the other, and makes known that it has changed.
   *
   * @throws UnauthorizedError for an account that is gone
   */
  changeAccount<T> (account: string, run: (db: Database) => Promise<T>): Promise<T> {
    return this.change(`account ${account}`, async db => {
      // The account is locked from here on: who changes it at the same time comes next.
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

/** What a server says of changes that met others: they pass when they are made again. */
const passing = new Set<string | undefined>(['40001', '40P01'])
const mostTries = 5

const unreachable = (cause: unknown) =>
  new SourceError(503, 'The source cannot reach what it keeps for its accounts', { cause, retryAfter: 5 })

export const newId = (): string => randomBytes(10).toString('hex')

export const accountGone = (): UnauthorizedError => new UnauthorizedError('This account is gone')
