import { createHash } from 'node:crypto'
import { sleep } from '../../async/sleep.ts'
import type { CacheEntry } from '../entries.ts'
import type { Invalidation } from '../../source/index.ts'
import type { RedisConnection } from './redis-connection.ts'
import { longest } from './stored-entry.ts'

/** An invalidation, with the accounts to whose lists it belongs (`undefined` for the list of public entries). */
export interface Publication {
  readonly invalidation: Invalidation
  readonly owners: readonly (string | undefined)[]
}

/** The maximum length of each list. */
const listLength = 200
/** The maximum number of invalidations that wait for Redis. More are replaced by one that clears everything. */
const mostWaiting = 1000
/** The time in milliseconds after which rejected invalidations are sent again. */
const retryInterval = 1000
/** The number of attempts when the store is closed. */
const closeTries = 5

/** Appends a line with the server's time, so that each line is unique. */
const appendScript = `local time = redis.call("TIME")
redis.call("RPUSH", KEYS[1], "[" .. time[1] .. "," .. time[2] .. "," .. ARGV[1] .. "]")
redis.call("LTRIM", KEYS[1], -${listLength}, -1)
return redis.call("PEXPIRE", KEYS[1], ${longest})`

/**
 * Reads a list, or creates it with a line without an invalidation if it does not exist. If its memory is full, Redis
 * may evict a list before the entries that the list invalidates.
 */
const readScript = `if redis.call("PEXPIRE", KEYS[1], ${longest}) == 0 then
  local time = redis.call("TIME")
  redis.call("RPUSH", KEYS[1], "[" .. time[1] .. "," .. time[2] .. "]")
  redis.call("PEXPIRE", KEYS[1], ${longest})
end
return redis.call("LRANGE", KEYS[1], 0, -1)`

/** The invalidations in Redis: a list for each account, and one for public entries. */
export class InvalidationList {
  readonly #redis: RedisConnection
  /** The id of this replica. */
  readonly #id: string
  /** The running publications. */
  readonly #publishing = new Set<Promise<boolean>>()
  /** The publications that Redis did not accept. */
  readonly #waiting = new Set<Publication>()
  #sending: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor (redis: RedisConnection, id: string) {
    this.#redis = redis
    this.#id = id
  }

  /** Publishes an invalidation to all replicas and for later reads. Never fails. */
  async publish (invalidation: Invalidation, owners: readonly (string | undefined)[]): Promise<void> {
    const publication = { invalidation, owners }
    const sending = this.#send([publication])
    this.#publishing.add(sending)
    const isSent = await sending
    this.#publishing.delete(sending)
    if (isSent || this.#isClosed) return
    this.keep(publication)
    // A Redis with full memory rejects writes, but still delivers messages and serves old entries. The other replicas
    // must not read these entries either.
    if (this.#redis.refuses) await this.#redis.tell({ from: this.#id, invalidation, owners })
  }

  /** If `true`, there are invalidations that Redis did not accept. */
  get isWaiting (): boolean { return this.#waiting.size > 0 }

  /** Retains a rejected publication until Redis accepts it. Until then Redis is not read. */
  keep (publication: Publication): void {
    this.#waiting.add(publication)
    this.#timer ??= setInterval(() => { this.publishWaiting() }, retryInterval).unref()
    if (this.#waiting.size <= mostWaiting) return
    this.#waiting.clear()
    this.#waiting.add({ invalidation: { forget: {} }, owners: [undefined] })
  }

  /** Sends the rejected invalidations again. @returns whether Redis has accepted all; otherwise it must not be read */
  async publishWaiting (): Promise<boolean> {
    if (this.#waiting.size === 0) return true
    this.#sending ??= this.#sendWaiting().finally(() => { this.#sending = undefined })
    // Further invalidations may have been rejected in the meantime.
    const isSent = await this.#sending && this.#waiting.size === 0
    if (isSent) this.#stop()
    return isSent
  }

  /**
   * Sends the rejected invalidations for some seconds, until Redis is available again. No other process could send them
   * to the replicas.
   */
  async close (): Promise<void> {
    for (let tries = 0; tries < closeTries; tries++) {
      if (tries > 0) await sleep(retryInterval)
      await Promise.all(this.#publishing)
      this.#redis.endPause()
      if (await this.publishWaiting() || this.#redis.isEnded) break
    }
    this.#isClosed = true
    this.#stop()
  }

  /** Returns the commands that read the list of an account and the public list. */
  read (account: string | undefined): unknown[][] {
    const owners = account === undefined ? [undefined] : [account, undefined]
    return owners.map(owner => ['eval', readScript, 1, this.#nameOf(owner)])
  }

  #stop (): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #sendWaiting (): Promise<boolean> {
    const waiting = [...this.#waiting]
    const isSent = await this.#send(waiting)
    if (isSent) for (const publication of waiting) this.#waiting.delete(publication)
    return isSent
  }

  async #send (publications: readonly Publication[]): Promise<boolean> {
    return await this.#redis.send(publications.flatMap(({ invalidation, owners }) => [
      ...owners.map(owner =>
        ['eval', appendScript, 1, this.#nameOf(owner), JSON.stringify(forList(invalidation, owner))]),
      this.#redis.publish({ from: this.#id, invalidation })
    ])) !== undefined
  }

  #nameOf (owner: string | undefined): string {
    return this.#redis.name(owner === undefined ? 'invalidations' : `invalidations:${hash(owner)}`)
  }
}

/** Returns an invalidation for a list: the public list, which all accounts read, does not contain account names. */
function forList (invalidation: Invalidation, owner: string | undefined): Invalidation {
  if (owner !== undefined || !('changes' in invalidation)) return invalidation
  return { changes: invalidation.changes.map(({ account: _account, ...change }) => change) }
}

/** Returns the identifier of a line. */
export const markOf = (line: string): string => line.slice(0, 32)

/**
 * Returns whether an entry is or may be invalid.
 *
 * @param seen identifier of the last line when the entry's call began
 * @param lines the current list
 * @param isInvalid whether an invalidation concerns the entry
 */
export function isOutdated (
  entry: CacheEntry, seen: unknown, lines: readonly string[],
  isInvalid: (invalidation: Invalidation, entry: CacheEntry) => boolean
): boolean {
  try {
    const last = lines.findIndex(line => markOf(line) === seen)
    // Some lines since then have been removed.
    if (last === -1) return true
    return lines.slice(last + 1).some(line => isInvalid((JSON.parse(line) as [number, number, Invalidation])[2], entry))
  } catch {
    // The lines have an unknown format.
    return true
  }
}

/** Converts the response of the Redis command TIME, seconds and microseconds, to milliseconds. */
export const milliseconds = ([seconds, microseconds]: readonly unknown[]): number =>
  Number(seconds) * 1000 + Number(microseconds) / 1000

export const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')
