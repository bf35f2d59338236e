import { NotFoundError, SourceError, UnauthorizedError } from 'fastify-source-origin'
import type { Kysely, Selectable } from 'kysely'
import { randomBytes } from 'node:crypto'
import type { Tables } from '../store/tables.ts'

type Database = Kysely<Tables>
export type Kind = Tables['favorite']['kind']

/** Whom an answer is for. */
export interface Caller {
  readonly account: string
  /** Goes up with each change of the account. */
  readonly revision: number
  /** What stands for the account in the URLs of its media. */
  readonly listener: string
  /** Ids of what the account has as favourites, of every kind. */
  readonly favorites: ReadonlySet<string>
}

export interface OwnPlaylist {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly trackCount: number
  /** Id of the first track. */
  readonly first: string | undefined
}

/** A track of a playlist; the title is for when its file is gone. */
export interface Entry { readonly id: string, readonly title: string }

/** A track that was heard, how often, and when last (Unix milliseconds). */
export interface Heard { readonly id: string, readonly plays: number, readonly last: number }

/** A track counts as played once in so many milliseconds. */
const playSlot = 30 * 60 * 1000

/**
 * What is kept for accounts. Every method fails with a `SourceError` 503 while the database cannot be used, and with
 * 401 for an account that is gone.
 */
export class State {
  readonly #db: Database
  /** By account; known to be old when the account's revision has gone up, here or on another replica. */
  readonly #callers = new Map<string, Caller>()
  /** What was counted in this slot: players ask for a file many times. */
  #counted = { slot: 0, plays: new Set<string>() }
  readonly #counting = new Set<Promise<void>>()

  constructor (db: Database) {
    this.#db = db
  }

