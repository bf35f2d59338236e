import type { FavoriteItem } from 'fastify-source-origin'
import type { Tables } from '../store/tables.ts'
import type { Database, StateDatabase } from './state-database.ts'

export type Kind = Tables['favorite']['kind']

/** Rows of a statement. */
const atATime = 500

/** The favourites of accounts. */
export class Favorites {
  readonly #db: StateDatabase

  constructor (db: StateDatabase) {
    this.#db = db
  }

  /** The ids of an account's favourites, the latest first. */
  async list (account: string, kind: Kind): Promise<string[]> {
    const rows = await this.#db.read(db => db.selectFrom('favorite').select('item')
      .where('account', '=', account).where('kind', '=', kind)
      .orderBy('added_at', 'desc').orderBy('item').execute())
    return rows.map(({ item }) => item)
  }

  /** All of them, or none. */
  async set (account: string, items: readonly FavoriteItem[], status: boolean): Promise<void> {
    await this.#db.changeAccount(account, async db => {
      const rows = items.map(({ kind, id: item }) => ({ account, kind, item, added_at: Date.now() }))
      if (!status) {
        for (const row of rows) await removeFavorite(db, row)
        return
      }
      for (let from = 0; from < rows.length; from += atATime) {
        await addFavorites(db, rows.slice(from, from + atATime))
      }
    })
  }
}

export async function addFavorites (db: Database, rows: readonly Tables['favorite'][]): Promise<void> {
  await db.insertInto('favorite').values(rows)
    .onConflict(conflict => conflict.columns(['account', 'kind', 'item']).doNothing()).execute()
}

export async function removeFavorite (
  db: Database, { account, kind, item }: Omit<Tables['favorite'], 'added_at'>
): Promise<void> {
  await db.deleteFrom('favorite').where('account', '=', account).where('kind', '=', kind).where('item', '=', item)
    .execute()
}
