import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RateLimitedError } from 'fastify-source-origin'
import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'

/** Wrong tokens and logins that an address, or an account, has in a minute. */
const most = 10
const timeWindow = 60_000
/** Addresses and accounts that are kept in memory; the oldest one is forgotten first. */
const mostKept = 20_000
/** Milliseconds that a wrong login waits for its answer after too many: apps know no status for that. */
const loginDelay = 2000
/** Wrong logins that wait at once; others are answered at once, so that nobody takes up all places. */
const mostWaiting = 100

/** Counts what is wrong. What is right is never asked about. */
export interface Tries {
  /**
   * A token that the address has tried in the last minute is not counted again: clients repeat one that has been
   * revoked, and who guesses does not.
   *
   * @throws RateLimitedError after too many of this address
   */
  wrongToken (request: FastifyRequest, authorization: string): Promise<void>
  /** Waits after too many of this address, or for this account. */
  wrongLogin (request: FastifyRequest, username: string | undefined): Promise<void>
  /**
   * Asks whether the Redis answers, where there is one.
   *
   * @throws when it does not
   */
  readonly ping?: () => Promise<boolean>
}

/**
 * Limits how often an address or an account tries: in memory, and over all replicas where there is a Redis.
 *
 * @param url of a Redis; empty = none
 */
export async function limitTries (app: FastifyInstance, url = ''): Promise<Tries> {
  const accounts = new WeakMap<FastifyRequest, string>()
  const shared = url === '' ? undefined : connect(app, url)
  const inMemory = await createCounter(app, { cache: mostKept }, accounts)
  const counters = [inMemory]
  if (shared !== undefined) {
    // Without an answer the counts in memory decide.
    const options = { redis: shared, nameSpace: 'source-origin-tries-', skipOnError: true }
    counters.push(await createCounter(app, options, accounts))
  }
  /** Seconds until the next one is welcome; `undefined` where there were few. */
  async function count (request: FastifyRequest): Promise<number | undefined> {
    const counts = (await Promise.all(counters.map(counter => counter(request)))).flat()
    const waits = counts.map(found => !found.isAllowed && found.isExceeded ? found.ttlInSeconds : 0)
    const longest = Math.max(...waits)
    return longest === 0 ? undefined : longest
  }
  let waiting = 0
  const tried = new LRUCache<string, true>({ max: mostKept, ttl: timeWindow })

  return {
    ...shared && { ping: async () => await shared.ping() === 'PONG' },
    async wrongToken (request, authorization) {
      const guess = `${request.ip} ${hash(authorization)}`
      if (tried.has(guess)) return
      tried.set(guess, true)
      const retryAfter = await count(request)
      if (retryAfter === undefined) return
      tried.delete(guess)
      throw new RateLimitedError('Too many wrong tokens', { retryAfter })
    },
    async wrongLogin (request, username) {
      // Names are as long as their senders like.
      if (username !== undefined) accounts.set(request, hash(username))
      if (await count(request) === undefined || waiting >= mostWaiting) return
      waiting++
      await new Promise(resolve => setTimeout(resolve, loginDelay))
      waiting--
    }
  }
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64')

function connect (app: FastifyInstance, url: string): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 500 })
  let isTold = false
  redis.on('error', ({ message }) => {
    if (!isTold) app.log.warn(`Redis: ${message}`)
    isTold = true
  })
  redis.on('ready', () => { isTold = false })
  app.addHook('onClose', async () => redis.disconnect())
  return redis
}

/** Counts a request for its address, and for the account that it names. */
async function createCounter (
  app: FastifyInstance, options: RateLimitPluginOptions, accounts: WeakMap<FastifyRequest, string>
) {
  let limits: ReturnType<FastifyInstance['createRateLimit']>[] = []
  // One that is registered is for its own part of the server: there are two.
  await app.register(async part => {
    await part.register(rateLimit, { ...options, global: false })
    const common = { max: most, timeWindow }
    limits = [
      part.createRateLimit({ ...common, ipv6Subnet: 64 }),
      part.createRateLimit({ ...common, keyGenerator: request => `account ${accounts.get(request)}` })
    ]
  })
  return (request: FastifyRequest) =>
    Promise.all(limits.slice(0, accounts.has(request) ? 2 : 1).map(limit => limit(request)))
}
