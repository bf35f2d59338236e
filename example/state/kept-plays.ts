import { channel } from 'node:diagnostics_channel'
import type { Tables } from '../store/tables.ts'
import type { Listens } from './listens.ts'
import type { Database, StateDatabase } from './state-database.ts'

/** A track that was heard, how often, and when last (Unix milliseconds). */
export interface Heard { readonly id: string, readonly plays: number, readonly last: number }

const playChannel = channel('fastify-source-origin.play')

/** A play of a track. */
interface Play {
  readonly track: string
  /** When it began, in Unix milliseconds. */
  readonly playedAt: number
  /** Milliseconds of the track, where they are known. */
  readonly length?: number | undefined
}

/** Plays of a track of unknown length that begin closer together are one. */
const leastBetween = 30_000
/** A play is heard after half of its length, or after this: none of the same track begins before. */
const longestBetween = 240_000

/** What accounts have heard. */
export class KeptPlays {
  readonly #db: StateDatabase
  readonly #listens: Listens
  readonly #adding = new Set<Promise<unknown>>()

  constructor (db: StateDatabase, listens: Listens) {
    this.#db = db
    this.#listens = listens
  }

  /** Counts a play, once however often it is told. One of an account that is gone is not counted. */
  async add (listener: string, { track, playedAt, length = 0 }: Play): Promise<void> {
    const between = length > 0 ? Math.min(Math.ceil(length / 2), longestBetween) : leastBetween
    const adding = this.#db.change(`listener ${listener}`, async db => {
      // Locks the account without a change, so that nothing is left of one that is removed now.
      const account = await db.updateTable('account').set(({ ref }) => ({ revision: ref('revision') }))
        .where('listener', '=', listener).returning('id').executeTakeFirst()
      if (account === undefined) return {}
      const same = await db.selectFrom('play').select('played_at')
        .where('account', '=', account.id).where('track', '=', track)
        .where('played_at', '>', playedAt - between).where('played_at', '<', playedAt + between).executeTakeFirst()
      if (same !== undefined) return {}
      const play = { account: account.id, track, played_at: playedAt }
      await addPlays(db, [play])
      return { isNew: true, waits: await this.#listens.queue(db, play) }
    })
    this.#adding.add(adding)
    try {
      const { isNew, waits } = await adding
      if (isNew) playChannel.publish({})
      if (waits) this.#listens.onQueued()
    } finally {
      this.#adding.delete(adding)
    }
  }

  /**
   * What an account has heard within a time (Unix milliseconds), most often first, what was heard later first among
   * these.
   */
  async heard (account: string, from = 0, to = Number.MAX_SAFE_INTEGER): Promise<Heard[]> {
    const rows = await this.#db.read(db => db.selectFrom('play')
      .select(({ fn }) => ['track', fn.countAll().as('plays'), fn.max('played_at').as('last')])
      .where('account', '=', account).where('played_at', '>=', from).where('played_at', '<', to)
      .groupBy('track').execute())
    return rows.map(({ track, plays, last }) => ({ id: track, plays: Number(plays), last: Number(last) }))
      .sort(mostFirst)
  }

  /** The same since each of some times, in one query. */
  async heardSince (account: string, times: readonly number[]): Promise<Heard[][]> {
    const rows = await this.#db.read(db => db.selectFrom('play')
      .select(({ fn }) => ['track', fn.max('played_at').as('last')])
      .select(({ fn }) => times.map((time, index) =>
        fn.countAll().filterWhere('played_at', '>=', time).as(`plays${index}`)))
      .where('account', '=', account).where('played_at', '>=', Math.min(...times))
      .groupBy('track').execute()) as Record<string, string | number>[]
    return times.map((_, index) => rows
      .map(row => ({ id: String(row.track), plays: Number(row[`plays${index}`]), last: Number(row.last) }))
      .filter(({ plays }) => plays > 0)
      .sort(mostFirst))
  }

  /** Waits for what nobody waits for. */
  async settle (): Promise<void> {
    await Promise.allSettled(this.#adding)
  }
}

const mostFirst = (a: Heard, b: Heard) => b.plays - a.plays || b.last - a.last

/** @param current ids that tracks have now, by former ones */
export function mergeHeard (heard: readonly Heard[], current: ReadonlyMap<string, string>): Heard[] {
  if (current.size === 0) return [...heard]
  const merged = new Map<string, Heard>()
  for (const one of heard) {
    const id = current.get(one.id) ?? one.id
    const { plays, last: at } = merged.get(id) ?? { plays: 0, last: 0 }
    merged.set(id, { id, plays: plays + one.plays, last: Math.max(at, one.last) })
  }
  return [...merged.values()].sort(mostFirst)
}

export async function addPlays (db: Database, rows: readonly Tables['play'][]): Promise<void> {
  await db.insertInto('play').values(rows)
    .onConflict(conflict => conflict.columns(['account', 'track', 'played_at']).doNothing()).execute()
}
