import { requireSync } from '../options/require-sync.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { operationOf } from '../contract/operations.ts'
import type { CacheKey } from './cache-store.ts'

/** The lifetimes of an entry in milliseconds from now. Each is at least as long as the preceding one. */
export interface Lifetime {
  readonly fresh: number
  readonly stale: number
  readonly staleIfError: number
}

/**
 * The maximum cache time of an empty list in milliseconds, so that a short failure of the upstream does not look empty
 * for long.
 */
const emptyTtl = 30_000
/** The maximum value of `max-age` (RFC 9111, 1.2.2), in milliseconds. */
const longestTtl = 2 ** 31 * 1000

/**
 * Returns the lifetimes of a response; `undefined` if it is not cached.
 *
 * @param maxAge milliseconds
 * @throws the error of a `ttl` function of the author; SOURCE_ORIGIN_ERR_INVALID_OPTION if it does not return a number
 */
export function lifetimeOf (
  { operation, policy, args }: CacheKey, data: unknown, body: string, maxAge: number
): Lifetime | undefined {
  const { ttl: given, staleWhileRevalidate, staleIfError } = policy
  const ttl = typeof given === 'function' ? requireSync('ttl', given(data as never, args as never)) : given
  if (typeof ttl !== 'number') throw invalidOption('ttl', 'a function that returns a number of milliseconds')
  if (!(ttl > 0)) return undefined
  const isPage = operationOf(operation).parameters.includes('limit')
  const isEmpty = isPage ? body.includes('"items":[]') : body.startsWith('{"code":200,"data":[]')
  const limit = (time: number) => Math.min(time, isEmpty ? emptyTtl : longestTtl, maxAge)
  return isEmpty
    ? { fresh: limit(ttl), stale: limit(ttl), staleIfError: limit(ttl) }
    : { fresh: limit(ttl), stale: limit(ttl + staleWhileRevalidate), staleIfError: limit(ttl + staleIfError) }
}
