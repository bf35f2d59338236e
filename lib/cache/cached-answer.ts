import type { CachedAnswer } from '../contract/answer-cache.ts'
import type { KeptAnswer } from './kept-answers.ts'

const seconds = (milliseconds: number) => Math.max(0, Math.floor(milliseconds / 1000))

/**
 * A kept answer as it is sent (docs/contract.md, Caching).
 *
 * @param status instead of `hit`
 * @throws the kept 404
 */
export function cachedAnswer (kept: KeptAnswer, now: number, status?: string): CachedAnswer {
  const { operation, account, body, etag, error, freshUntil, staleUntil } = kept
  if (error !== undefined) throw error
  const cacheStatus = () => status ?? `hit; ttl=${Math.floor((freshUntil - now) / 1000)}`
  // A play URL is asked for when it is needed.
  if (operation === 'getTrackUrl') return { body, cacheControl: 'no-store', cacheStatus }
  if (account !== undefined) return { body, etag, cacheControl: 'private, no-cache', cacheStatus }
  const stale = seconds(staleUntil - Math.max(freshUntil, now))
  const afterwards = stale > 0 ? `, stale-while-revalidate=${stale}` : ''
  return { body, etag, cacheControl: `private, max-age=${seconds(freshUntil - now)}${afterwards}`, cacheStatus }
}

/** An answer that is sent once. */
export const sentOnce = (body: string, status: string): CachedAnswer =>
  ({ body, cacheControl: 'no-store', cacheStatus: () => status })
