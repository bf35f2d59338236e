import { randomUUID } from 'node:crypto'
import { checkMembers } from '../../options/check-members.ts'
import { invalidOption } from '../../errors/author-errors.ts'
import { elapsed } from '../../async/elapsed.ts'
import { isObject } from '../../options/is-object.ts'
import type { News } from '../changes.ts'
import { readFailure } from '../read-failure.ts'
import { SharedStore, type Landing, type SharedFlight, type StoreOwner } from '../shared-store.ts'
import { CallLocks, unknownEnd, type Ended } from './call-locks.ts'
import { hash, isOutdated, markOf, milliseconds, NewsList } from './news-list.ts'
import { RedisConnection, type RedisClient } from './redis-connection.ts'
import { lifeOf, parse, readAnswer, writeAnswer, type Clocks } from './stored-answer.ts'
import { reviveError, tellError } from './told-error.ts'

export interface RedisStoreOptions {
  /**
   * Before the names of all that is kept, `my-source:` for example: the sources of one Redis must not share it.
   * Required.
   */
  prefix: string
}

/** What a look into Redis found. */
interface Found {
  readonly landing: Landing | undefined
  /** Whether the look took the lock. */
  readonly isLocked: boolean
  /** The clock of Redis. */
  readonly now: number
  /** Marks of the last news of the account, and of those of all. */
  readonly seen: readonly string[]
}

class RedisStore extends SharedStore {
  readonly #id = randomUUID()
  readonly #redis: RedisConnection
  readonly #locks: CallLocks
  readonly #news: NewsList
  #owner: StoreOwner | undefined

  constructor (redis: RedisConnection) {
    super()
    this.#redis = redis
    this.#locks = new CallLocks(redis, this.#id)
    this.#news = new NewsList(redis, this.#id)
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

    // Who asks after a change does not wait for a call from before it.
    const lock = this.#redis.name(`lock:${hash(JSON.stringify([flight.place.key, found.seen]))}`)
    for (;;) {
      const holder = randomUUID()
      // From before the look, so that no end is missed.
      const end = this.#locks.endOf(lock)
      const found = await this.#look(flight, this.#locks.take(lock, holder))
      if (found?.isLocked && found.landing === undefined) return this.#lead(flight, lock, holder, found)
      if (found?.isLocked) await this.#locks.release(lock, holder)
      if (found?.landing !== undefined) return found.landing
      const ended = found === undefined ? unknownEnd : await end
      if (flight.isOver) throw new Error('Nobody waits for this answer')
      if (ended?.error !== undefined && !readFailure(ended.error).isPersonal) throw reviveError(ended.error)
      if (ended?.isStored === false) return flight.call()
    }
  }

  tell (news: News, owners: readonly (string | undefined)[]): Promise<void> {
    return this.#news.tell(news, owners)
  }

  async close (): Promise<void> {
    this.#news.close()
    this.#redis.close()
    this.#locks.close()
  }

  /** What is stored. With a command that takes the lock first, so that what its last holder stored is seen. */
  async #look (flight: SharedFlight, lock: unknown[] = ['ping']): Promise<Found | undefined> {
    if (!await this.#news.tellRest()) return undefined
    const { place } = flight
    const results = await this.#redis.send([
      lock, ['time'], ['getBuffer', this.#answerOf(place.key)], ...this.#news.read(place.account)
    ])
    if (results === undefined) return undefined
    const [locked, time, stored, ...lists] = results as [unknown, string[], unknown, ...string[][]]
    const seen = lists.map(lines => markOf(lines.at(-1)!))
    const now = milliseconds(time)
    const isLocked = locked === 'OK'
    const answer = readAnswer(stored, place, { shared: now, own: elapsed() })
    if (answer === undefined) return { landing: undefined, isLocked, now, seen }
    const { kept, seen: marks } = answer
    const isOld = lists.some((lines, index) => isOutdated(kept, marks[index], lines, this.#owner!.isOld))
    return { landing: isOld ? undefined : flight.accept(kept), isLocked, now, seen }
  }

  /** Calls while the others wait, and tells them what came of it. */
  async #lead (flight: SharedFlight, lock: string, holder: string, { now, seen }: Found): Promise<Landing> {
    const { key } = flight.place
    const name = this.#answerOf(key)
    const clocks: Clocks = { shared: now, own: elapsed() }
    const stop = this.#locks.renew(lock, holder, flight)
    try {
      const landing = await flight.call().finally(stop)
      const kept = 'kept' in landing ? landing.kept : undefined
      const life = kept === undefined ? 0 : lifeOf(kept, elapsed())
      // If this one is not kept, nobody is to find an older one.
      const store = kept === undefined || life <= 0
        ? [['del', name]]
        : [['set', name, writeAnswer(kept, key, seen, clocks), 'PX', life]]
      await this.#locks.release(lock, holder, { lock, isStored: life > 0 }, store)
      return landing
    } catch (error) {
      const { isOutage, isPersonal } = readFailure(error)
      // Nobody is to find what the source no longer answers.
      const remove = isOutage || isPersonal ? [] : [['del', name]]
      const told = flight.isBeforeChange ? undefined : tellError(flight.shareable(error))
      await this.#locks.release(lock, holder, { lock, isStored: false, error: told }, remove)
      throw error
    }
  }

  #hear (text: string): void {
    const message = parse(text)
    if (!isObject(message) || message.from === this.#id) return
    const { news, ended } = message as { news?: News, ended?: Ended }
    if (isObject(ended)) this.#locks.hear(ended)
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
}

const clientMethods = ['duplicate', 'pipeline', 'info', 'subscribe', 'on', 'disconnect']

/**
 * Keeps answers for several replicas of a source in one Redis, for the option `store` of `createSourceCache`. All
 * replicas together call the source once for equal questions. A Redis that is dead or slow makes nothing fail.
 *
 * @param client of ioredis (5, 6) or iovalkey, for one Redis 5 or newer; it stays yours to close
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function redisStore (client: RedisClient, options: RedisStoreOptions): SharedStore {
  const isClient = clientMethods.every(name => typeof Object(client)[name] === 'function')
  if (!isClient) throw invalidOption('client', 'a client of ioredis or iovalkey')
  checkMembers(options, {
    prefix: { must: 'a string that is not empty', holds: value => typeof value === 'string' && value !== '' }
  })
  return new RedisStore(new RedisConnection(client, options.prefix))
}
