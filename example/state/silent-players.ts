import type { FastifyBaseLogger } from 'fastify'
import { heardAfter } from 'fastify-source-origin'
import { LRUCache } from 'lru-cache'
import { atMost } from '../text/at-most.ts'
import type { KeptPlays } from './kept-plays.ts'

/** A track that a player is being sent. */
interface Sent {
  readonly startedAt: number
  /** The byte that comes next. */
  next: number
  isHeard: boolean
}

/** A file that is sent: its size in bytes, and milliseconds of its track. */
interface SentFile { readonly size: number, readonly length: number }

/** Milliseconds for which an account whose players tell what they play is not looked at. */
const toldFor = 24 * 60 * 60 * 1000

/**
 * What is heard by players that tell nothing, by the bytes that they are sent: from the beginning, in order, and no
 * faster than one listens. What is loaded as fast as it comes counts nothing.
 */
export class SilentPlayers {
  readonly #plays: KeptPlays
  readonly #sent = new LRUCache<string, Sent>(atMost(10_000))
  readonly #told = new LRUCache<string, true>({ ...atMost(10_000), ttl: toldFor })

  constructor (plays: KeptPlays) {
    this.#plays = plays
  }

  /** Notes that a player of a listener tells what it plays. */
  tell (listener: string): void {
    this.#told.set(listener, true)
  }

  /**
   * Notes that a player is sent a file.
   *
   * @returns takes how many bytes go out, and from where on
   */
  follow (
    listener: string, track: string, { size, length }: SentFile, log: Pick<FastifyBaseLogger, 'warn'>
  ): (bytes: number, from: number) => void {
    const key = `${listener} ${track}`
    const share = length > 0 ? heardAfter(length) / length : 1
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
        .catch(error => log.warn(error, 'A play was not counted'))
    }
  }
}
