import type { ReadMethod } from '../contract/operations.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { CacheKey } from './cache-store.ts'
import type { CachePolicy } from './policies.ts'

type KeyContext = Pick<RequestContext, 'account' | 'revision' | 'varyBy'>

/** Returns the cache key of a request. Trailing arguments that are `undefined` are ignored. */
export function cacheKeyOf (
  operation: ReadMethod, args: readonly unknown[], { account, revision, varyBy }: KeyContext, policy: CachePolicy
): CacheKey {
  let count = args.length
  while (count > 0 && args[count - 1] === undefined) count--
  let text = operation + partOf(account)
  if (varyBy !== undefined) text += `@${varyBy.length}:${varyBy}`
  if (revision !== undefined) text += `#${revision.length}:${revision}`
  for (let index = 0; index < count; index++) text += partOf(args[index])
  return { text, operation, args, account, policy }
}

/** Returns a part of a key. The length separates parts unambiguously, because ids may contain any character. */
function partOf (value: unknown): string {
  if (value === undefined) return ' '
  return typeof value === 'string' ? ` ${value.length}:${value}` : ` ${value}`
}
