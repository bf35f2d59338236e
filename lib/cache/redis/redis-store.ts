import { randomUUID } from 'node:crypto'
import { elapsed } from '../../async/elapsed.ts'
import { invalidOption } from '../../errors/author-errors.ts'
import { validateMembers } from '../../options/validate-members.ts'
import { isObject } from '../../options/is-object.ts'
import { aText } from '../../options/member-rules.ts'
import {
  CacheStore, type CallForAll, type Stored, type StoreOwner, type StoreRequest
} from '../cache-store.ts'
import type { CacheEntry } from '../entries.ts'
import { classifyError } from '../classify-error.ts'
import type { Invalidation } from '../../source/index.ts'
import { CallLocks, unknownEnd, type Ended } from './call-locks.ts'
import { hash, InvalidationList, isOutdated, markOf, milliseconds, type Publication } from './invalidation-list.ts'
import { RedisConnection, type RedisClient } from './redis-connection.ts'
import { reviveError, serializeError } from './serialized-error.ts'
import { lifeOf, parse, readEntry, writeEntry, type Clocks } from './stored-entry.ts'

export interface RedisStoreOptions {
  /**
   * The prefix of all names in Redis, for example `my-source:`. Each source of one Redis needs a different prefix.
   * Required.
   */
  prefix: string
}

/** The result of a read from Redis. */
interface Found {
  readonly entry: CacheEntry | undefined
  /** If `true`, the read took the lock. */
  readonly isLocked: boolean
  /** The clock of Redis in milliseconds. */
  readonly now: number
  /** The identifiers of the last lines of the account's invalidations and of the public ones. */
  readonly seen: readonly string[]
}

class RedisStore extends CacheStore {
  readonly #id = randomUUID()
  readonly #redis: RedisConnection
  readonly #locks: CallLocks
  readonly #invalidations: InvalidationList
  #owner: StoreOwner | undefined

  constructor (redis: RedisConnection) {
    super()
    this.#redis = redis
    this.#locks = new CallLocks(redis, this.#id)
    this.#invalidations = new InvalidationList(redis, this.#id)
  }

