import type { Limits } from '../catalogue/limits.ts'
import { atLongest } from '../database/at-longest.ts'
import { backUp, restore } from './backup.ts'
import type { FavoritesOfKind } from '../catalogue/listened.ts'
import { Favorites, listFavorites } from './favorites.ts'
import { Listens } from './listens.ts'
import { Playlists } from './own-playlists.ts'
import { tellOthers } from './playlist-sharing.ts'
import { KeptPlays } from './kept-plays.ts'
import { SilentPlayers } from './silent-players.ts'
import { accountGone, newId, StateDatabase, type Database } from './state-database.ts'
import { SubsonicTexts } from './subsonic-texts.ts'
import { TokenUses } from './token-uses.ts'

/** Whom an answer is for. */
export interface Viewer {
  readonly account: string
  /** Another one after each change of the account, and for another account of this name. */
  readonly revision: string
  /** What stands for the account in the URLs of its media: no other account ever has the same, whatever its name. */
  readonly listener: string
  /** What the account has as favourites, by their kinds. */
  readonly favorites: ReadonlyMap<string, FavoritesOfKind>
  /** What it may not do or see. */
  readonly limits: Limits
}

/**
 * What is kept for accounts. Every method fails with a `SourceError` 503 while the database cannot be used, and with
 * 401 for an account that is gone.
 */
export class State {
  readonly favorites: Favorites
  readonly listens: Listens
  readonly playlists: Playlists
  readonly plays: KeptPlays
  readonly silent: SilentPlayers
  readonly subsonic: SubsonicTexts
  readonly uses: TokenUses
  readonly #db: StateDatabase
  /** By account; known to be old when the account has another revision, from here or from another replica. */
  readonly #viewers = new Map<string, Viewer>()

  /** @param connections of the database at most. Default: 10 */
  constructor (db: Database, connections?: number) {
    this.#db = new StateDatabase(db, connections)
    this.favorites = new Favorites(this.#db)
    this.playlists = new Playlists(this.#db)
    this.listens = new Listens(this.#db)
    this.plays = new KeptPlays(this.#db, this.listens)
    this.silent = new SilentPlayers(this.plays)
    this.subsonic = new SubsonicTexts(this.#db)
    this.uses = new TokenUses(this.#db)
  }

  async addAccount (id: string): Promise<void> {
    await this.#db.read(db => db.insertInto('account').values({ id, listener: newId(), revision: 0 })
      .onConflict(conflict => conflict.column('id').doNothing()).execute())
  }

  async accounts (): Promise<string[]> {
    const rows = await this.#db.read(db => db.selectFrom('account').select('id').orderBy('id').execute())
    return rows.map(({ id }) => id)
  }

  /** Removes an account with all that is kept for it. @returns whether it was there */
  removeAccount (account: string): Promise<boolean> {
    this.#viewers.delete(account)
    return this.#db.change(`account ${account}`, async db => {
      // The account first: whoever writes for it has a lock on it.
      const { numDeletedRows } = await db.deleteFrom('account').where('id', '=', account).executeTakeFirstOrThrow()
      // What it has shared is gone for others.
      const shared = await db.selectFrom('playlist').innerJoin('playlist_share', 'playlist', 'playlist.id')
        .select('playlist').distinct().where('playlist.account', '=', account).execute()
      for (const { playlist } of shared) await tellOthers(db, account, playlist)
      const gone = await db.deleteFrom('playlist').where('account', '=', account).returning('id').execute()
      for (const { id } of gone) {
        await db.deleteFrom('playlist_track').where('playlist', '=', id).execute()
        await db.deleteFrom('playlist_share').where('playlist', '=', id).execute()
      }
      await db.deleteFrom('playlist_share').where('account', '=', account).execute()
      await db.deleteFrom('favorite').where('account', '=', account).execute()
      for (const table of ['play', 'subsonic', 'connection', 'listen', 'token_use'] as const) {
        await db.deleteFrom(table).where('account', '=', account).execute()
      }
      return numDeletedRows > 0
    })
  }

  /** One small query, as long as the account's favourites are what they were. */
  async viewer (account: string): Promise<Viewer> {
    return this.#db.read(async db => {
      const row = await db.selectFrom('account').select(['revision', 'listener', 'limits'])
        .where('id', '=', account).executeTakeFirst()
      if (row === undefined) throw accountGone()
      const { listener } = row
      const revision = `${listener} ${row.revision}`
      const known = this.#viewers.get(account)
      if (known?.revision === revision) return known
      const favorites = await listFavorites(db, account)
      const viewer = { account, listener, revision, favorites, limits: JSON.parse(row.limits) as Limits }
      this.#viewers.set(account, viewer)
      return viewer
    })
  }

  /** Says whether other accounts see what this one plays now. */
  async sharePlaying (account: string, isShared: boolean): Promise<void> {
    await this.#db.changeAccount(account, db => db.updateTable('account').set({ shares_playing: Number(isShared) })
      .where('id', '=', account).execute())
  }

