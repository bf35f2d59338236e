import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RateLimitedError, SourceError } from 'fastify-source-origin'
import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { networkOf } from './network-of.ts'
import { tellRefusal } from './tell-refusal.ts'

/** Wrong tokens and logins that an address, or an account, has in a minute. */
const most = 10
const timeWindow = 60_000
/** Addresses and accounts that are kept in memory; the oldest one is forgotten first. */
const mostKept = 20_000
/** Milliseconds that an address that has sent a right token may go on with it, whatever else it sends. */
const provenFor = 24 * 60 * 60 * 1000
/** Milliseconds that a wrong login for an account waits for its answer after too many: apps know no status for that. */
const loginDelay = 2000
/** Wrong logins that wait at once; others are answered at once, so that nobody takes up all places. */
const mostWaiting = 100
/** Milliseconds that a token waits until others of its address are looked at: a database may hang. */
const longestWait = 10_000

/** Counts what is wrong. */
export interface Tries {
  /**
   * Looks at a token or a login, unless its address has sent too many wrong ones lately: then it is not looked at,
   * right or wrong, except for what was right from there before. A wrong one that is repeated is not counted again,
   * since clients repeat what has been revoked, and who guesses does not.
   *
   * @param given what was sent; without `isSecret` the name for which it was, and each wrong one is counted
   * @param find gives `null` for a wrong one
   * @throws RateLimitedError after too many of this address; SourceError (503) for one that has waited for too long;
   * what `find` throws
   */
  look<T> (
    request: FastifyRequest, given: string, find: () => T | null | Promise<T | null>, isSecret?: boolean
  ): Promise<T | null>
  /** What was found to be right in another way is right from this address. */
  prove (request: FastifyRequest, given: string): void
  /** Waits after too many wrong logins for this account, until the client has left. */
  slowDown (request: FastifyRequest, username: string, signal: AbortSignal): Promise<void>
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
  const counters = [await createCounter(app, { cache: mostKept }, accounts)]
  if (shared !== undefined) {
    // Without an answer the counts in memory decide.
    const options = { redis: shared, nameSpace: 'source-origin-tries-', skipOnError: true }
    counters.push(await createCounter(app, options, accounts))
  }
  /** Milliseconds until another one is welcome, 0 where there were few, and whether this was one too many. */
  async function count (request: FastifyRequest, what: 'address' | 'account') {
    const found = (await Promise.all(counters.map(counter => counter[what](request))))
      .filter(limit => !limit.isAllowed).filter(({ remaining }) => remaining === 0)
    return { wait: Math.max(0, ...found.map(({ ttl }) => ttl)), isTooMany: found.some(limit => limit.isExceeded) }
  }
  const refused = new LRUCache<string, true>({ max: mostKept })
  const proven = new LRUCache<string, true>({ max: mostKept, ttl: provenFor })
  const tried = new LRUCache<string, true>({ max: mostKept, ttl: timeWindow })
  const tooMany = (network: string) => new RateLimitedError('Too many wrong tokens', {
    retryAfter: Math.max(1, Math.ceil(refused.getRemainingTTL(network) / 1000))
  })
  const keyOf = (request: FastifyRequest, given: string) => `${networkOf(request.ip)} ${hash(given)}`

  async function note (request: FastifyRequest, key: string, isSecret: boolean): Promise<null> {
    proven.delete(key)
    tellWrong(isSecret)
    if (isSecret && tried.has(key)) return null
    const { wait, isTooMany } = await count(request, 'address')
    const network = networkOf(request.ip)
    if (wait > 0) refused.set(network, true, { ttl: wait })
    if (isTooMany) throw tooMany(network)
    tried.set(key, true)
    return null
  }

  /** The end of the last look of each address: a thousand guesses at once are not all looked at before one counts. */
  const turns = new Map<string, Promise<unknown>>()
  async function inTurn<T> (network: string, run: () => Promise<T>): Promise<T> {
    const asked = performance.now()
    const turn = Promise.resolve(turns.get(network)).catch(() => {}).then(() => {
      if (performance.now() - asked > longestWait) {
        throw new SourceError(503, 'Checking the tokens of your address takes too long', { retryAfter: 5 })
      }
      return run()
    })
    turns.set(network, turn)
    try {
      return await turn
    } finally {
      if (turns.get(network) === turn) turns.delete(network)
    }
  }

  let waiting = 0
  return {
    ...shared && { ping: async () => await shared.ping() === 'PONG' },
    async look (request, given, find, isSecret = true) {
      const key = keyOf(request, given)
      const network = networkOf(request.ip)
      if (proven.has(key)) return await find() ?? await note(request, key, isSecret)
      return inTurn(network, async () => {
        if (!proven.has(key) && refused.has(network)) {
          tellWrong(isSecret)
          if (isSecret && tried.has(key)) return null
          throw tooMany(network)
        }
        const found = await find()
        if (found === null) return note(request, key, isSecret)
        proven.set(key, true)
        return found
      })
    },
    prove (request, given) {
      proven.set(keyOf(request, given), true)
    },
    async slowDown (request, username, signal) {
      // Names are as long as their senders like.
      accounts.set(request, hash(username))
      const { isTooMany } = await count(request, 'account')
      if (!isTooMany || signal.aborted || waiting >= mostWaiting) return
      waiting++
      await new Promise<void>(resolve => {
        const end = () => {
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(end, loginDelay)
        signal.addEventListener('abort', end, { once: true })
      })
      waiting--
    }
  }
}

const tellWrong = (isSecret: boolean) => tellRefusal(isSecret ? 'wrongToken' : 'wrongLogin')
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
      address: part.createRateLimit({ ...common, keyGenerator: request => networkOf(request.ip) }),
      account: part.createRateLimit({ ...common, keyGenerator: request => `account ${accounts.get(request)}` })
    }
  })
  return limits!
}
