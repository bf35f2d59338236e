import type { Tables } from '../store/tables.ts'
import type { Database, StateDatabase } from './state-database.ts'

export type Kind = Tables['favorite']['kind']

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

  async set (account: string, kind: Kind, item: string, status: boolean): Promise<void> {
    await this.#db.changeAccount(account, db => status
      ? addFavorites(db, [{ account, kind, item, added_at: Date.now() }])
      : removeFavorite(db, { account, kind, item }))
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
