import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { limitConcurrency } from '../async/limit-concurrency.ts'
import { sleep } from '../async/sleep.ts'
import { SourceError } from '../contract/errors.ts'
import { TooManyAttemptsError } from '../errors/too-many-attempts.ts'
import { lruOptions } from '../options/lru-options.ts'
import { isLong } from '../text/shortest-secret.ts'
import { digestOf, withDigest, type DigestedToken } from '../text/token-digest.ts'
import { withoutScheme } from '../text/without-scheme.ts'
import { countAttempts, maxEntries, timeWindow } from './count-attempts.ts'
import type { LoginLimitRedis } from './protection-options.ts'
import { networkOfRequest } from './network-of.ts'
import { publishRefusal } from './publish-refusal.ts'

/** The time in milliseconds for which an address that has sent a valid token may use it, whatever else it sends. */
const provenFor = 24 * 60 * 60 * 1000
/**
 * The delay in milliseconds of a wrong login after too many wrong logins for the account. Apps have no status for that.
 */
const loginDelay = 2000
/** The maximum number of delayed wrong logins. Further ones are not delayed, so that they cannot block all slots. */
const mostWaiting = 100
/**
 * The maximum time in milliseconds for which a token waits for other tokens of its address, because a database may
 * hang.
 */
const longestWait = 10_000

/** The limits of wrong tokens and logins. */
export interface LoginLimiter {
  /**
   * Checks a token or a login. After too many wrong ones from its address, a valid token or login is accepted only if
   * it is too long to be guessed, or if the address has used it successfully before. A repeated wrong one is not
   * counted again, because clients repeat revoked tokens, and attackers do not repeat guesses.
   *
   * @param given the secret; without `isSecret` the name of the login
   * @param find returns `null` for a wrong one. If `onlyLong` is set, it must not compare secrets that can be guessed
   * @param sent without `isSecret`, the data that identifies a repeated attempt. Default: none; each attempt is counted
   * and is rejected after too many
   * @throws TooManyAttemptsError after too many attempts of this address; SourceError (503) for an attempt that has
   * waited too long; the error of `find`
   */
  check<T> (
    request: FastifyRequest, given: string, find: (onlyLong: boolean) => T | null | Promise<T | null>,
    isSecret?: boolean, sent?: string
  ): Promise<T | null>
  /** Records that a secret from this address was verified in another way. */
  prove (request: FastifyRequest, given: string): void
  /** Waits after too many wrong logins for this account, or until the client disconnects. */
  slowDown (request: FastifyRequest, username: string, signal: AbortSignal): Promise<void>
}

/**
 * Creates limits of the attempts of an address or an account: in memory, and across all replicas with a Redis.
 *
 * @param redis the Redis in which replicas count together
 */
export async function limitLogins (app: FastifyInstance, redis?: LoginLimitRedis): Promise<LoginLimiter> {
  const { ofAddress, ofAccount } = await countAttempts(app, redis)
  const refused = new LRUCache<string, true>(lruOptions(maxEntries))
  const proven = new LRUCache<string, true>({ ...lruOptions(maxEntries), ttl: provenFor })
  const tried = new LRUCache<string, true>({ ...lruOptions(maxEntries), ttl: timeWindow })
  const tooMany = (network: string) => new TooManyAttemptsError('Too many wrong tokens', {
    retryAfterSeconds: Math.max(1, Math.ceil(refused.getRemainingTTL(network) / 1000))
  })
  /** The last token of each request. A login of `/rest` is checked again as a token. */
  const digests = new WeakMap<FastifyRequest, DigestedToken>()

  function digestFor (request: FastifyRequest, given: string): DigestedToken {
    const token = withoutScheme(given)
    const known = digests.get(request)
    if (known?.token === token) return known
    const digested = { token, digest: digestOf(token) }
    digests.set(request, digested)
    return digested
  }

  const keyOf = (request: FastifyRequest, { digest }: DigestedToken) => `${networkOfRequest(request)} ${digest}`

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
      const digested = digestFor(request, given)
      const key = keyOf(request, digested)
      const network = networkOfRequest(request)
      const sentKey = sent === given ? key : sent && `${network} sent ${digestOf(sent)}`
      const look = async () =>
        await withDigest(digested, () => find(false)) ?? await note(request, key, isSecret, sentKey)
      if (proven.has(key)) return look()
      const answer = await inTurn(network, async () => {
        // Verified by another request in the meantime. It must not block others.
        if (proven.has(key)) return look
        const isRefused = refused.has(network)
        // Long secrets cannot be guessed, and other users of this address may have a valid one.
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
      proven.set(keyOf(request, digestFor(request, given)), true)
    },
    async slowDown (request, username, signal) {
      // Names are hashed, because their length is not limited.
      const { isTooMany } = await ofAccount(request, digestOf(username))
      if (!isTooMany || signal.aborted || limitDelays.isFull()) return
      await limitDelays(() => sleep(loginDelay, signal)).catch(() => {})
    }
  }
}

/**
 * Runs checks sequentially for each address, so that a thousand concurrent guesses are not all checked before one is
 * counted.
 */
function turnsOfAddress () {
  const limit = limitConcurrency({ ofKey: 1 })
  return <T>(network: string, run: () => Promise<T>): Promise<T> => {
    const asked = performance.now()
    return limit(() => {
      if (performance.now() - asked > longestWait) {
        throw new SourceError(503, 'Checking the tokens of your address takes too long', { retryAfterSeconds: 5 })
      }
      return run()
    }, { key: network })
  }
}

/** Returns the secret part of an `Authorization` header or of a password. */
function secretOf (given: string): string {
  const [, basic] = /^basic\s+(\S+)$/i.exec(given) ?? []
  return basic === undefined ? withoutScheme(given) : Buffer.from(basic, 'base64').toString().replace(/^[^:]*:/, '')
}

const publishWrong = (isSecret: boolean) => publishRefusal(isSecret ? 'wrongToken' : 'wrongLogin')
