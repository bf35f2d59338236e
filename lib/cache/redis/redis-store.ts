import { createHash, randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { checkMembers } from '../../check-members.ts'
import { invalidOption } from '../../contract/author-errors.ts'
import { SourceError } from '../../contract/errors.ts'
import { isObject } from '../../contract/is-object.ts'
import type { News } from '../changes.ts'
import type { KeptAnswer } from '../kept-answers.ts'
import { readFailure } from '../read-failure.ts'
import { SharedStore, type Landing, type SharedFlight, type StoreOwner } from '../shared-store.ts'
import { RedisConnection, type RedisClient } from './redis-connection.ts'
import { lifeOf, longest, parse, readAnswer, writeAnswer, type Clocks } from './stored-answer.ts'

export interface RedisStoreOptions {
  /** Before the names of all that is kept, `my-source:` for example: the sources of one Redis must not share it. Required. */
  prefix: string
}

/** News of an account, or of all (`undefined`). */
interface Told {
  readonly news: News
  readonly owner: string | undefined
}

/** What a replica says when its call has ended. */
interface Ended {
  /** Name of the lock. */
  readonly lock: string
  /** Whether the answer is stored. */
  readonly isStored: boolean
  /** The failure, as far as other replicas may know it. */
  readonly error?: { readonly status: number, readonly message?: string, readonly code?: number, readonly retryAfter?: number } | undefined
}

/** Nobody says what came of the call: this replica calls. */
const unknownEnd: Ended = { lock: '', isStored: false }
/** Milliseconds that a replica that died stands in the way of the others. */
const lockTime = 3000
/** Milliseconds between two renewals of a lock. */
const renewal = 1000
/** Milliseconds until a replica looks again without having been told. */
const lookAgain = 200
/** News that are remembered of each account. Of an answer that is older than all of them nothing is known. */
const remembered = 1000
/** News that wait for Redis; more are one that forgets all. */
const waiting = 1000

const renewScript = 'if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0'
const releaseScript = 'if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0'
/** Appends with the server's time, so that the clocks of the replicas do not matter. */
const tellScript = `local time = redis.call("TIME")
redis.call("RPUSH", KEYS[1], "[" .. time[1] .. "," .. time[2] .. "," .. ARGV[1] .. "]")
redis.call("LTRIM", KEYS[1], -${remembered}, -1)
return redis.call("PEXPIRE", KEYS[1], ${longest})`

class RedisStore extends SharedStore {
  readonly #id = randomUUID()
  readonly #redis: RedisConnection
  #owner: StoreOwner | undefined
  /** Who waits for the end of a call of another replica, by lock. */
  readonly #waiting = new Map<string, Set<(ended: Ended) => void>>()
  /** News that Redis did not take: nothing is read before it has. */
  readonly #untold = new Set<Told>()
  #telling: Promise<boolean> | undefined

  constructor (redis: RedisConnection) {
    super()
    this.#redis = redis
  }

  open (owner: StoreOwner): void {
    if (this.#owner !== undefined) throw invalidOption('store', 'a store of its own: this one belongs to another cache')
    this.#owner = owner
    this.#redis.open({
      warn: owner.warn,
      hear: message => this.#hear(message),
      begin: () => owner.forgetAll()
    })
  }

  async fetch (flight: SharedFlight): Promise<Landing> {
    const found = await this.#look(flight)
    if (found === undefined) return flight.call()
    if (found.landing !== undefined) return found.landing

    for (;;) {
      const lock = this.#redis.name(`lock:${hash(flight.place.key)}`)
      const holder = randomUUID()
      // From before the look, so that no end is missed.
      const end = this.#endOf(lock)
      const found = await this.#look(flight, ['set', lock, holder, 'PX', lockTime, 'NX'])
      if (found?.isLocked && found.landing === undefined) return this.#lead(flight, lock, holder, found.now)
      if (found?.isLocked) await this.#release(lock, holder)
      if (found?.landing !== undefined) return found.landing
      const ended = found === undefined ? unknownEnd : await end
      if (flight.isOver) throw new Error('Nobody waits for this answer')
      if (ended?.error !== undefined && !readFailure(ended.error).isPersonal) throw revive(ended.error)
      if (ended?.isStored === false) return flight.call()
    }
  }

  async tell (news: News, owners: readonly (string | undefined)[]): Promise<void> {
    const told = owners.map(owner => ({ news, owner }))
    if (await this.#sendNews(told)) return
    for (const one of told) this.#untold.add(one)
    if (this.#untold.size <= waiting) return
    this.#untold.clear()
    this.#untold.add({ news: { forget: {} }, owner: undefined })
  }

  async close (): Promise<void> {
    this.#redis.close()
    for (const waiters of this.#waiting.values()) for (const end of waiters) end(unknownEnd)
  }

  async #sendNews (told: readonly Told[]): Promise<boolean> {
    return await this.#redis.send(told.flatMap(({ news, owner }) => [
      ['eval', tellScript, 1, this.#newsOf(owner), JSON.stringify(news)],
      this.#redis.publish({ from: this.#id, news })
    ])) !== undefined
  }

  async #sendUntold (): Promise<boolean> {
    const untold = [...this.#untold]
    const isTold = await this.#sendNews(untold)
    if (isTold) for (const one of untold) this.#untold.delete(one)
    return isTold
  }

  /** What is stored. With a command that takes the lock first, so that what its last holder stored is seen. */
  async #look (flight: SharedFlight, lock: unknown[] = ['ping']): Promise<{ landing: Landing | undefined, isLocked: boolean, now: number } | undefined> {
    if (this.#untold.size > 0) {
      this.#telling ??= this.#sendUntold().finally(() => { this.#telling = undefined })
      if (!await this.#telling) return undefined
    }
    const { place } = flight
    const owners = place.account === undefined ? [undefined] : [place.account, undefined]
    const results = await this.#redis.send([
      lock, ['time'], ['getBuffer', this.#answerOf(place.key)], ...owners.map(owner => ['lrange', this.#newsOf(owner), 0, -1])
    ])
    if (results === undefined) return undefined
    const [locked, time, stored, ...news] = results
    const now = milliseconds(time as string[])
    const answer = readAnswer(stored, place, { shared: now, own: performance.now() })
    const isOld = answer !== undefined && news.some(lines => this.#isOld(answer, lines as string[]))
    const landing = answer === undefined || isOld ? undefined : flight.accept(answer.kept)
    return { landing, isLocked: locked === 'OK', now }
  }

  #isOld ({ kept, began }: { kept: KeptAnswer, began: number }, lines: readonly string[]): boolean {
    try {
      const news = lines.map(line => JSON.parse(line) as [number, number, News])
      if (news.length >= remembered && began <= milliseconds(news[0]!)) return true
      return news.some(one => began <= milliseconds(one) && this.#owner!.isOld(one[2], kept))
    } catch {
      // News that are not ours.
      return true
    }
  }

  /** Calls while the others wait, and tells them what came of it. */
  async #lead (flight: SharedFlight, lock: string, holder: string, began: number): Promise<Landing> {
    const answerName = this.#answerOf(flight.place.key)
    const clocks: Clocks = { shared: began, own: performance.now() }
    const timer = setInterval(() => {
      if (flight.isOver) clearInterval(timer)
      else this.#redis.send([['eval', renewScript, 1, lock, holder, lockTime]])
    }, renewal)
    timer.unref()
    try {
      const landing = await flight.call()
      const kept = 'kept' in landing ? landing.kept : undefined
      const life = kept === undefined ? 0 : lifeOf(kept, performance.now())
      await this.#release(lock, holder, { lock, isStored: life > 0 },
        kept !== undefined && life > 0 ? [['set', answerName, writeAnswer(kept, flight.place.key, began, clocks), 'PX', life]] : [])
      return landing
    } catch (error) {
      const { isOutage, isPersonal } = readFailure(error)
      // Nobody is to find what the source no longer answers.
      await this.#release(lock, holder, { lock, isStored: false, error: tellable(error) }, isOutage || isPersonal ? [] : [['del', answerName]])
      throw error
    } finally {
      clearInterval(timer)
    }
  }

  async #release (lock: string, holder: string, ended?: Ended, commands: unknown[][] = []): Promise<void> {
    await this.#redis.send([
      ...commands,
      ['eval', releaseScript, 1, lock, holder],
      ...ended === undefined ? [] : [this.#redis.publish({ from: this.#id, ended })]
    ])
  }

  /** The end of a call of another replica, or nothing when it is time to look again. */
  #endOf (lock: string): Promise<Ended | undefined> {
    return new Promise(resolve => {
      const waiters = this.#waiting.get(lock) ?? new Set()
      this.#waiting.set(lock, waiters)
      const end = (ended?: Ended) => {
        clearTimeout(timer)
        waiters.delete(end)
        if (waiters.size === 0) this.#waiting.delete(lock)
        resolve(ended)
      }
      const timer = setTimeout(end, lookAgain)
      waiters.add(end)
    })
  }

  #hear (text: string): void {
    const message = parse(text)
    if (!isObject(message) || message.from === this.#id) return
    const { news, ended } = message as { news?: News, ended?: Ended }
    if (isObject(ended)) for (const end of [...this.#waiting.get(ended.lock) ?? []]) end(ended)
    if (!isObject(news)) return
    try {
      this.#owner!.learn(news)
    } catch {
      // News that are not ours.
      this.#owner!.forgetAll()
    }
  }

  #answerOf (key: string): string {
    return this.#redis.name(hash(key))
  }

  #newsOf (owner: string | undefined): string {
    return this.#redis.name(owner === undefined ? 'news' : `news:${hash(owner)}`)
  }
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Milliseconds of Redis' answer to TIME: seconds and microseconds. */
const milliseconds = ([seconds, microseconds]: readonly unknown[]) => Number(seconds) * 1000 + Number(microseconds) / 1000

