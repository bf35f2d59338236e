import { LRUCache } from 'lru-cache'
import { atMost } from '../text/at-most.ts'
import type { StateDatabase } from './state-database.ts'

/** Milliseconds within which one use is like the next. */
const sameFor = 600_000
const mostKnown = 10_000
/** Characters of what an app calls itself. */
const longest = 100

export interface TokenUse { readonly usedAt: number, readonly usedBy: string }

/** When tokens and app passwords were used last, and by what. */
export class TokenUses {
  readonly #db: StateDatabase
  /** When each was noted, and with which app. */
  readonly #noted = new LRUCache<string, TokenUse>(atMost(mostKnown))

  constructor (db: StateDatabase) {
    this.#db = db
  }

  /** Nobody waits for it: what cannot be kept now is kept with a later use. */
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

  /** By the ids of the tokens of an account. */
  async of (account: string): Promise<ReadonlyMap<string, TokenUse>> {
    const rows = await this.#db.read(db =>
      db.selectFrom('token_use').selectAll().where('account', '=', account).execute())
    return new Map(rows.map(row => [row.token, { usedAt: Number(row.used_at), usedBy: row.used_by }]))
  }

  /** For a token that is of no use any more. */
  async forget (token: string): Promise<void> {
    this.#noted.delete(token)
    await this.#db.read(db => db.deleteFrom('token_use').where('token', '=', token).execute())
  }
}