  open (owner: StoreOwner): void {
    if (this.#owner !== undefined) throw invalidOption('store', 'a store of its own: this one belongs to another cache')
    this.#owner = owner
    this.#redis.open({
      log: owner.log,
      onMessage: message => this.#onMessage(message),
      onSubscribed: () => owner.clear()
    })
  }

  async * looks (request: StoreRequest): AsyncGenerator<Stored, void, undefined> {
    const found = await this.#find(request)
    if (found === undefined) return
    yield { entry: found.entry }

    // The lock name contains the invalidations, so that a request after a change does not wait for a call from before
    // it.
    const lock = this.#redis.name(`lock:${hash(JSON.stringify([request.key.text, found.seen]))}`)
    for (;;) {
      const holder = randomUUID()
      // The wait begins before the read, so that no end is missed.
      const end = this.#locks.endOf(lock)
      const found = await this.#find(request, this.#locks.take(lock, holder))
      if (found?.isLocked) return yield * this.#turn(request, lock, holder, found)
      if (found !== undefined) yield { entry: found.entry }
      const ended = found === undefined ? unknownEnd : await end
      if (request.isOver) throw new Error('Nobody waits for this answer')
      if (ended?.error !== undefined && !classifyError(ended.error).isPersonal) throw reviveError(ended.error)
      if (ended?.isStored === false) return
    }
  }

  publish (invalidation: Invalidation, owners: readonly (string | undefined)[]): Promise<void> {
    return this.#invalidations.publish(invalidation, owners)
  }

  async close (): Promise<void> {
    await this.#invalidations.close()
    this.#redis.close()
    this.#locks.close()
  }

  /**
   * Reads the stored entry. If `lock` is a command that takes the lock, it runs first, so that the entry of the last
   * holder is seen.
   */
  async #find ({ key }: StoreRequest, lock: unknown[] = ['ping']): Promise<Found | undefined> {
    if (!await this.#invalidations.publishWaiting()) return undefined
    const results = await this.#redis.send([
      lock, ['time'], ['getBuffer', this.#entryName(key.text)], ...this.#invalidations.read(key.account)
    ])
    if (results === undefined) return undefined
    const [locked, time, stored, ...lists] = results as [unknown, string[], unknown, ...string[][]]
    const seen = lists.map(lines => markOf(lines.at(-1)!))
    const now = milliseconds(time)
    const isLocked = locked === 'OK'
    const read = readEntry(stored, key, { shared: now, own: elapsed() })
    if (read === undefined) return { entry: undefined, isLocked, now, seen }
    const { entry, seen: marks } = read
    const isInvalid = lists.some((lines, index) => isOutdated(entry, marks[index], lines, this.#owner!.isInvalid))
    return { entry: isInvalid ? undefined : entry, isLocked, now, seen }
  }

  /**
   * Yields `begin` to the holder of the lock. If the holder does not begin a call, the lock is released for another
   * replica.
   */
  async * #turn (request: StoreRequest, lock: string, holder: string, found: Found): AsyncGenerator<Stored> {
    let isBegun = false
    const begin = () => {
      isBegun = true
      return this.#callForAll(request, lock, holder, found)
    }
    try {
      yield { entry: found.entry, begin }
    } finally {
      if (!isBegun) await this.#locks.release(lock, holder)
    }
  }

  /** Begins a call: the other replicas wait until it publishes its end. */
  #callForAll (request: StoreRequest, lock: string, holder: string, { now, seen }: Found): CallForAll {
    const { text } = request.key
    const name = this.#entryName(text)
    const clocks: Clocks = { shared: now, own: elapsed() }
    const stop = this.#locks.renew(request, lock, holder)
    return {
      set: result => {
        stop()
        const entry = 'entry' in result ? result.entry : undefined
        const life = entry === undefined ? 0 : lifeOf(entry, elapsed())
        // If this entry is not stored, an older one must not be found.
        const store = entry === undefined || life <= 0
          ? [['del', name]]
          : [['set', name, writeEntry(entry, text, seen, clocks), 'PX', life]]
        return this.#locks.release(lock, holder, { lock, isStored: life > 0 }, store)
      },
      fail: (error, shared) => {
        stop()
        const { isOutage, isPersonal } = classifyError(error)
        // The source no longer returns this entry, so it must not be found.
        const remove = isOutage || isPersonal ? [] : [['del', name]]
        const serialized = request.isBeforeChange ? undefined : serializeError(shared)
        return this.#locks.release(lock, holder, { lock, isStored: false, error: serialized }, remove)
      }
    }
  }

  #onMessage (text: string): void {
    const message = parse(text)
    if (!isObject(message) || message.from === this.#id) return
    const { invalidation, ended, owners } =
      message as Partial<Publication> & { readonly ended?: Ended }
    if (isObject(ended)) this.#locks.end(ended)
    if (!isObject(invalidation)) return
    if (Array.isArray(owners)) {
      if (!this.#invalidations.isWaiting) {
        this.#owner!.log.warn({}, 'cache store behind')
      }
      this.#invalidations.keep({ invalidation, owners: owners.map(owner => owner ?? undefined) })
    }
    try {
      this.#owner!.apply(invalidation)
    } catch {
      // The message has an unknown format.
      this.#owner!.clear()
    }
  }

  #entryName (key: string): string {
    return this.#redis.name(hash(key))
  }
}

const clientMethods = ['duplicate', 'pipeline', 'info', 'subscribe', 'on', 'disconnect']

/**
 * Creates a store of cache entries in one Redis for several replicas of a source, for the option `store` of
 * `createSourceCache`. All replicas together share one adapter call for identical requests. If Redis is unavailable or
 * slow, requests still work.
 *
 * @param client of ioredis (5, 6) or iovalkey, for one Redis 5 or newer; you have to close it
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function redisStore (client: RedisClient, options: RedisStoreOptions): CacheStore {
  const isClient = clientMethods.every(name => typeof Object(client)[name] === 'function')
  if (!isClient) throw invalidOption('client', 'a client of ioredis or iovalkey')
  validateMembers(options, { prefix: aText })
  return new RedisStore(new RedisConnection(client, options.prefix))
}