  /** Whether others see what a listener plays now; not of an account that is gone. */
  async isSharing (listener: string): Promise<boolean> {
    const row = await this.#db.read(db => db.selectFrom('account').select('shares_playing')
      .where('listener', '=', listener).executeTakeFirst())
    return row?.shares_playing === 1
  }

  /** Accounts of which others see what they play now. */
  async sharing (): Promise<ReadonlySet<string>> {
    const rows = await this.#db.read(db =>
      db.selectFrom('account').select('id').where('shares_playing', '=', 1).execute())
    return new Set(rows.map(({ id }) => id))
  }

  /** @returns `undefined` for an account that is gone */
  async limitsOf (listener: string): Promise<Limits | undefined> {
    const row = await this.#db.read(db => db.selectFrom('account').select('limits')
      .where('listener', '=', listener).executeTakeFirst())
    return row && JSON.parse(row.limits) as Limits
  }

  /** Says what an account may not do or see; what it has is kept, and comes back when it may. */
  limit (account: string, change: (before: Limits) => Limits): Promise<Limits> {
    return this.#db.changeAccount(account, async db => {
      const row = await db.selectFrom('account').select('limits').where('id', '=', account).executeTakeFirstOrThrow()
      const limits = change(JSON.parse(row.limits) as Limits)
      await db.updateTable('account').set({ limits: JSON.stringify(limits) }).where('id', '=', account).execute()
      return limits
    })
  }

  /** A value that all replicas share: the given one, if there was none. */
  async setting (name: string, value: string): Promise<string> {
    return this.#db.change(`setting ${name}`, async db => {
      await db.insertInto('setting').values({ name, value })
        .onConflict(conflict => conflict.column('name').doNothing()).execute()
      return (await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirstOrThrow()).value
    })
  }

  /** Everything of an account, or all of it at once: what `export` and `import` of accounts are made of. */
  whole<T> (account: string, run: (db: Database) => Promise<T>): Promise<T> {
    return this.#db.changeAccount(account, run)
  }

  /** Writes everything of all accounts to a file. @throws StartError with what the user has to put right */
  backUp (file: string): Promise<void> {
    return this.#db.read(db => backUp(db, file))
  }

  /** Replaces everything of all accounts by what such a file has. @throws StartError, as before */
  restore (file: string, dataDir: string): Promise<void> {
    return this.#db.read(db => restore(db, file, dataDir))
  }

  /** @throws SourceError (503) while nothing can be changed */
  async checkWritable (): Promise<void> {
    // Asks for what a change needs, and changes no row.
    await this.#db.read(db => db.updateTable('account').set({ revision: 0 }).where('id', '=', '').execute())
  }

  /**
   * Waits for the plays that are being counted, and closes the database.
   *
   * @param timeout milliseconds that it waits
   */
  async close (timeout = 10_000): Promise<void> {
    await atLongest(Math.min(Math.max(timeout, 0), 10_000), this.plays.settle())
    await this.#db.close()
  }
}
