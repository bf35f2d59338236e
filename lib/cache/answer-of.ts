import type { CachedResponse, WrittenData } from '../source/index.ts'
import type { Result } from './cache-store.ts'
import type { CacheEntry } from './entries.ts'

const seconds = (milliseconds: number) => Math.max(0, Math.floor(milliseconds / 1000))

/**
 * Returns the response for a cache entry (docs/reference/contract.md, Caching).
 *
 * @param status instead of `hit`
 * @throws the cached 404
 */
export function answerOf (entry: CacheEntry, now: number, status?: string): CachedResponse {
  const { operation, account, body, extras, etag, error, freshUntil, staleUntil } = entry
  if (error !== undefined) throw error
  // Responses with an invalid list are never cached.
  const lacksList = false
  const cacheStatus = () => status ?? `hit; ttl=${Math.floor((freshUntil - now) / 1000)}`
  // A play URL is requested at the time of its use.
  if (operation === 'getTrackUrl') return { body, extras, cacheControl: 'no-store', lacksList, cacheStatus }
  if (account !== undefined) return { body, extras, etag, cacheControl: 'private, no-cache', lacksList, cacheStatus }
  const stale = seconds(staleUntil - Math.max(freshUntil, now))
  const afterwards = stale > 0 ? `, stale-while-revalidate=${stale}` : ''
  const cacheControl = `private, max-age=${seconds(freshUntil - now)}${afterwards}`
  return { body, extras, etag, cacheControl, lacksList, cacheStatus }
}

/** Returns the response for the result of a call. */
export const answerOfResult = (result: Result, now: number, status: string): CachedResponse =>
  'entry' in result ? answerOf(result.entry, now, status) : sentOnce(result, result.lacksList, status)

/** Returns the response for data that is not cached. The body may be written only when it is read. */
export const sentOnce = (
  answer: WrittenData, lacksList: boolean, status: string
): CachedResponse => ({
  get body () { return answer.body },
  get extras () { return answer.extras },
  data: answer.data,
  missing: answer.missing,
  cacheControl: 'no-store',
  lacksList,
  cacheStatus: () => status
})
