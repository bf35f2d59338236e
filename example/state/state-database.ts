import { SourceError, UnauthorizedError } from 'fastify-source-origin'
import type { Kysely } from 'kysely'
import { randomBytes } from 'node:crypto'
import { StartError } from '../start-error.ts'
import type { Tables } from '../store/tables.ts'

export type Database = Kysely<Tables>

/**
 * The database of what is kept for accounts. Every method fails with a `SourceError` 503 while it cannot be used; the
 * errors of what it runs that are meant for clients pass.
 */
export class StateDatabase {
  readonly #db: Database

  constructor (db: Database) {
    this.#db = db
  }

  async read<T> (run: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await run(this.#db)
    } catch (cause) {
      if (cause instanceof SourceError || cause instanceof StartError) throw cause
      throw new SourceError(503, 'The source cannot reach what it keeps for its accounts', { cause, retryAfter: 5 })
    }
  }

  /** All of it or nothing. */
  change<T> (run: (db: Database) => Promise<T>): Promise<T> {
    return this.read(db => db.transaction().execute(run))
  }

  /**
   * Changes what is kept for an account, one change after the other, and makes known that it has changed.
   *
   * @throws UnauthorizedError for an account that is gone
   */
  changeAccount<T> (account: string, run: (db: Database) => Promise<T>): Promise<T> {
    return this.change(async db => {
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

export const newId = (): string => randomBytes(10).toString('hex')

export const accountGone = (): UnauthorizedError => new UnauthorizedError('This account is gone')
