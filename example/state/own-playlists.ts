import { NotFoundError, type PlaylistEdit } from 'fastify-source-origin'
import { sql, type Selectable } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Tables } from '../database/tables.ts'
import { removeFavorite } from './favorites.ts'
import { replaceTracks, type KnownTracks } from './playlist-tracks.ts'
import { newId, type Database, type StateDatabase } from './state-database.ts'

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

/** A playlist with the ids of its tracks, in their order. */
export interface WholePlaylist { readonly playlist: OwnPlaylist, readonly ids: readonly string[] }

/** Ids of tracks that are kept in memory. */
const mostKnown = 500_000

/** A track of a playlist; the title is for when its file is gone. */
export interface Entry { readonly id: string, readonly title: string }

/** The playlists that accounts have made. Changes fail with a NotFoundError for one that is not the account's. */
export class Playlists {
  readonly #db: StateDatabase
  /** Those that were asked for last, each of a revision of its account. */
  readonly #known = new LRUCache<string, WholePlaylist>({
    maxSize: mostKnown, sizeCalculation: ({ ids }) => ids.length + 1
  })

  constructor (db: StateDatabase) {
    this.#db = db
  }

  /** In the order in which they were made. */
  async list (account: string): Promise<OwnPlaylist[]> {
    const rows = await this.#db.read(db => selectPlaylists(db)
      .where('account', '=', account).orderBy('created_at').orderBy('id').execute())
    return rows.map(readPlaylist)
  }

  /** @throws NotFoundError for a playlist that is not the account's */
  async get (account: string, id: string): Promise<OwnPlaylist> {
    const row = await this.#db.read(db => selectPlaylists(db)
      .where('account', '=', account).where('id', '=', id).executeTakeFirst())
    if (row === undefined) throw noSuchPlaylist()
    return readPlaylist(row)
  }

  /**
   * A playlist of at least this revision of its account.
   *
   * @throws NotFoundError for a playlist that is not the account's
   */
  async whole (account: string, revision: string, id: string): Promise<WholePlaylist> {
    const key = `${id} ${revision}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const playlist = await this.get(account, id)
    // As one text, which the driver of SQLite reads five times faster than rows.
    const { ids } = await this.#db.read(db => db.selectFrom('playlist_track')
      .select(({ fn }) => fn.agg<string | null>('string_agg', ['track', sql.lit(' ')]).orderBy('place').as('ids'))
      .where('playlist', '=', id).executeTakeFirstOrThrow())
    const whole = { playlist, ids: ids?.split(' ') ?? [] }
    this.#known.set(key, whole)
    return whole
  }

  /** A playlist of any account, for whoever may have it. */
  async ofAny (id: string): Promise<{ name: string, ids: string[] } | undefined> {
    const row = await this.#db.read(db => selectPlaylists(db).where('id', '=', id).executeTakeFirst())
    return row && { name: row.name, ids: (await this.entries(id)).map(({ id }) => id) }
  }

  /** The tracks of a playlist, in their order. */
  entries (playlist: string): Promise<Entry[]> {
    return this.#db.read(db => db.selectFrom('playlist_track').select(['track as id', 'title'])
      .where('playlist', '=', playlist).orderBy('place').execute())
  }

  async create (account: string, name: string): Promise<OwnPlaylist> {
    const id = newId()
    const now = Date.now()
    const row = { id, account, name, description: '', created_at: now, updated_at: now, next_place: 0 }
    await this.#db.changeAccount(account, db => db.insertInto('playlist').values(row).execute())
    return { id, name, description: '', createdAt: now, updatedAt: now, trackCount: 0, first: undefined }
  }

  async update (account: string, id: string, name: string, description: string): Promise<OwnPlaylist> {
    await this.#db.changeAccount(account, async db => {
      const row = await db.updateTable('playlist').set({ name, description, updated_at: Date.now() })
        .where('account', '=', account).where('id', '=', id).returning('id').executeTakeFirst()
      if (row === undefined) throw noSuchPlaylist()
    })
    return this.get(account, id)
  }

  /**
   * Changes a playlist, or makes one, all of it or nothing.
   *
   * @param known tracks that are there
   * @throws NotFoundError for a track that is neither there nor in the playlist, BadRequestError for a place without
   */
  async edit (account: string, edit: PlaylistEdit, known: KnownTracks): Promise<OwnPlaylist> {
    const { id = newId(), name = '', description = '' } = edit
    const now = Date.now()
    await this.#db.changeAccount(account, async db => {
      if (edit.id === undefined) {
        const row = { id, account, name, description, created_at: now, updated_at: now, next_place: 0 }
        await db.insertInto('playlist').values(row).execute()
      } else {
        const texts = { ...edit.name !== undefined && { name }, ...edit.description !== undefined && { description } }
        const row = await db.updateTable('playlist').set({ ...texts, updated_at: now })
          .where('account', '=', account).where('id', '=', id).returning('id').executeTakeFirst()
        if (row === undefined) throw noSuchPlaylist()
      }
      await replaceTracks(db, id, edit, known)
    })
    return this.get(account, id)
  }

  async delete (account: string, id: string): Promise<void> {
    await this.#db.changeAccount(account, async db => {
      const row = await db.deleteFrom('playlist').where('account', '=', account).where('id', '=', id)
        .returning('id').executeTakeFirst()
      if (row === undefined) throw noSuchPlaylist()
      await db.deleteFrom('playlist_track').where('playlist', '=', id).execute()
      await removeFavorite(db, { account, kind: 'playlist', item: id })
    })
  }

  /** Adds a track at the end; one that is there stays where it is. */
  async addTrack (account: string, playlist: string, { id: track, title }: Entry): Promise<void> {
    await this.#db.changeAccount(account, async db => {
      const row = await db.updateTable('playlist')
        .set(({ eb }) => ({ next_place: eb('next_place', '+', 1), updated_at: Date.now() }))
        .where('account', '=', account).where('id', '=', playlist).returning('next_place').executeTakeFirst()
      if (row === undefined) throw noSuchPlaylist()
      await db.insertInto('playlist_track').values({ playlist, track, place: row.next_place, title })
        .onConflict(conflict => conflict.columns(['playlist', 'track']).doNothing()).execute()
    })
  }

  async removeTracks (account: string, playlist: string, tracks: readonly string[]): Promise<void> {
    await this.#db.changeAccount(account, async db => {
      const row = await db.updateTable('playlist').set({ updated_at: Date.now() })
        .where('account', '=', account).where('id', '=', playlist).returning('id').executeTakeFirst()
      if (row === undefined) throw noSuchPlaylist()
      await db.deleteFrom('playlist_track').where('playlist', '=', playlist).where('track', 'in', tracks).execute()
    })
  }
}

const noSuchPlaylist = () => new NotFoundError('There is no such playlist')

const selectPlaylists = (db: Database) => db.selectFrom('playlist').selectAll().select(({ selectFrom, fn }) => {
  const tracks = selectFrom('playlist_track').whereRef('playlist', '=', 'playlist.id')
  return [
    tracks.select(fn.countAll().as('count')).as('count'),
    tracks.select('track').orderBy('place').limit(1).as('first')
  ]
})

type PlaylistRow = Selectable<Tables['playlist']> & { count: number | string | bigint | null, first: string | null }

const readPlaylist = ({ id, name, description, ...row }: PlaylistRow) => ({
  id,
  name,
  description,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
  trackCount: Number(row.count),
  first: row.first ?? undefined
})
