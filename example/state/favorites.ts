import { createYield, type FavoriteItem } from 'fastify-source-origin'
import { sql, type ExpressionBuilder, type RawBuilder } from 'kysely'
import type { FavoritesOfKind } from '../catalogue/listened.ts'
import type { Tables } from '../database/tables.ts'
import type { Database, StateDatabase } from './state-database.ts'

export type FavoriteKind = Tables['favorite']['kind']

/** The maximum number of rows per statement. */
const rowsAtATime = 500

/** The favourites of accounts. */
export class Favorites {
  readonly #db: StateDatabase

  constructor (db: StateDatabase) {
    this.#db = db
  }

  /** Returns the ids of an account's favourites, the latest first. */
  async list (account: string, kind: FavoriteKind): Promise<string[]> {
    const kinds = await this.#db.read(db => listFavorites(db, account))
    return [...kinds.get(kind)?.ids ?? []]
  }

  /**
   * Adds or removes all items atomically. @returns the items whose state has changed; without changes the account's
   * revision stays
   */
  async set (account: string, items: readonly FavoriteItem[], status: boolean): Promise<FavoriteItem[]> {
    const pages = pagesOf(items)
    const there = await this.#db.read(async db => {
      const found = new Set<string>()
      for await (const page of pages()) {
        for (const { kind, item } of await among(db, account, page)) found.add(`${kind} ${item}`)
      }
      return found
    })
    if (items.every(({ kind, id }) => there.has(`${kind} ${id}`) === status)) return []
    return this.#db.changeAccount(account, async db => {
      const changed: FavoriteItem[] = []
      const now = Date.now()
      for await (const page of pages()) {
        const rows = page.map(({ kind, id: item }) => ({ account, kind, item, added_at: now }))
        const done = status ? await addFavorites(db, rows) : await removeFavorites(db, account, page)
        changed.push(...done.map(({ kind, item: id }) => ({ kind, id })))
      }
      return changed
    })
  }
}

/**
 * Returns the favourites of an account by kind. Each kind is read as two strings, which the driver of SQLite reads five
 * times faster than rows.
 */
export async function listFavorites (db: Database, account: string): Promise<ReadonlyMap<string, FavoritesOfKind>> {
  const rows = await db.selectFrom('favorite').select(({ fn }) => {
    const listOf = (column: RawBuilder<string>) =>
      fn.agg<string>('string_agg', [column, sql.lit(' ')]).orderBy('added_at', 'desc').orderBy('item')
    return ['kind', listOf(sql`item`).as('ids'), listOf(sql`cast(added_at as text)`).as('times')] as const
  }).where('account', '=', account).groupBy('kind').execute()
  return new Map(rows.map(({ kind, ids, times }) =>
    [kind, { ids: ids.split(' '), since: times.split(' ').map(Number) }]))
}

/** Returns a generator of pages of items that yields to the event loop between them. */
function pagesOf (items: readonly FavoriteItem[]) {
  return async function * pages () {
    const pause = createYield()
    for (let from = 0; from < items.length; from += rowsAtATime) {
      yield items.slice(from, from + rowsAtATime)
      await pause()
    }
  }
}

const isAmong = (items: readonly FavoriteItem[]) => ({ or, and, eb }: ExpressionBuilder<Tables, 'favorite'>) =>
  or([...new Set(items.map(({ kind }) => kind))].map(kind => and([
    eb('kind', '=', kind), eb('item', 'in', items.filter(item => item.kind === kind).map(({ id }) => id))
  ])))

const among = (db: Database, account: string, items: readonly FavoriteItem[]) =>
  db.selectFrom('favorite').select(['kind', 'item']).where('account', '=', account).where(isAmong(items)).execute()

const removeFavorites = (db: Database, account: string, items: readonly FavoriteItem[]) =>
  db.deleteFrom('favorite').where('account', '=', account).where(isAmong(items)).returning(['kind', 'item']).execute()

/** @returns the items that were added */
export const addFavorites = (db: Database, rows: readonly Tables['favorite'][]) =>
  db.insertInto('favorite').values(rows)
    .onConflict(conflict => conflict.columns(['account', 'kind', 'item']).doNothing())
    .returning(['kind', 'item']).execute()

export async function removeFavorite (
  db: Database, { account, kind, item }: Omit<Tables['favorite'], 'added_at'>
): Promise<void> {
  await db.deleteFrom('favorite').where('account', '=', account).where('kind', '=', kind).where('item', '=', item)
    .execute()
}
