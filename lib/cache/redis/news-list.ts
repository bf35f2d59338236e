import { createHash } from 'node:crypto'
import type { News } from '../changes.ts'
import type { KeptAnswer } from '../kept-answers.ts'
import type { RedisConnection } from './redis-connection.ts'
import { longest } from './stored-answer.ts'

/** News of accounts, and of all (`undefined`). */
interface Told {
  readonly news: News
  readonly owners: readonly (string | undefined)[]
}

/** News that are remembered of each account. */
const remembered = 200
/** News that wait for Redis; more are one that forgets all. */
const waiting = 1000
/** Milliseconds until news that Redis did not take are told again. */
const tellAgain = 1000

/** Appends with the server's time, which makes each line another one. */
const tellScript = `local time = redis.call("TIME")
redis.call("RPUSH", KEYS[1], "[" .. time[1] .. "," .. time[2] .. "," .. ARGV[1] .. "]")
redis.call("LTRIM", KEYS[1], -${remembered}, -1)
return redis.call("PEXPIRE", KEYS[1], ${longest})`

/**
 * Makes a list that is not there, with a line that has no news. A Redis whose memory is full may drop a list before the
 * answers that it makes old.
 */
const readScript = `if redis.call("PEXPIRE", KEYS[1], ${longest}) == 0 then
  local time = redis.call("TIME")
  redis.call("RPUSH", KEYS[1], "[" .. time[1] .. "," .. time[2] .. "]")
  redis.call("PEXPIRE", KEYS[1], ${longest})
end
return redis.call("LRANGE", KEYS[1], 0, -1)`

/** What became old, in Redis: a list for each account, and one for the public answers. */
export class NewsList {
  readonly #redis: RedisConnection
  /** Name of this replica. */
  readonly #id: string
  /** News that Redis did not take. */
  readonly #untold = new Set<Told>()
  #telling: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor (redis: RedisConnection, id: string) {
    this.#redis = redis
    this.#id = id
  }

  /** Tells all replicas, and whoever reads later. Never fails. */
  async tell (news: News, owners: readonly (string | undefined)[]): Promise<void> {
    const told = { news, owners }
    if (await this.#send([told]) || this.#isClosed) return
    this.#untold.add(told)
    this.#timer ??= setInterval(() => { this.tellRest() }, tellAgain).unref()
    if (this.#untold.size <= waiting) return
    this.#untold.clear()
    this.#untold.add({ news: { forget: {} }, owners: [undefined] })
  }

  /** Tells what Redis did not take before. @returns whether it has all news; without them nothing may be read */
  async tellRest (): Promise<boolean> {
    if (this.#untold.size === 0) return true
    this.#telling ??= this.#sendUntold().finally(() => { this.#telling = undefined })
    // More may have come that Redis did not take.
    const isTold = await this.#telling && this.#untold.size === 0
    if (isTold) this.#stop()
    return isTold
  }

  close (): void {
    this.#isClosed = true
    this.#stop()
  }

  /** Commands that read the news of an account, and those of all. */
  read (account: string | undefined): unknown[][] {
    const owners = account === undefined ? [undefined] : [account, undefined]
    return owners.map(owner => ['eval', readScript, 1, this.#nameOf(owner)])
  }

  #stop (): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #sendUntold (): Promise<boolean> {
    const untold = [...this.#untold]
    const isTold = await this.#send(untold)
    if (isTold) for (const one of untold) this.#untold.delete(one)
    return isTold
  }

  async #send (told: readonly Told[]): Promise<boolean> {
    return await this.#redis.send(told.flatMap(({ news, owners }) => [
      ...owners.map(owner => ['eval', tellScript, 1, this.#nameOf(owner), JSON.stringify(news)]),
      this.#redis.publish({ from: this.#id, news })
    ])) !== undefined
  }

  #nameOf (owner: string | undefined): string {
    return this.#redis.name(owner === undefined ? 'news' : `news:${hash(owner)}`)
  }
}

/** What tells a line from all others. */
export const markOf = (line: string): string => line.slice(0, 32)

/**
 * Whether an answer is older than news that make it old, or may be.
 *
 * @param seen mark of the last line when its call began
 * @param lines a list as it was read
 */
export function isOutdated (
  kept: KeptAnswer, seen: unknown, lines: readonly string[], isOld: (news: News, answer: KeptAnswer) => boolean
): boolean {
  try {
    const last = lines.findIndex(line => markOf(line) === seen)
    // Not all lines since then are there.
    if (last === -1) return true
    return lines.slice(last + 1).some(line => isOld((JSON.parse(line) as [number, number, News])[2], kept))
  } catch {
    // News that are not ours.
    return true
  }
}

/** Milliseconds of Redis' answer to TIME: seconds and microseconds. */
export const milliseconds = ([seconds, microseconds]: readonly unknown[]): number =>
  Number(seconds) * 1000 + Number(microseconds) / 1000

export const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')
