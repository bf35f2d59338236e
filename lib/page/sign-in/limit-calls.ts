import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { RateLimitedError } from '../../contract/errors.ts'
import { lruOptions } from '../../options/lru-options.ts'

const timeWindow = 60_000

/** Creates a limit of the calls of an address per minute. @throws RateLimitedError after too many */
export function limitCalls (most: number): (request: FastifyRequest) => void {
  const counts = new LRUCache<string, { calls: number }>({ ...lruOptions(10_000), ttl: timeWindow })
  return ({ ip }) => {
    const count = counts.get(ip) ?? { calls: 0 }
    if (count.calls === 0) counts.set(ip, count)
    if (++count.calls > most) {
      const retryAfterSeconds = Math.max(1, Math.ceil(counts.getRemainingTTL(ip) / 1000))
      throw new RateLimitedError('Too many requests', { retryAfterSeconds })
    }
  }
}
