import type { SubsonicStore } from 'fastify-source-origin/subsonic/server'
import { accountGone, type StateDatabase } from './state-database.ts'

/**
 * The data that the Subsonic plugin stores for accounts: play queues, bookmarks, ratings, plays, and the times of
 * favourites. A key is the listener of an account, a slash, and the type of data.
 */
export class SubsonicTexts implements SubsonicStore {
  readonly #db: StateDatabase

  constructor (db: StateDatabase) {
    this.#db = db
  }

  get (key: string): Promise<string | undefined> {
    const [listener, name] = parted(key)
    return this.#db.read(async db => {
      const row = await db.selectFrom('account').innerJoin('subsonic', 'subsonic.account', 'account.id')
        .select('value').where('listener', '=', listener).where('name', '=', name).executeTakeFirst()
      return row?.value
    })
  }

  /** @throws UnauthorizedError for a deleted account */
  change (key: string, update: (text: string | undefined) => string | undefined): Promise<void> {
    const [listener, name] = parted(key)
    return this.#db.change(`listener ${listener}`, async db => {
      // Locks the account with an update that changes nothing, because `/v1` responses do not depend on these values.
      const account = await db.updateTable('account').set({ listener }).where('listener', '=', listener)
        .returning('id').executeTakeFirst()
      if (account === undefined) throw accountGone()
      const row = { account: account.id, name }
      const kept = await db.selectFrom('subsonic').select('value').where('account', '=', row.account)
        .where('name', '=', name).executeTakeFirst()
      const value = update(kept?.value)
      if (value === undefined) {
        await db.deleteFrom('subsonic').where('account', '=', row.account).where('name', '=', name).execute()
      } else {
        await db.insertInto('subsonic').values({ ...row, value })
          .onConflict(conflict => conflict.columns(['account', 'name']).doUpdateSet({ value })).execute()
      }
    })
  }
}

function parted (key: string): [listener: string, name: string] {
  const slash = key.indexOf('/')
  return [key.slice(0, slash), key.slice(slash + 1)]
}
