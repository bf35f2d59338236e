import { isOtherSource } from '../text/other-ids.ts'
import type { Tables } from '../database/tables.ts'
import { newId, type Database, type StateDatabase } from './state-database.ts'

/** The description of a track for services. `length` is in milliseconds. */
export interface Listened {
  readonly title: string
  readonly artist: string
  readonly album: string
  readonly albumArtist: string
  readonly number?: number | undefined
  readonly length: number
  /** The names of the artists, if they are stored separately. */
  readonly artists?: readonly string[] | undefined
  /** MusicBrainz ids. */
  readonly recordingId?: string | undefined
  readonly releaseId?: string | undefined
  readonly artistIds?: readonly string[] | undefined
}

/** A queued scrobble. */
export interface Listen extends Listened {
  readonly id: string
  /** The start of the play in Unix milliseconds. */
  readonly playedAt: number
}

export type Connection = Tables['connection']
/** The `next_at` of a connection whose secret was rejected: never. */
export const whenRenewed = 8.64e15

type Key = Pick<Connection, 'account' | 'service' | 'secret'>

/** The connections of accounts to services, and the scrobbles that are queued for each. */
export class Listens {
  readonly #db: StateDatabase
  /** Returns the description of a track; `undefined` for a deleted track. */
  describe: (track: string) => Listened | undefined = () => undefined
  /** Called with the current play of an account. */
  onPlaying: (account: string, play: string, listened: Listened) => void = () => {}
  /** Called when a scrobble is queued. */
  onQueued: () => void = () => {}

  constructor (db: StateDatabase) {
    this.#db = db
  }

  /** Connects an account, or renews the secret of its connection. Queued scrobbles are then sent. */
  async connect (given: Pick<Connection, 'account' | 'service' | 'secret' | 'name'>): Promise<void> {
    const fresh = { ...given, next_at: 0, tries: 0, problem: '' }
    await this.#db.changeAccount(given.account, db => db.insertInto('connection').values(fresh)
      .onConflict(conflict => conflict.columns(['account', 'service']).doUpdateSet(fresh)).execute())
    this.onQueued()
  }

  /** Deletes a connection and its queued scrobbles. @returns whether it existed */
  disconnect (account: string, service: string): Promise<boolean> {
    return this.#db.changeAccount(account, async db => {
      const { numDeletedRows } = await db.deleteFrom('connection')
        .where('account', '=', account).where('service', '=', service).executeTakeFirstOrThrow()
      await db.deleteFrom('listen').where('account', '=', account).where('service', '=', service).execute()
      return numDeletedRows > 0
    })
  }

  /** Returns the connections of an account, with the number of queued scrobbles of each. */
  async list (account: string): Promise<(Connection & { readonly waiting: number })[]> {
    const rows = await this.#db.read(db => db.selectFrom('connection').selectAll().select(({ selectFrom }) =>
      selectFrom('listen').select(({ fn }) => fn.countAll().as('count'))
        .whereRef('listen.account', '=', 'connection.account').whereRef('listen.service', '=', 'connection.service')
        .as('waiting')
    ).where('account', '=', account).orderBy('service').execute())
    return rows.map(row => ({ ...row, waiting: Number(row.waiting) }))
  }

  /**
   * Queues a play for the services of its account, in the transaction that counts it. @returns whether it was queued
   */
  async queue (db: Database, { account, track, played_at: playedAt }: Tables['play']): Promise<boolean> {
    const connected = await db.selectFrom('connection').select('service').where('account', '=', account).execute()
    const services = connected.filter(({ service }) => !isOtherSource(service))
    const told = this.describe(track)
    if (services.length === 0 || told === undefined) return false
    const details = JSON.stringify(told)
    await db.insertInto('listen').values(services.map(({ service }) =>
      ({ id: newId(), account, service, played_at: playedAt, details }))).execute()
    return true
  }

  /**
   * Returns connections with queued scrobbles whose `next_at` has passed (Unix milliseconds), the longest waiting
   * first.
   */
  due (services: readonly string[], now: number): Promise<Connection[]> {
    return this.#db.read(db => waitingFor(db, services).selectAll().where('next_at', '<=', now).execute())
  }

  /** Returns the earliest `next_at` of connections with queued scrobbles; `undefined` if there are none. */
  async nextAt (services: readonly string[]): Promise<number | undefined> {
    const row = await this.#db.read(db => waitingFor(db, services).select('next_at').executeTakeFirst())
    return row && Number(row.next_at)
  }

  /** Releases the connections that a killed process has claimed. */
  async release (): Promise<void> {
    await this.#db.read(db => db.updateTable('connection').set({ next_at: 0 })
      .where('next_at', '<', whenRenewed).execute())
  }

  /** Claims a connection for a time, across all replicas. @returns whether it was free */
  async claim (connection: Key, now: number, until: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db.read(db => update(db, connection).set({ next_at: until })
      .where('next_at', '<=', now).executeTakeFirstOrThrow())
    return numUpdatedRows > 0
  }

  /** Returns the queued scrobbles of a connection, the oldest first. */
  async waiting ({ account, service }: Key, most: number): Promise<Listen[]> {
    const rows = await this.#db.read(db => db.selectFrom('listen').select(['id', 'played_at', 'details'])
      .where('account', '=', account).where('service', '=', service)
      .orderBy('played_at').orderBy('id').limit(most).execute())
    return rows.map(({ id, played_at: at, details }) =>
      ({ ...JSON.parse(details) as Listened, id, playedAt: Number(at) }))
  }

  /** Deletes scrobbles that were sent. */
  async told (listens: readonly Listen[]): Promise<void> {
    await this.#db.read(db => db.deleteFrom('listen')
      // PostgreSQL does not allow an empty list.
      .where('id', 'in', ['', ...listens.map(({ id }) => id)]).execute())
  }

  /** Stores the state of a connection, unless its secret was renewed in the meantime. */
  async note (connection: Key, now: Pick<Connection, 'next_at' | 'tries' | 'problem'>): Promise<void> {
    await this.#db.read(db => update(db, connection).set(now).execute())
  }
}

const update = (db: Database, { account, service, secret }: Key) => db.updateTable('connection')
  .where('account', '=', account).where('service', '=', service).where('secret', '=', secret)

const waitingFor = (db: Database, services: readonly string[]) => db.selectFrom('connection')
  .where('service', 'in', services)
  .where(({ exists, selectFrom }) => exists(selectFrom('listen').select('id')
    .whereRef('listen.account', '=', 'connection.account').whereRef('listen.service', '=', 'connection.service')))
  .orderBy('next_at')