/** Only the message of a SourceError was written for others. */
function tellable (error: unknown): Ended['error'] {
  const { status, retryAfter } = readFailure(error)
  if (!(error instanceof SourceError)) return { status, ...retryAfter !== undefined && { retryAfter } }
  const { message, code } = error
  return { status, message, ...code !== undefined && { code }, ...retryAfter !== undefined && { retryAfter } }
}

function revive ({ status, message, ...more }: NonNullable<Ended['error']>): Error {
  if (message !== undefined) return new SourceError(status, message, more)
  const error = new Error(status === 500 ? 'The call of another replica failed: its log says why' : STATUS_CODES[status])
  return status === 500 ? error : Object.assign(error, { statusCode: status }, more)
}

/**
 * Keeps answers for several replicas of a source in one Redis, for the option `store` of `createSourceCache`. All replicas together
 * call the source once for equal questions. A Redis that is dead or slow makes nothing fail.
 *
 * @param client of ioredis (5, 6) or iovalkey, for one Redis 5 or newer; it stays yours to close
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function redisStore (client: RedisClient, options: RedisStoreOptions): SharedStore {
  const isClient = ['duplicate', 'pipeline', 'info', 'subscribe', 'on', 'disconnect'].every(name => typeof Object(client)[name] === 'function')
  if (!isClient) throw invalidOption('client', 'a client of ioredis or iovalkey')
  checkMembers(options, { prefix: { must: 'a string that is not empty', holds: value => typeof value === 'string' && value !== '' } })
  return new RedisStore(new RedisConnection(client, options.prefix))
}
