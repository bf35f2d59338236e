import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { networkOfRequest } from './network-of.ts'

/** Wrong tokens and logins that an address or an account may send in a minute. */
const most = 10
export const timeWindow = 60_000
/** Addresses and accounts that are kept in memory; the oldest one is forgotten first. */
export const mostKept = 20_000

interface Count {
  /** Milliseconds until the next try is looked at; 0 where there were few. */
  readonly wait: number
  /** Whether this was one too many. */
  readonly isTooMany: boolean
}

/** Counts what is wrong, in memory, and over all replicas where there is a Redis. */
export interface Counts {
  ofAddress (request: FastifyRequest): Promise<Count>
  ofAccount (request: FastifyRequest, account: string): Promise<Count>
  /**
   * Asks whether the Redis answers, where there is one.
   *
   * @throws when it does not
   */
  readonly ping?: () => Promise<boolean>
}

/** @param url of a Redis; empty = none */
export async function countTries (app: FastifyInstance, url: string): Promise<Counts> {
  const accounts = new WeakMap<FastifyRequest, string>()
  const shared = url === '' ? undefined : await connect(app, url)
  const counters = [await createCounter(app, { cache: mostKept }, accounts)]
  if (shared !== undefined) {
    // Without an answer the counts in memory decide.
    counters.push(await createCounter(app, { store: storeIn(shared), skipOnError: true }, accounts))
  }
  async function count (request: FastifyRequest, what: 'address' | 'account'): Promise<Count> {
    const found = (await Promise.all(counters.map(counter => counter[what](request))))
      .filter(limit => !limit.isAllowed).filter(({ remaining }) => remaining === 0)
    // Set back, the clock would make it longer than the window.
    const wait = Math.min(timeWindow, Math.max(0, ...found.map(({ ttl }) => ttl)))
    return { wait, isTooMany: found.some(limit => limit.isExceeded) }
  }
  return {
    ...shared && { ping: async () => await shared.ping() === 'PONG' },
    ofAddress: request => count(request, 'address'),
    ofAccount (request, account) {
      accounts.set(request, account)
      return count(request, 'account')
    }
  }
}

async function connect (app: FastifyInstance, url: string): Promise<Redis> {
  const { Redis } = await import('ioredis')
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

/** Adds one, for as long as the window is. */
const countScript = `local count = redis.call("INCR", KEYS[1])
local left = redis.call("PTTL", KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call("PEXPIRE", KEYS[1], left)
end
return { count, left }`

/** Counts in Redis, each under what it is of: a count that lost its end gets one. */
function storeIn (redis: Redis): NonNullable<RateLimitPluginOptions['store']> {
  return class Store {
    incr (key: string, done: (error: Error | null, result?: { current: number, ttl: number }) => void): void {
      redis.eval(countScript, 1, `source-origin-tries-${key}`, timeWindow).then(
        result => {
          const [current, ttl] = result as [number, number]
          done(null, { current, ttl })
        },
        (error: Error) => done(error))
    }

    child (): this {
      return this
    }
  }
}

/** Counts a request for its address, or for the account that it names. */
async function createCounter (
  app: FastifyInstance, options: RateLimitPluginOptions, accounts: WeakMap<FastifyRequest, string>
) {
  type Limit = ReturnType<FastifyInstance['createRateLimit']>
  let limits: { address: Limit, account: Limit }
  // One that is registered is for its own part of the server: there are two.
  await app.register(async part => {
    await part.register(rateLimit, { ...options, global: false })
    const common = { max: most, timeWindow }
    limits = {
      address: part.createRateLimit({ ...common, keyGenerator: networkOfRequest }),
      account: part.createRateLimit({ ...common, keyGenerator: request => `account ${accounts.get(request)}` })
    }
  })
  return limits!
}
