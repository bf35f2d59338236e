import type { RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withTimeout } from '../async/with-timeout.ts'
import type { LoginLimitRedis } from './protection-options.ts'
import { lacksPackage } from '../errors/lacks-package.ts'
import { networkOfRequest } from './network-of.ts'

/** The maximum number of wrong tokens and logins of an address or an account per minute. */
const maxAttempts = 10
export const timeWindow = 60_000
/** The maximum number of addresses and accounts in memory. The oldest one is removed first. */
export const maxEntries = 20_000
/** The timeout of Redis in milliseconds. */
const redisTimeout = 500

interface Count {
  /** The time in milliseconds until the next attempt is checked; 0 = below the limit. */
  readonly wait: number
  /** If `true`, this attempt exceeded the limit. */
  readonly isTooMany: boolean
}

/** Counts wrong attempts in memory, and across all replicas with a Redis. */
export interface Counts {
  ofAddress (request: FastifyRequest): Promise<Count>
  ofAccount (request: FastifyRequest, account: string): Promise<Count>
}

export async function countAttempts (app: FastifyInstance, redis: LoginLimitRedis | undefined): Promise<Counts> {
  const accounts = new WeakMap<FastifyRequest, string>()
  const counters = [await createCounter(app, { cache: maxEntries }, accounts)]
  if (redis !== undefined) {
    // Without a response, the counts in memory apply.
    counters.push(await createCounter(app, { store: storeIn(redis), skipOnError: true }, accounts))
  }
  async function count (request: FastifyRequest, what: 'address' | 'account'): Promise<Count> {
    const found = (await Promise.all(counters.map(counter => counter[what](request))))
      .filter(limit => !limit.isAllowed).filter(({ remaining }) => remaining === 0)
    // If the clock was set back, the time could be longer than the window.
    const wait = Math.min(timeWindow, Math.max(0, ...found.map(({ ttl }) => ttl)))
    return { wait, isTooMany: found.some(limit => limit.isExceeded) }
  }
  return {
    ofAddress: request => count(request, 'address'),
    ofAccount (request, account) {
      accounts.set(request, account)
      return count(request, 'account')
    }
  }
}

/** Increments a count, which expires after the window. */
const countScript = `local count = redis.call("INCR", KEYS[1])
local left = redis.call("PTTL", KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call("PEXPIRE", KEYS[1], left)
end
return { count, left }`

/** Creates a class of counters in Redis, one for each key. A counter that lost its expiry gets a new one. */
function storeIn (redis: LoginLimitRedis): NonNullable<RateLimitPluginOptions['store']> {
  return class Store {
    incr (key: string, done: (error: Error | null, result?: { current: number, ttl: number }) => void): void {
      const count = () => redis.eval(countScript, 1, `source-origin-tries-${key}`, timeWindow)
      withTimeout(count, { timeout: redisTimeout }).then(
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

/** Creates a counter that counts a request for its address, or for the account that it names. */
async function createCounter (
  app: FastifyInstance, options: RateLimitPluginOptions, accounts: WeakMap<FastifyRequest, string>
) {
  const { default: rateLimit } = await import('@fastify/rate-limit').catch(
    lacksPackage('@fastify/rate-limit', 'protection')
  )
  type Limit = ReturnType<FastifyInstance['createRateLimit']>
  let limits: { address: Limit, account: Limit }
  // @fastify/rate-limit applies to its own encapsulated context, so that it can be registered twice.
  await app.register(async function countedTries (part) {
    await part.register(rateLimit, { ...options, global: false })
    const common = { max: maxAttempts, timeWindow }
    limits = {
      address: part.createRateLimit({ ...common, keyGenerator: networkOfRequest }),
      account: part.createRateLimit({ ...common, keyGenerator: request => `account ${accounts.get(request)}` })
    }
  })
  return limits!
}
