import type { RedisConnection } from './redis-connection.ts'
import type { SerializedError } from './serialized-error.ts'

/** What a replica says when its call has ended. */
export interface Ended {
  /** Name of the lock. */
  readonly lock: string
  /** Whether the answer is stored. */
  readonly isStored: boolean
  readonly error?: SerializedError | undefined
}

/** Nobody says what came of the call: this replica calls. */
export const unknownEnd: Ended = { lock: '', isStored: false }

/** Milliseconds after which the lock of a replica that died expires. */
const lockTime = 3000
/** Milliseconds between two renewals of a lock. */
const renewal = 1000
/** Milliseconds until a replica looks again without having been told. */
const pollEvery = 200

const renewScript =
  'if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0'
/** A holder that took too long has no say: those who wait do so for another one. */
const releaseScript = 'if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end ' +
  'if ARGV[2] then redis.call("PUBLISH", ARGV[2], ARGV[3]) end return redis.call("DEL", KEYS[1])'

/** Locks that let one replica call while the others wait for what comes of it. */
export class CallLocks {
  readonly #redis: RedisConnection
  /** Name of this replica. */
  readonly #id: string
  /** Who waits for the end of a call of another replica, by lock. */
  readonly #waiting = new Map<string, Set<(ended: Ended) => void>>()

  constructor (redis: RedisConnection, id: string) {
    this.#redis = redis
    this.#id = id
  }

  /** The command that takes a lock. Its answer is `OK` if nobody had it. */
  take (lock: string, holder: string): unknown[] {
    return ['set', lock, holder, 'PX', lockTime, 'NX']
  }

  /** Keeps the lock of a request until the request is over, or the returned function is called. */
  renew (request: { readonly isOver: boolean }, lock: string, holder: string): () => void {
    const timer = setInterval(() => {
      if (request.isOver) return clearInterval(timer)
      this.#redis.send([['eval', renewScript, 1, lock, holder, lockTime]])
    }, renewal)
    timer.unref()
    return () => clearInterval(timer)
  }

  /** Releases a lock after other commands, and notifies those who wait for it. */
  async release (lock: string, holder: string, ended?: Ended, commands: unknown[][] = []): Promise<void> {
    const message = ended === undefined ? [] : this.#redis.publish({ from: this.#id, ended }).slice(1)
    await this.#redis.send([...commands, ['eval', releaseScript, 1, lock, holder, ...message]])
  }

  /** The end of a call of another replica, or nothing when it is time to look again. */
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

  /** The call of another replica has ended. */
  end (ended: Ended): void {
    for (const end of [...this.#waiting.get(ended.lock) ?? []]) end(ended)
  }

  /** Ends all waiting. */
  close (): void {
    for (const waiters of this.#waiting.values()) for (const end of waiters) end(unknownEnd)
  }
}
