import type { RedisConnection } from './redis-connection.ts'
import type { SerializedError } from './serialized-error.ts'

/** The message of a replica at the end of its call. */
export interface Ended {
  /** The name of the lock. */
  readonly lock: string
  /** If `true`, the response is stored. */
  readonly isStored: boolean
  readonly error?: SerializedError | undefined
}

/** The result of the call is unknown: this replica calls the adapter itself. */
export const unknownEnd: Ended = { lock: '', isStored: false }

/** The lifetime of a lock in milliseconds, after which the lock of a dead replica expires. */
const lockTime = 3000
/** The interval of the renewals of a lock in milliseconds. */
const renewal = 1000
/** The interval in milliseconds at which a waiting replica checks the lock, if no message arrives. */
const pollEvery = 200

const renewScript =
  'if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0'
/** Publishes the end only if the lock is still held. After an expiry, the waiting replicas wait for the new holder. */
const releaseScript = 'if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end ' +
  'if ARGV[2] then redis.call("PUBLISH", ARGV[2], ARGV[3]) end return redis.call("DEL", KEYS[1])'

/** Locks that let one replica call the adapter while the others wait for its result. */
export class CallLocks {
  readonly #redis: RedisConnection
  /** The id of this replica. */
  readonly #id: string
  /** Callbacks that wait for the end of a call of another replica, by lock. */
  readonly #waiting = new Map<string, Set<(ended: Ended) => void>>()

  constructor (redis: RedisConnection, id: string) {
    this.#redis = redis
    this.#id = id
  }

  /** Returns the command that takes a lock. It returns `OK` if the lock was free. */
  take (lock: string, holder: string): unknown[] {
    return ['set', lock, holder, 'PX', lockTime, 'NX']
  }

  /** Renews the lock of a request until the request is over or the returned function is called. */
  renew (request: { readonly isOver: boolean }, lock: string, holder: string): () => void {
    const timer = setInterval(() => {
      if (request.isOver) return clearInterval(timer)
      this.#redis.send([['eval', renewScript, 1, lock, holder, lockTime]])
    }, renewal)
    timer.unref()
    return () => clearInterval(timer)
  }

  /** Releases a lock after other commands, and notifies the waiting replicas. */
  async release (lock: string, holder: string, ended?: Ended, commands: unknown[][] = []): Promise<void> {
    const message = ended === undefined ? [] : this.#redis.publish({ from: this.#id, ended }).slice(1)
    await this.#redis.send([...commands, ['eval', releaseScript, 1, lock, holder, ...message]])
  }

  /** Returns the end of a call of another replica, or `undefined` when it is time to check again. */
  endOf (lock: string): Promise<Ended | undefined> {
    return new Promise(resolve => {
      const waiters = this.#waiting.get(lock) ?? new Set()
      this.#waiting.set(lock, waiters)
      const end = (ended?: Ended) => {
        clearTimeout(timer)
        waiters.delete(end)
        if (waiters.size === 0) this.#waiting.delete(lock)
        resolve(ended)
      }
      const timer = setTimeout(end, pollEvery)
      waiters.add(end)
    })
  }

  /** Notifies the waiting requests that the call of another replica has ended. */
  end (ended: Ended): void {
    for (const end of [...this.#waiting.get(ended.lock) ?? []]) end(ended)
  }

  /** Ends all waits. */
  close (): void {
    for (const waiters of this.#waiting.values()) for (const end of waiters) end(unknownEnd)
  }
}