  async addAccount (id: string): Promise<void> {
    await this.#run(db => db.insertInto('account').values({ id, listener: newId(), revision: 0 })
      .onConflict(conflict => conflict.column('id').doNothing()).execute())
  }

  async accounts (): Promise<string[]> {
    const rows = await this.#run(db => db.selectFrom('account').select('id').orderBy('id').execute())
    return rows.map(({ id }) => id)
  }

  /** Removes an account with all that is kept for it. @returns whether it was there */
  removeAccount (account: string): Promise<boolean> {
    this.#callers.delete(account)
    return this.#change(async db => {
      // The account first: whoever writes for it has a lock on it.
      const { numDeletedRows } = await db.deleteFrom('account').where('id', '=', account).executeTakeFirstOrThrow()
      const gone = await db.deleteFrom('playlist').where('account', '=', account).returning('id').execute()
      for (const { id } of gone) await db.deleteFrom('playlist_track').where('playlist', '=', id).execute()
      await db.deleteFrom('favorite').where('account', '=', account).execute()
      await db.deleteFrom('play').where('account', '=', account).execute()
      return numDeletedRows > 0
    })
  }

  /** One small query, as long as the account's favourites are what they were. */
  async caller (account: string): Promise<Caller> {
    return this.#run(async db => {
      const row = await db.selectFrom('account').select(['revision', 'listener']).where('id', '=', account).executeTakeFirst()
      if (row === undefined) throw accountGone()
      const known = this.#callers.get(account)
      if (known?.revision === row.revision && known.listener === row.listener) return known
      const items = await db.selectFrom('favorite').select('item').where('account', '=', account).execute()
      const caller = { account, revision: row.revision, listener: row.listener, favorites: new Set(items.map(({ item }) => item)) }
      this.#callers.set(account, caller)
      return caller
    })
  }

  /** The ids of an account's favourites, the latest first. */
  async favorites (account: string, kind: Kind): Promise<string[]> {
    const rows = await this.#run(db => db.selectFrom('favorite').select('item').where('account', '=', account).where('kind', '=', kind)
      .orderBy('added_at', 'desc').orderBy('item').execute())
    return rows.map(({ item }) => item)
  }

  async setFavorite (account: string, kind: Kind, item: string, status: boolean): Promise<void> {
    await this.#change(async db => {
      await touch(db, account)
      if (status) await addFavorite(db, { account, kind, item, added_at: Date.now() })
      else await db.deleteFrom('favorite').where('account', '=', account).where('kind', '=', kind).where('item', '=', item).execute()
    })
  }

  /** In the order in which they were made. */
  async playlists (account: string): Promise<OwnPlaylist[]> {
    const rows = await this.#run(db => selectPlaylists(db).where('account', '=', account).orderBy('created_at').orderBy('id').execute())
    return rows.map(readPlaylist)
  }

  /** @throws NotFoundError for a playlist that is not the account's */
  async playlist (account: string, id: string): Promise<OwnPlaylist> {
    const row = await this.#run(db => selectPlaylists(db).where('account', '=', account).where('id', '=', id).executeTakeFirst())
    if (row === undefined) throw noSuchPlaylist()
    return readPlaylist(row)
  }

  /** The tracks of a playlist, in their order. */
  entries (playlist: string): Promise<Entry[]> {
    return this.#run(db => db.selectFrom('playlist_track').select(['track as id', 'title']).where('playlist', '=', playlist).orderBy('place').execute())
  }

  async createPlaylist (account: string, name: string): Promise<OwnPlaylist> {
    const id = newId()
    const now = Date.now()
    await this.#change(async db => {
      await touch(db, account)
      await db.insertInto('playlist').values({ id, account, name, description: '', created_at: now, updated_at: now, next_place: 0 }).execute()
    })
    return { id, name, description: '', createdAt: now, updatedAt: now, trackCount: 0, first: undefined }
  }

  async updatePlaylist (account: string, id: string, name: string, description: string): Promise<OwnPlaylist> {
    await this.#change(async db => {
      await touch(db, account)
      const row = await db.updateTable('playlist').set({ name, description, updated_at: Date.now() })
        .where('account', '=', account).where('id', '=', id).returning('id').executeTakeFirst()
      if (row === undefined) throw noSuchPlaylist()
    })
    return this.playlist(account, id)
  }

  async deletePlaylist (account: string, id: string): Promise<void> {
    await this.#change(async db => {
      await touch(db, account)
      const row = await db.deleteFrom('playlist').where('account', '=', account).where('id', '=', id).returning('id').executeTakeFirst()
      if (row === undefined) throw noSuchPlaylist()
      await db.deleteFrom('playlist_track').where('playlist', '=', id).execute()
      await db.deleteFrom('favorite').where('account', '=', account).where('kind', '=', 'playlist').where('item', '=', id).execute()
    })
  }

  /** Adds a track at the end; one that is there stays where it is. */
  async addTrack (account: string, playlist: string, { id: track, title }: Entry): Promise<void> {
    await this.#change(async db => {
      // The account is locked from here on: who changes it at the same time comes next.
      await touch(db, account)
      const row = await db.updateTable('playlist').set(({ eb }) => ({ next_place: eb('next_place', '+', 1), updated_at: Date.now() }))
        .where('account', '=', account).where('id', '=', playlist).returning('next_place').executeTakeFirst()
      if (row === undefined) throw noSuchPlaylist()
      await db.insertInto('playlist_track').values({ playlist, track, place: row.next_place, title })
        .onConflict(conflict => conflict.columns(['playlist', 'track']).doNothing()).execute()
    })
  }

  async removeTrack (account: string, playlist: string, track: string): Promise<void> {
    await this.#change(async db => {
      await touch(db, account)
      const row = await db.updateTable('playlist').set({ updated_at: Date.now() })
        .where('account', '=', account).where('id', '=', playlist).returning('id').executeTakeFirst()
      if (row === undefined) throw noSuchPlaylist()
      await db.deleteFrom('playlist_track').where('playlist', '=', playlist).where('track', '=', track).execute()
    })
  }

  /**
   * Counts a play, once for each half hour. Nobody waits for it: music plays while the database is away.
   *
   * @param onError is told of a play that could not be kept
   */
  countPlay (listener: string, track: string, onError: (error: unknown) => void): void {
    const now = Date.now()
    const slot = Math.floor(now / playSlot)
    if (this.#counted.slot !== slot) this.#counted = { slot, plays: new Set() }
    const { plays } = this.#counted
    const key = `${listener} ${track}`
    if (plays.has(key)) return
    plays.add(key)
    const counting = this.#change(async db => {
      // Locks the account without a change, so that nothing is left of one that is removed now.
      const account = await db.updateTable('account').set(({ ref }) => ({ revision: ref('revision') }))
        .where('listener', '=', listener).returning('id').executeTakeFirst()
      if (account !== undefined) await addPlay(db, { account: account.id, track, slot, played_at: now })
    }).catch(error => {
      plays.delete(key)
      onError(error)
    }).finally(() => this.#counting.delete(counting))
    this.#counting.add(counting)
  }

  /**
   * What an account has heard within a time (Unix milliseconds), most often first, what was heard later first among
   * these.
   */
  async heard (account: string, from = 0, to = Number.MAX_SAFE_INTEGER): Promise<Heard[]> {
    const rows = await this.#run(db => db.selectFrom('play').select(({ fn }) => ['track', fn.countAll().as('plays'), fn.max('played_at').as('last')])
      .where('account', '=', account).where('played_at', '>=', from).where('played_at', '<', to).groupBy('track').execute())
    return rows.map(({ track, plays, last }) => ({ id: track, plays: Number(plays), last: Number(last) }))
      .sort((a, b) => b.plays - a.plays || b.last - a.last)
  }

  /** A value that all replicas share: the given one, if there was none. */
  async setting (name: string, value: string): Promise<string> {
    return this.#change(async db => {
      await db.insertInto('setting').values({ name, value }).onConflict(conflict => conflict.column('name').doNothing()).execute()
      return (await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirstOrThrow()).value
    })
  }

  /** Everything of an account, or all of it at once: what `export` and `import` of accounts are made of. */
  async whole<T> (account: string, run: (db: Database) => Promise<T>): Promise<T> {
    return this.#change(async db => {
      await touch(db, account)
      return run(db)
    })
  }

  /** Waits for what nobody waits for, and closes the database. */
  async close (): Promise<void> {
    await Promise.all(this.#counting)
    await this.#db.destroy()
  }

  #change<T> (run: (db: Database) => Promise<T>): Promise<T> {
    return this.#run(db => db.transaction().execute(run))
  }

  async #run<T> (run: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await run(this.#db)
    } catch (cause) {
      if (cause instanceof SourceError) throw cause
      throw new SourceError(503, 'The source cannot reach what it keeps for its accounts', { cause, retryAfter: 5 })
    }
  }
}

