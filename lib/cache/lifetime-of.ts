import { atOnce } from '../options/at-once.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { operationOf } from '../contract/operations.ts'
import type { CacheKey } from './cache-store.ts'

/** Milliseconds from now. None is less than the one before. */
export interface Lifetime {
  readonly fresh: number
  readonly stale: number
  readonly staleIfError: number
}

/** Seconds that an empty list is kept: an upstream that hiccups must not look empty for long. */
const emptyTtl = 30
/** The most seconds that `max-age` can say (RFC 9111, 1.2.2). */
const longestTtl = 2 ** 31

/**
 * How long an answer is kept; `undefined` if it is not.
 *
 * @param maxAge seconds
 * @throws what a `ttl` of the author throws; SOURCE_ORIGIN_ERR_INVALID_OPTION for one that gives no number
 */
export function lifetimeOf (
  { operation, policy, args }: CacheKey, data: unknown, body: string, maxAge: number
): Lifetime | undefined {
  const { ttl: given, staleWhileRevalidate, staleIfError } = policy
  const ttl = typeof given === 'function' ? atOnce('ttl', given(data as never, args as never)) : given
  if (typeof ttl !== 'number') throw invalidOption('ttl', 'a function that gives a number of seconds')
  if (!(ttl > 0)) return undefined
  const isPage = operationOf(operation).parameters.includes('limit')
  const isEmpty = isPage ? body.includes('"items":[]') : body.startsWith('{"code":200,"data":[]')
  const limit = (seconds: number) => Math.min(seconds, isEmpty ? emptyTtl : longestTtl, maxAge) * 1000
  return isEmpty
    ? { fresh: limit(ttl), stale: limit(ttl), staleIfError: limit(ttl) }
    : { fresh: limit(ttl), stale: limit(ttl + staleWhileRevalidate), staleIfError: limit(ttl + staleIfError) }
}
