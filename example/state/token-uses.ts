import { LRUCache } from 'lru-cache'
import { lruOptions } from '../text/lru-options.ts'
import type { StateDatabase } from './state-database.ts'

/** The minimum interval in milliseconds between two stored uses of a token by the same app. */
const sameFor = 600_000
const mostKnown = 10_000
/** The maximum length of an app name in characters. */
const longest = 100

export interface TokenUse { readonly usedAt: number, readonly usedBy: string }

/** The last use of each token and app password, with the app. */
export class TokenUses {
  readonly #db: StateDatabase
  /** The last stored use of each token. */
  readonly #noted = new LRUCache<string, TokenUse>(lruOptions(mostKnown))

  constructor (db: StateDatabase) {
    this.#db = db
  }

  /** Records a use in the background. A failed write is repeated at a later use. */
  note (account: string, token: string, app: string): void {
    const use = { usedAt: Date.now(), usedBy: [...app.replace(/[\p{Cc}\p{Cs}]/gu, '')].slice(0, longest).join('') }
    const known = this.#noted.get(token)
    if (known?.usedBy === use.usedBy && use.usedAt - known.usedAt < sameFor) return
    this.#noted.set(token, use)
    const row = { used_at: use.usedAt, used_by: use.usedBy }
    this.#db.read(db => db.insertInto('token_use').values({ token, account, ...row })
      .onConflict(conflict => conflict.column('token').doUpdateSet(row)).execute())
      .catch(() => this.#noted.delete(token))
  }

  /** Returns the last uses of an account's tokens, by token id. */
  async of (account: string): Promise<ReadonlyMap<string, TokenUse>> {
    const rows = await this.#db.read(db =>
      db.selectFrom('token_use').selectAll().where('account', '=', account).execute())
    return new Map(rows.map(row => [row.token, { usedAt: Number(row.used_at), usedBy: row.used_by }]))
  }

  /** Deletes the use of an invalid token. */
  async forget (token: string): Promise<void> {
    this.#noted.delete(token)
    await this.#db.read(db => db.deleteFrom('token_use').where('token', '=', token).execute())
  }
}