export const newId = (): string => randomBytes(10).toString('hex')

export async function addFavorite (db: Database, row: Tables['favorite']): Promise<void> {
  await db.insertInto('favorite').values(row).onConflict(conflict => conflict.columns(['account', 'kind', 'item']).doNothing()).execute()
}

export async function addPlay (db: Database, row: Tables['play']): Promise<void> {
  await db.insertInto('play').values(row).onConflict(conflict => conflict.columns(['account', 'track', 'slot']).doNothing()).execute()
}

export const slotOf = (time: number): number => Math.floor(time / playSlot)

/** Locks an account until the transaction ends, and makes known that it has changed. */
async function touch (db: Database, account: string): Promise<void> {
  const row = await db.updateTable('account').set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', account).returning('id').executeTakeFirst()
  if (row === undefined) throw accountGone()
}

const accountGone = () => new UnauthorizedError('This account is gone')
const noSuchPlaylist = () => new NotFoundError('There is no such playlist')

const selectPlaylists = (db: Database) => db.selectFrom('playlist').selectAll().select(({ selectFrom, fn }) => [
  selectFrom('playlist_track').whereRef('playlist', '=', 'playlist.id').select(fn.countAll().as('count')).as('count'),
  selectFrom('playlist_track').whereRef('playlist', '=', 'playlist.id').select('track').orderBy('place').limit(1).as('first')
])

type PlaylistRow = Selectable<Tables['playlist']> & { count: number | string | bigint | null, first: string | null }

const readPlaylist = ({ id, name, description, created_at: createdAt, updated_at: updatedAt, count, first }: PlaylistRow): OwnPlaylist =>
  ({ id, name, description, createdAt: Number(createdAt), updatedAt: Number(updatedAt), trackCount: Number(count), first: first ?? undefined })
