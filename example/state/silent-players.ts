import type { FastifyBaseLogger } from 'fastify'
import { playThreshold } from 'fastify-source-origin'
import { LRUCache } from 'lru-cache'
import { lruOptions } from '../text/lru-options.ts'
import type { KeptPlays } from './kept-plays.ts'

/** A track that is being sent to a player. */
interface Sent {
  readonly startedAt: number
  /** The next byte. */
  next: number
  isHeard: boolean
}

/** A file that is sent: its size in bytes and the length of its track in milliseconds. */
interface SentFile { readonly size: number, readonly length: number }

/** The time in milliseconds for which an account is ignored after one of its players has reported plays. */
const toldFor = 24 * 60 * 60 * 1000

/**
 * Counts plays of players that report none, based on the bytes sent to them: from the beginning, in order, and no
 * faster than real time. A download at full speed does not count.
 */
export class SilentPlayers {
  readonly #plays: KeptPlays
  readonly #sent = new LRUCache<string, Sent>(lruOptions(10_000))
  readonly #told = new LRUCache<string, true>({ ...lruOptions(10_000), ttl: toldFor })

  constructor (plays: KeptPlays) {
    this.#plays = plays
  }

  /** Records that a player of a listener reports its plays. */
  tell (listener: string): void {
    this.#told.set(listener, true)
  }

  /**
   * Records that a file is sent to a player.
   *
   * @returns a function to call with the number of sent bytes and their offset
   */
  follow (
    listener: string, track: string, { size, length }: SentFile, log: Pick<FastifyBaseLogger, 'warn'>
  ): (bytes: number, from: number) => void {
    const key = `${listener} ${track}`
    const share = length > 0 ? playThreshold(length) / length : 1
    return (bytes, from) => {
      const now = Date.now()
      const sent = from === 0 ? { startedAt: now, next: 0, isHeard: false } : this.#sent.get(key)
      if (sent === undefined || sent.next !== from) return
      this.#sent.set(key, sent)
      sent.next = from + bytes
      const isHeard = sent.next >= size * share && now - sent.startedAt >= length * share && length > 0
      if (!isHeard || sent.isHeard || this.#told.has(listener)) return
      sent.isHeard = true
      this.#plays.add(listener, { track, playedAt: sent.startedAt, length })
        .catch(error => log.warn({ err: error }, 'play not counted'))
    }
  }
}
