import { duplicatePlayWindow, createYield } from 'fastify-source-origin'
import { sql } from 'kysely'
import { channel } from 'node:diagnostics_channel'
import type { Heard } from '../catalogue/listened.ts'
import type { Tables } from '../database/tables.ts'
import type { Listens } from './listens.ts'
import type { Database, StateDatabase } from './state-database.ts'

const playChannel = channel('fastify-source-origin.play')

/** A play of a track. */
interface Play {
  readonly track: string
  /** The start of the play in Unix milliseconds. */
  readonly playedAt: number
  /** The length of the track in milliseconds, if known. */
  readonly length?: number | undefined
}

/** The counted plays of accounts. */
export class KeptPlays {
  readonly #db: StateDatabase
  readonly #listens: Listens
  readonly #adding = new Set<Promise<unknown>>()

  constructor (db: StateDatabase, listens: Listens) {
    this.#db = db
    this.#listens = listens
  }

  /** Counts a play, once even if it is reported several times. Plays of a deleted account are not counted. */
  async add (listener: string, { track, playedAt, length }: Play): Promise<void> {
    // Databases store integers.
    const between = Math.ceil(duplicatePlayWindow(length))
    const adding = this.#db.change(`listener ${listener}`, async db => {
      // Locks the account without a change, so that no data is added for an account that is being removed.
      const account = await db.updateTable('account').set(({ ref }) => ({ revision: ref('revision') }))
        .where('listener', '=', listener).returning('id').executeTakeFirst()
      if (account === undefined) return {}
      const same = await db.selectFrom('play').select('played_at')
        .where('account', '=', account.id).where('track', '=', track)
        .where('played_at', '>', playedAt - between).where('played_at', '<', playedAt + between).executeTakeFirst()
      if (same !== undefined) return {}
      const play = { account: account.id, track, played_at: playedAt }
      await addPlays(db, [play])
      // Other replicas show play counts too.
      await db.updateTable('account').set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
        .where('id', '=', account.id).execute()
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
   * Returns the play counts of an account within a time range (Unix milliseconds), sorted by count, then by the last
   * play.
   */
  async heard (account: string, from = 0, to = Number.MAX_SAFE_INTEGER): Promise<Heard[]> {
    const [heard] = await this.#sums(account, [from], to)
    return heard!
  }

  /** Returns the play counts since each of some times, in one query. */
  heardSince (account: string, times: readonly number[]): Promise<Heard[][]> {
    return this.#sums(account, times, Number.MAX_SAFE_INTEGER)
  }

  /** Reads the sums as one string, which the driver of SQLite reads five times faster than rows. */
  async #sums (account: string, times: readonly number[], to: number): Promise<Heard[][]> {
    const counts = times.map(time => sql`count(*) FILTER (WHERE played_at >= ${time}) || ' ' ||`)
    const { rows: [row] } = await this.#db.read(db => sql<{ sums: string | null }>`
      SELECT string_agg(sum, ',') AS sums FROM (
        SELECT ${sql.join(counts, sql` `)} max(played_at) || ' ' || track AS sum FROM play
        WHERE account = ${account} AND played_at >= ${Math.min(...times)} AND played_at < ${to} GROUP BY track
      ) AS summed`.execute(db))
    const pause = createYield()
    const heard: Heard[][] = times.map(() => [])
    for (const sum of row?.sums?.split(',') ?? []) {
      const [id, last, ...plays] = sum.split(' ').reverse() as [string, string, ...string[]]
      for (const [index, count] of plays.reverse().entries()) {
        if (count !== '0') heard[index]!.push({ id, plays: Number(count), last: Number(last) })
      }
      await pause()
    }
    return heard.map(some => some.sort(mostFirst))
  }

  /** Waits for the plays that are being added. */
  async settle (): Promise<void> {
    await Promise.allSettled(this.#adding)
  }
}

const mostFirst = (a: Heard, b: Heard) => b.plays - a.plays || b.last - a.last

/** @param current the current track ids, by the ids of the plays. Plays of deleted tracks are left out. */
export function mergeHeard (heard: readonly Heard[], current: ReadonlyMap<string, string>): Heard[] {
  const merged = new Map<string, Heard>()
  for (const one of heard) {
    const id = current.get(one.id)
    if (id === undefined) continue
    const { plays, last } = merged.get(id) ?? { plays: 0, last: 0 }
    merged.set(id, { id, plays: plays + one.plays, last: Math.max(last, one.last) })
  }
  return [...merged.values()].sort(mostFirst)
}

export async function addPlays (db: Database, rows: readonly Tables['play'][]): Promise<void> {
  await db.insertInto('play').values(rows)
    .onConflict(conflict => conflict.columns(['account', 'track', 'played_at']).doNothing()).execute()
}
