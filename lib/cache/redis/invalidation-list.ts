import { createHash } from 'node:crypto'
import { sleep } from '../../async/sleep.ts'
import type { CacheEntry } from '../entries.ts'
import type { Invalidation } from '../../source/index.ts'
import type { RedisConnection } from './redis-connection.ts'
import { longest } from './stored-entry.ts'

/** An invalidation for the lists of accounts, and for that of the public answers (`undefined`). */
export interface Publication {
  readonly invalidation: Invalidation
  readonly owners: readonly (string | undefined)[]
}

/** Invalidations that each list holds. */
const listLength = 200
/** Invalidations that wait for Redis; more become one that forgets all. */
const mostWaiting = 1000
/** Milliseconds until invalidations that Redis did not take are sent again. */
const retryInterval = 1000
/** How often they are sent when the store is closed. */
const closeTries = 5

/** Appends with the server's time, which makes each line another one. */
const appendScript = `local time = redis.call("TIME")
redis.call("RPUSH", KEYS[1], "[" .. time[1] .. "," .. time[2] .. "," .. ARGV[1] .. "]")
redis.call("LTRIM", KEYS[1], -${listLength}, -1)
return redis.call("PEXPIRE", KEYS[1], ${longest})`

/**
 * Makes a list that is not there, with a line without an invalidation. A Redis whose memory is full may drop a list
 * before the entries that it makes invalid.
 */
const readScript = `if redis.call("PEXPIRE", KEYS[1], ${longest}) == 0 then
  local time = redis.call("TIME")
  redis.call("RPUSH", KEYS[1], "[" .. time[1] .. "," .. time[2] .. "]")
  redis.call("PEXPIRE", KEYS[1], ${longest})
end
return redis.call("LRANGE", KEYS[1], 0, -1)`

/** Invalidations in Redis: a list for each account, and one for the public answers. */
export class InvalidationList {
  readonly #redis: RedisConnection
  /** Name of this replica. */
  readonly #id: string
  /** What is being sent. */
  readonly #publishing = new Set<Promise<boolean>>()
  /** What Redis did not take. */
  readonly #waiting = new Set<Publication>()
  #sending: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor (redis: RedisConnection, id: string) {
    this.#redis = redis
    this.#id = id
  }

  /** Tells all replicas, and whoever reads later. Never fails. */
  async publish (invalidation: Invalidation, owners: readonly (string | undefined)[]): Promise<void> {
    const publication = { invalidation, owners }
    const sending = this.#send([publication])
    this.#publishing.add(sending)
    const isSent = await sending
    this.#publishing.delete(sending)
    if (isSent || this.#isClosed) return
    this.keep(publication)
    // A Redis that is full still has entries from before, and publishes. The others may not read them either.
    if (this.#redis.refuses) await this.#redis.tell({ from: this.#id, invalidation, owners })
  }

  /** Whether something waits that Redis did not take. */
  get isWaiting (): boolean { return this.#waiting.size > 0 }

  /** Remembers what Redis did not take, until it takes it: nothing is read from it before. */
  keep (publication: Publication): void {
    this.#waiting.add(publication)
    this.#timer ??= setInterval(() => { this.publishWaiting() }, retryInterval).unref()
    if (this.#waiting.size <= mostWaiting) return
    this.#waiting.clear()
    this.#waiting.add({ invalidation: { forget: {} }, owners: [undefined] })
  }

  /** Sends what Redis did not take before. @returns whether it has all; without them nothing may be read */
  async publishWaiting (): Promise<boolean> {
    if (this.#waiting.size === 0) return true
    this.#sending ??= this.#sendWaiting().finally(() => { this.#sending = undefined })
    // More may have come that Redis did not take.
    const isSent = await this.#sending && this.#waiting.size === 0
    if (isSent) this.#stop()
    return isSent
  }

  /** Sends what Redis did not take until it is back, for some seconds: nobody else could tell the other replicas. */
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

  /** Commands that read the list of an account, and the public one. */
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

/** An invalidation as a list holds it: the public one, which all read, names no account. */
function forList (invalidation: Invalidation, owner: string | undefined): Invalidation {
  if (owner !== undefined || !('changes' in invalidation)) return invalidation
  return { changes: invalidation.changes.map(({ account: _account, ...change }) => change) }
}

/** Identifies a line. */
export const markOf = (line: string): string => line.slice(0, 32)

/**
 * Whether an entry is invalid, or may be.
 *
 * @param seen mark of the last line when its call began
 * @param lines a list as it was read
 * @param isInvalid whether an invalidation concerns the entry
 */
export function isOutdated (
  entry: CacheEntry, seen: unknown, lines: readonly string[],
  isInvalid: (invalidation: Invalidation, entry: CacheEntry) => boolean
): boolean {
  try {
    const last = lines.findIndex(line => markOf(line) === seen)
    // Not all lines since then are there.
    if (last === -1) return true
    return lines.slice(last + 1).some(line => isInvalid((JSON.parse(line) as [number, number, Invalidation])[2], entry))
  } catch {
    // Lines that are not ours.
    return true
  }
}

/** Milliseconds of Redis' answer to TIME: seconds and microseconds. */
export const milliseconds = ([seconds, microseconds]: readonly unknown[]): number =>
  Number(seconds) * 1000 + Number(microseconds) / 1000

export const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')
