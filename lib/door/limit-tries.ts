import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { limitConcurrency } from '../async/limit-concurrency.ts'
import { sleep } from '../async/sleep.ts'
import { RateLimitedError, SourceError } from '../contract/errors.ts'
import { atMost } from '../options/at-most.ts'
import { isLong } from '../text/shortest-secret.ts'
import { withoutScheme } from '../text/without-scheme.ts'
import { countTries, mostKept, timeWindow } from './count-tries.ts'
import type { TriesRedis } from './door-options.ts'
import { networkOfRequest } from './network-of.ts'
import { publishRefusal } from './publish-refusal.ts'

/** Milliseconds that an address that has sent a right token may go on with it, whatever else it sends. */
const provenFor = 24 * 60 * 60 * 1000
/** Milliseconds that a wrong login for an account waits for its answer after too many: apps know no status for that. */
const loginDelay = 2000
/** Wrong logins that wait at once; others are answered at once, so that nobody takes up all places. */
const mostWaiting = 100
/** Milliseconds that a token waits until others of its address are looked at: a database may hang. */
const longestWait = 10_000

/** Limits what is wrong. */
export interface Tries {
  /**
   * Looks at a token or a login. After too many wrong ones from its address, only a right one is let in that is too
   * long to be guessed, or that was right from there before. A wrong one that
   * is repeated is not counted again, since clients repeat what has been revoked, and who guesses does not.
   *
   * @param given what was sent; without `isSecret` the name for which it was
   * @param find gives `null` for a wrong one; `onlyLong`: secrets that can be guessed are not to be compared
   * @param sent without `isSecret` what was sent, which is the same when it is repeated. Default: none, each one counts
   * and is refused after too many
   * @throws RateLimitedError after too many of this address; SourceError (503) for one that has waited for too long;
   * what `find` throws
   */
  check<T> (
    request: FastifyRequest, given: string, find: (onlyLong: boolean) => T | null | Promise<T | null>,
    isSecret?: boolean, sent?: string
  ): Promise<T | null>
  /** What was found to be right in another way is right from this address. */
  prove (request: FastifyRequest, given: string): void
  /** Waits after too many wrong logins for this account, until the client has left. */
  slowDown (request: FastifyRequest, username: string, signal: AbortSignal): Promise<void>
}

/**
 * Limits how often an address or an account tries: in memory, and over all replicas where there is a Redis.
 *
 * @param redis in which replicas count together
 */
export async function limitTries (app: FastifyInstance, redis?: TriesRedis): Promise<Tries> {
  const { ofAddress, ofAccount } = await countTries(app, redis)
  const refused = new LRUCache<string, true>(atMost(mostKept))
  const proven = new LRUCache<string, true>({ ...atMost(mostKept), ttl: provenFor })
  const tried = new LRUCache<string, true>({ ...atMost(mostKept), ttl: timeWindow })
  const tooMany = (network: string) => new RateLimitedError('Too many wrong tokens', {
    retryAfter: Math.max(1, Math.ceil(refused.getRemainingTTL(network) / 1000))
  })
  /** The one of a request that was made last: what logs in to `/rest` is looked at again as its token. */
  const keys = new WeakMap<FastifyRequest, { readonly given: string, readonly key: string }>()

  function keyOf (request: FastifyRequest, given: string): string {
    const known = keys.get(request)
    if (known?.given === given) return known.key
    const key = `${networkOfRequest(request)} ${hash(given)}`
    keys.set(request, { given, key })
    return key
  }

  async function note (request: FastifyRequest, key: string, isSecret: boolean, sentKey?: string): Promise<null> {
    proven.delete(key)
    publishWrong(isSecret)
    if (sentKey !== undefined && tried.has(sentKey)) return null
    const { wait, isTooMany } = await ofAddress(request)
    const network = networkOfRequest(request)
    if (wait > 0) refused.set(network, true, { ttl: wait })
    if (isTooMany) throw tooMany(network)
    if (sentKey !== undefined) tried.set(sentKey, true)
    return null
  }

  const inTurn = turnsOfAddress()
  const limitDelays = limitConcurrency({ inAll: mostWaiting })
  return {
    async check (request, given, find, isSecret = true, sent = isSecret ? given : undefined) {
      const key = keyOf(request, given)
      const network = networkOfRequest(request)
      const sentKey = sent === given ? key : sent && `${network} sent ${hash(sent)}`
      const look = async () => await find(false) ?? await note(request, key, isSecret, sentKey)
      if (proven.has(key)) return look()
      const answer = await inTurn(network, async () => {
        // Found to be right while it waited: it does not hold up others.
        if (proven.has(key)) return look
        const isRefused = refused.has(network)
        // Who guesses learns nothing by long ones, and whoever else is at this address has one that is right.
        const canGuess = isSecret ? !isLong(secretOf(given)) : sent === undefined
        const found = !isRefused ? await look() : canGuess ? null : await find(true)
        if (isRefused && found === null) {
          publishWrong(isSecret)
          if (sentKey !== undefined && tried.has(sentKey)) return () => null
          throw tooMany(network)
        }
        if (found !== null) proven.set(key, true)
        return () => found
      })
      return answer()
    },
    prove (request, given) {
      proven.set(keyOf(request, given), true)
    },
    async slowDown (request, username, signal) {
      // Names are as long as their senders like.
      const { isTooMany } = await ofAccount(request, hash(username))
      if (!isTooMany || signal.aborted || limitDelays.isFull()) return
      await limitDelays(() => sleep(loginDelay, signal)).catch(() => {})
    }
  }
}

/** Looks one after the other for each address: a thousand guesses at once are not all looked at before one counts. */
function turnsOfAddress () {
  const limit = limitConcurrency({ ofKey: 1 })
  return <T>(network: string, run: () => Promise<T>): Promise<T> => {
    const asked = performance.now()
    return limit(() => {
      if (performance.now() - asked > longestWait) {
        throw new SourceError(503, 'Checking the tokens of your address takes too long', { retryAfter: 5 })
      }
      return run()
    }, { key: network })
  }
}

/** What has to be guessed of an `Authorization` header, or of a password. */
function secretOf (given: string): string {
  const [, basic] = /^basic\s+(\S+)$/i.exec(given) ?? []
  return basic === undefined ? withoutScheme(given) : Buffer.from(basic, 'base64').toString().replace(/^[^:]*:/, '')
}

const publishWrong = (isSecret: boolean) => publishRefusal(isSecret ? 'wrongToken' : 'wrongLogin')
const hash = (text: string) => createHash('sha256').update(text).digest('base64')
