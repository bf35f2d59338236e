import type { Limits } from '../catalogue/limits.ts'
import { waitAtMost } from '../database/wait-at-most.ts'
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

/** The account of a request. */
export interface Viewer {
  readonly account: string
  /**
   * The revision, which changes with each change of the account. It is unique across accounts that had the same name.
   */
  readonly revision: string
  /** The id of the account in media URLs. It is never reused, not even for an account of the same name. */
  readonly listener: string
  /** The favourites of the account, by kind. */
  readonly favorites: ReadonlyMap<string, FavoritesOfKind>
  /** The limits of the account. */
  readonly limits: Limits
}

/**
 * The data of accounts. Every method fails with a `SourceError` 503 while the database is unavailable, and with 401 for
 * a deleted account.
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
  /**
   * The cached viewers by account. An entry is outdated if the account has another revision, changed here or by a
   * replica.
   */
  readonly #viewers = new Map<string, Viewer>()

  /** @param connections maximum number of database connections. Default: 10 */
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

  /** Removes an account with all its data. @returns whether it existed */
  removeAccount (account: string): Promise<boolean> {
    this.#viewers.delete(account)
    return this.#db.change(`account ${account}`, async db => {
      // The account is deleted first, because writers lock it.
      const { numDeletedRows } = await db.deleteFrom('account').where('id', '=', account).executeTakeFirstOrThrow()
      // Its shared playlists disappear for other accounts, so their revisions change.
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

  /** Returns the viewer of an account, with one small query if its revision is unchanged. */
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

  /** Sets whether other accounts see the current plays of this account. */
  async sharePlaying (account: string, isShared: boolean): Promise<void> {
    await this.#db.changeAccount(account, db => db.updateTable('account').set({ shares_playing: Number(isShared) })
      .where('id', '=', account).execute())
  }

  /** Returns whether others see the current plays of a listener; `false` for a deleted account. */
  async isSharing (listener: string): Promise<boolean> {
    const row = await this.#db.read(db => db.selectFrom('account').select('shares_playing')
      .where('listener', '=', listener).executeTakeFirst())
    return row?.shares_playing === 1
  }

  /** Returns the accounts whose current plays are visible to others. */
  async sharing (): Promise<ReadonlySet<string>> {
    const rows = await this.#db.read(db =>
      db.selectFrom('account').select('id').where('shares_playing', '=', 1).execute())
    return new Set(rows.map(({ id }) => id))
  }

  /** @returns `undefined` for a deleted account */
  async limitsOf (listener: string): Promise<Limits | undefined> {
    const row = await this.#db.read(db => db.selectFrom('account').select('limits')
      .where('listener', '=', listener).executeTakeFirst())
    return row && JSON.parse(row.limits) as Limits
  }

  /** Changes the limits of an account. Hidden data is retained and visible again when the limits allow it. */
  limit (account: string, change: (before: Limits) => Limits): Promise<Limits> {
    return this.#db.changeAccount(account, async db => {
      const row = await db.selectFrom('account').select('limits').where('id', '=', account).executeTakeFirstOrThrow()
      const limits = change(JSON.parse(row.limits) as Limits)
      await db.updateTable('account').set({ limits: JSON.stringify(limits) }).where('id', '=', account).execute()
      return limits
    })
  }

  /** Returns a value that all replicas share. `value` is stored if no value exists. */
  async setting (name: string, value: string): Promise<string> {
    return this.#db.change(`setting ${name}`, async db => {
      await db.insertInto('setting').values({ name, value })
        .onConflict(conflict => conflict.column('name').doNothing()).execute()
      return (await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirstOrThrow()).value
    })
  }

  /** Runs a function on all data of an account in one transaction, for `export` and `import` of accounts. */
  whole<T> (account: string, run: (db: Database) => Promise<T>): Promise<T> {
    return this.#db.changeAccount(account, run)
  }

  /** Writes the data of all accounts to a file. @throws StartError for errors that the user can correct */
  backUp (file: string): Promise<void> {
    return this.#db.read(db => backUp(db, file))
  }

  /** Replaces the data of all accounts by the content of a backup. @throws StartError, like `backUp` */
  restore (file: string, dataDir: string): Promise<void> {
    return this.#db.read(db => restore(db, file, dataDir))
  }

  /** @throws SourceError (503) while the database is not writable */
  async checkWritable (): Promise<void> {
    // Takes the locks of a change, but changes no row.
    await this.#db.read(db => db.updateTable('account').set({ revision: 0 }).where('id', '=', '').execute())
  }

  /**
   * Waits for the plays that are being counted, and closes the database.
   *
   * @param timeout maximum wait in milliseconds
   */
  async close (timeout = 10_000): Promise<void> {
    await waitAtMost(Math.min(Math.max(timeout, 0), 10_000), this.plays.settle())
    await this.#db.close()
  }
}
