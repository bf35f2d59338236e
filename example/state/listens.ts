import { isOtherSource } from '../text/other-ids.ts'
import type { Tables } from '../database/tables.ts'
import { newId, type Database, type StateDatabase } from './state-database.ts'

/** What services are told of a track. `length` in milliseconds. */
export interface Listened {
  readonly title: string
  readonly artist: string
  readonly album: string
  readonly albumArtist: string
  readonly number?: number | undefined
  readonly length: number
  /** Names of the artists, where they are known apart. */
  readonly artists?: readonly string[] | undefined
  /** Ids at MusicBrainz. */
  readonly recordingId?: string | undefined
  readonly releaseId?: string | undefined
  readonly artistIds?: readonly string[] | undefined
}

/** A listen that waits to be told. */
export interface Listen extends Listened {
  readonly id: string
  /** When it began, in Unix milliseconds. */
  readonly playedAt: number
}

export type Connection = Tables['connection']
/** When a connection is used whose secret was refused. */
export const whenRenewed = 8.64e15

type Key = Pick<Connection, 'account' | 'service' | 'secret'>

/** Accounts' connections to services, and the listens that wait to be told to each. */
export class Listens {
  readonly #db: StateDatabase
  /** What is told of a track; nothing of one that is gone. */
  describe: (track: string) => Listened | undefined = () => undefined
  /** Is called with what an account plays now. */
  onPlaying: (account: string, play: string, listened: Listened) => void = () => {}
  /** Is called when something waits. */
  onQueued: () => void = () => {}

  constructor (db: StateDatabase) {
    this.#db = db
  }

  /** Connects an account, or renews the secret of its connection: what waits is told then. */
  async connect (given: Pick<Connection, 'account' | 'service' | 'secret' | 'name'>): Promise<void> {
    const fresh = { ...given, next_at: 0, tries: 0, problem: '' }
    await this.#db.changeAccount(given.account, db => db.insertInto('connection').values(fresh)
      .onConflict(conflict => conflict.columns(['account', 'service']).doUpdateSet(fresh)).execute())
    this.onQueued()
  }

  /** Ends a connection, and forgets what waits for it. @returns whether it was there */
  disconnect (account: string, service: string): Promise<boolean> {
    return this.#db.changeAccount(account, async db => {
      const { numDeletedRows } = await db.deleteFrom('connection')
        .where('account', '=', account).where('service', '=', service).executeTakeFirstOrThrow()
      await db.deleteFrom('listen').where('account', '=', account).where('service', '=', service).execute()
      return numDeletedRows > 0
    })
  }

  /** The connections of an account, and how many listens wait for each. */
  async list (account: string): Promise<(Connection & { readonly waiting: number })[]> {
    const rows = await this.#db.read(db => db.selectFrom('connection').selectAll().select(({ selectFrom }) =>
      selectFrom('listen').select(({ fn }) => fn.countAll().as('count'))
        .whereRef('listen.account', '=', 'connection.account').whereRef('listen.service', '=', 'connection.service')
        .as('waiting')
    ).where('account', '=', account).orderBy('service').execute())
    return rows.map(row => ({ ...row, waiting: Number(row.waiting) }))
  }

  /** Has a play told to the services of its account: in the transaction that counts it. @returns whether it waits */
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

  /** Connections for which something waits, and which may be used by a time (Unix milliseconds), longest first. */
  due (services: readonly string[], now: number): Promise<Connection[]> {
    return this.#db.read(db => waitingFor(db, services).selectAll().where('next_at', '<=', now).execute())
  }

  /** When the next one may be used; `undefined` where nothing waits. */
  async nextAt (services: readonly string[]): Promise<number | undefined> {
    const row = await this.#db.read(db => waitingFor(db, services).select('next_at').executeTakeFirst())
    return row && Number(row.next_at)
  }

  /** Lets go of what a process had taken that is gone. */
  async release (): Promise<void> {
    await this.#db.read(db => db.updateTable('connection').set({ next_at: 0 })
      .where('next_at', '<', whenRenewed).execute())
  }

  /** Takes a connection for a time, from other replicas too. @returns whether it was free */
  async claim (connection: Key, now: number, until: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db.read(db => update(db, connection).set({ next_at: until })
      .where('next_at', '<=', now).executeTakeFirstOrThrow())
    return numUpdatedRows > 0
  }

  /** What waits for a connection, the oldest first. */
  async waiting ({ account, service }: Key, most: number): Promise<Listen[]> {
    const rows = await this.#db.read(db => db.selectFrom('listen').select(['id', 'played_at', 'details'])
      .where('account', '=', account).where('service', '=', service)
      .orderBy('played_at').orderBy('id').limit(most).execute())
    return rows.map(({ id, played_at: at, details }) =>
      ({ ...JSON.parse(details) as Listened, id, playedAt: Number(at) }))
  }

  /** Forgets what was told. */
  async told (listens: readonly Listen[]): Promise<void> {
    await this.#db.read(db => db.deleteFrom('listen')
      // PostgreSQL knows no empty list.
      .where('id', 'in', ['', ...listens.map(({ id }) => id)]).execute())
  }

  /** Keeps how a connection fares, unless it was renewed meanwhile. */
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
