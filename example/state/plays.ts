import { channel } from 'node:diagnostics_channel'
import type { Tables } from '../store/tables.ts'
import type { Database, StateDatabase } from './state-database.ts'

/** A track that was heard, how often, and when last (Unix milliseconds). */
export interface Heard { readonly id: string, readonly plays: number, readonly last: number }

const playChannel = channel('fastify-source-origin.play')

/** A track counts as played once in so many milliseconds. */
const slotLength = 30 * 60 * 1000

export const slotOf = (time: number): number => Math.floor(time / slotLength)

/** What accounts have played. */
export class Plays {
  readonly #db: StateDatabase
  /** What was counted in this slot: players ask for a file many times. */
  #counted = { slot: 0, plays: new Set<string>() }
  readonly #counting = new Set<Promise<void>>()

  constructor (db: StateDatabase) {
    this.#db = db
  }

  /**
   * Counts a play, once for each half hour. Nobody waits for it: music plays while the database is away.
   *
   * @param onError is told of a play that could not be kept
   */
  count (listener: string, track: string, onError: (error: unknown) => void): void {
    const now = Date.now()
    const slot = slotOf(now)
    if (this.#counted.slot !== slot) this.#counted = { slot, plays: new Set() }
    const { plays } = this.#counted
    const key = `${listener} ${track}`
    if (plays.has(key)) return
    plays.add(key)
    const counting = this.#db.change(`listener ${listener}`, async db => {
      // Locks the account without a change, so that nothing is left of one that is removed now.
      const account = await db.updateTable('account').set(({ ref }) => ({ revision: ref('revision') }))
        .where('listener', '=', listener).returning('id').executeTakeFirst()
      if (account !== undefined) await addPlays(db, [{ account: account.id, track, slot, played_at: now }])
    }).then(() => playChannel.publish({})).catch(error => {
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
    await Promise.all(this.#counting)
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
    .onConflict(conflict => conflict.columns(['account', 'track', 'slot']).doNothing()).execute()
}
