import type { PlaylistEdit, PlaylistSharing } from 'fastify-source-origin'
import { sql, type Selectable } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Entry } from '../catalogue/listened.ts'
import type { Tables } from '../database/tables.ts'
import { removeFavorite } from './favorites.ts'
import {
  changeSharing, mayChange, mayHear, noSuchPlaylist, readSharing, refuse, sharedWith, tellOthers
} from './playlist-sharing.ts'
import { replaceTracks, type TrackIndex } from './playlist-tracks.ts'
import { newId, type Database, type StateDatabase } from './state-database.ts'

export interface OwnPlaylist {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly trackCount: number
  /** The id of the first track. */
  readonly first: string | undefined
  /** The account that created it. */
  readonly owner: string
  /** If `true`, all accounts can listen to it. */
  readonly isPublic: boolean
  /** If `true`, the account of the request may change it. */
  readonly mayEdit: boolean
}

/** A playlist with the ids of its tracks, in order. */
export interface WholePlaylist { readonly playlist: OwnPlaylist, readonly ids: readonly string[] }

/** The maximum number of cached track ids. */
const mostKnown = 500_000

/**
 * The playlists that accounts have created, for these accounts and the accounts they share them with. Other accounts
 * get a NotFoundError.
 */
export class Playlists {
  readonly #db: StateDatabase
  /** The most recently requested playlists, each for a revision of its account. */
  readonly #known = new LRUCache<string, WholePlaylist>({
    maxSize: mostKnown, sizeCalculation: ({ ids }) => ids.length + 1
  })

  constructor (db: StateDatabase) {
    this.#db = db
  }

  /** Returns the playlists of an account, in the order of their creation. */
  async list (account: string): Promise<OwnPlaylist[]> {
    const rows = await this.#db.read(db => selectPlaylists(db, account)
      .where('account', '=', account).orderBy('created_at').orderBy('id').execute())
    return rows.map(readPlaylist)
  }

  /** Returns the playlists that others share with an account. */
  async listShared (account: string): Promise<OwnPlaylist[]> {
    const rows = await this.#db.read(db => selectPlaylists(db, account)
      .where('account', '<>', account).where('id', 'in', sharedWith(db, account))
      .orderBy('account').orderBy('created_at').orderBy('id').execute())
    return rows.map(readPlaylist)
  }

  /** @throws NotFoundError for a playlist that the account cannot access */
  async get (account: string, id: string): Promise<OwnPlaylist> {
    const row = await this.#db.read(db => selectPlaylists(db, account)
      .where(mayHear(db, account)).where('id', '=', id).executeTakeFirst())
    if (row === undefined) throw noSuchPlaylist()
    return readPlaylist(row)
  }

  /**
   * Returns a playlist that is at least as recent as this revision of the requesting account.
   *
   * @throws NotFoundError for a playlist that the account cannot access
   */
  async whole (account: string, revision: string, id: string): Promise<WholePlaylist> {
    const key = `${id} ${revision}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const playlist = await this.get(account, id)
    // Read as one string, which the driver of SQLite reads five times faster than rows.
    const { ids } = await this.#db.read(db => db.selectFrom('playlist_track')
      .select(({ fn }) => fn.agg<string | null>('string_agg', ['track', sql.lit(' ')]).orderBy('place').as('ids'))
      .where('playlist', '=', id).executeTakeFirstOrThrow())
    const whole = { playlist, ids: ids?.split(' ') ?? [] }
    this.#known.set(key, whole)
    return whole
  }

  /** Returns a playlist for a listener that currently has access to it. */
  async of (listener: string, id: string): Promise<{ name: string, ids: string[] } | undefined> {
    const row = await this.#db.read(async db => {
      const account = await db.selectFrom('account').select('id').where('listener', '=', listener).executeTakeFirst()
      return account && db.selectFrom('playlist').select('name').where(mayHear(db, account.id)).where('id', '=', id)
        .executeTakeFirst()
    })
    return row && { name: row.name, ids: (await this.entries(id)).map(({ id }) => id) }
  }

  /** Returns the tracks of a playlist, in order. */
  entries (playlist: string): Promise<Entry[]> {
    return this.#db.read(db => db.selectFrom('playlist_track').select(['track as id', 'title'])
      .where('playlist', '=', playlist).orderBy('place').execute())
  }

  async create (account: string, name: string): Promise<OwnPlaylist> {
    const id = newId()
    const now = Date.now()
    const row = { id, account, name, description: '', created_at: now, updated_at: now, next_place: 0 }
    await this.#db.changeAccount(account, db => db.insertInto('playlist').values(row).execute())
    const mine = { owner: account, isPublic: false, mayEdit: true }
    return { id, name, description: '', createdAt: now, updatedAt: now, trackCount: 0, first: undefined, ...mine }
  }

  async update (account: string, id: string, name: string, description: string): Promise<OwnPlaylist> {
    await this.#db.changeAccount(account, async db => {
      const row = await db.updateTable('playlist').set({ name, description, updated_at: Date.now() })
        .where(mayChange(db, account)).where('id', '=', id).returning('id').executeTakeFirst()
      if (row === undefined) return refuse(db, account, id)
      await tellOthers(db, account, id)
    })
    return this.get(account, id)
  }

  /**
   * Changes or creates a playlist atomically.
   *
   * @param known functions for existing tracks
   * @throws NotFoundError for a track that neither exists nor is in the playlist, BadRequestError for a position
   * outside the playlist
   */
  async edit (account: string, edit: PlaylistEdit, known: TrackIndex): Promise<OwnPlaylist> {
    const { id = newId(), name = '', description = '' } = edit
    const now = Date.now()
    await this.#db.changeAccount(account, async db => {
      if (edit.id === undefined) {
        const row = { id, account, name, description, created_at: now, updated_at: now, next_place: 0 }
        await db.insertInto('playlist').values(row).execute()
      } else {
        const texts = { ...edit.name !== undefined && { name }, ...edit.description !== undefined && { description } }
        const row = await db.updateTable('playlist').set({ ...texts, updated_at: now })
          .where(mayChange(db, account)).where('id', '=', id).returning('id').executeTakeFirst()
        if (row === undefined) return refuse(db, account, id)
        await tellOthers(db, account, id)
      }
      await replaceTracks(db, id, edit, known)
    })
    return this.get(account, id)
  }

  /** @throws SourceError (403) for a playlist that another account shares with the account */
  async delete (account: string, id: string): Promise<void> {
    await this.#db.changeAccount(account, async db => {
      await tellOthers(db, account, id)
      const row = await db.deleteFrom('playlist').where('account', '=', account).where('id', '=', id)
        .returning('id').executeTakeFirst()
      if (row === undefined) return refuse(db, account, id)
      await db.deleteFrom('playlist_track').where('playlist', '=', id).execute()
      await db.deleteFrom('playlist_share').where('playlist', '=', id).execute()
      await removeFavorite(db, { account, kind: 'playlist', item: id })
    })
  }

  /** Appends a track, also one that is already in the playlist. */
  async addTrack (account: string, playlist: string, { id: track, title }: Entry): Promise<void> {
    await this.#db.changeAccount(account, async db => {
      const row = await db.updateTable('playlist')
        .set(({ eb }) => ({ next_place: eb('next_place', '+', 1), updated_at: Date.now() }))
        .where(mayChange(db, account)).where('id', '=', playlist).returning('next_place').executeTakeFirst()
      if (row === undefined) return refuse(db, account, playlist)
      await tellOthers(db, account, playlist)
      await db.insertInto('playlist_track').values({ playlist, track, place: row.next_place, title }).execute()
    })
  }

  /** Removes every copy of some tracks. */
  async removeTracks (account: string, playlist: string, tracks: readonly string[]): Promise<void> {
    await this.#db.changeAccount(account, async db => {
      const row = await db.updateTable('playlist').set({ updated_at: Date.now() })
        .where(mayChange(db, account)).where('id', '=', playlist).returning('id').executeTakeFirst()
      if (row === undefined) return refuse(db, account, playlist)
      await tellOthers(db, account, playlist)
      await db.deleteFrom('playlist_track').where('playlist', '=', playlist).where('track', 'in', tracks).execute()
    })
  }

  /** Returns the sharing of a playlist of the account. */
  sharing (account: string, id: string): Promise<PlaylistSharing> {
    return this.#db.read(db => readSharing(db, account, id))
  }

  /**
   * Changes the sharing of a playlist of the account in one transaction. Accounts that are not listed keep theirs.
   *
   * @throws NotFoundError if an account does not exist
   */
  async share (account: string, id: string, sharing: PlaylistSharing): Promise<void> {
    await this.#db.changeAccount(account, db => changeSharing(db, account, id, sharing))
  }

  /** Ends the sharing of all playlists of an account. */
  async shareNone (account: string): Promise<void> {
    for (const { id } of await this.list(account)) {
      const { people } = await this.sharing(account, id)
      const none = Object.keys(people!).map(name => [name, 'no'] as const)
      await this.share(account, id, { everyone: 'no', people: Object.fromEntries(none) })
    }
  }
}

const selectPlaylists = (db: Database, account: string) =>
  db.selectFrom('playlist').selectAll().select(({ selectFrom, fn, lit, eb }) => {
    const tracks = selectFrom('playlist_track').whereRef('playlist', '=', 'playlist.id')
    const shares = selectFrom('playlist_share').whereRef('playlist', '=', 'playlist.id')
    return [
      tracks.select(fn.countAll().as('count')).as('count'),
      tracks.select('track').orderBy('place').limit(1).as('first'),
      shares.where('playlist_share.account', '=', '').select(lit(1).as('one')).as('everyone'),
      shares.where('playlist_share.account', 'in', ['', account])
        .select(({ fn }) => fn.max('may_edit').as('edit')).as('edit'),
      eb.case().when('playlist.account', '=', account).then(1).else(0).end().as('mine')
    ]
  })

type PlaylistRow = Selectable<Tables['playlist']> & {
  count: number | string | bigint | null
  first: string | null
  everyone: number | null
  edit: number | null
  mine: number
}

const readPlaylist = ({ id, name, description, ...row }: PlaylistRow) => ({
  id,
  name,
  description,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
  trackCount: Number(row.count),
  first: row.first ?? undefined,
  owner: row.account,
  isPublic: row.everyone === 1,
  mayEdit: row.mine === 1 || row.edit === 1
})
