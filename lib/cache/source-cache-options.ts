import { invalidOption, unknownOption } from '../errors/author-errors.ts'
import { isObject } from '../options/is-object.ts'
import { operations, type MutationMethod, type ReadMethod } from '../contract/operations.ts'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { didYouMean } from '../options/did-you-mean.ts'
import { aFunction, aString, hintOfDuration } from '../options/member-rules.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import type { InvalidationFilter } from '../source/index.ts'
import { defaultPolicies, type CachePolicy, type OperationPolicies, type Policies } from './policies.ts'
import { CacheStore } from './cache-store.ts'

export interface SourceCacheOptions {
  /** The scope of operations without their own scope. Default: `account`. */
  scope?: 'account' | 'public' | undefined
  /** Overrides of the default policies, by operation; `false` is scope `none`. */
  operations?: OperationPolicies | undefined
  /**
   * The maximum memory in bytes. A response above a sixteenth of it is not cached. 0 = identical calls are shared,
   * nothing is cached. Default: 64 MiB.
   */
  maxSize?: number | undefined
  /**
   * The maximum age of a response in milliseconds, including stale times. Set it if responses contain URLs that expire.
   * Default: unlimited.
   */
  maxAge?: number | undefined
  /** A cache store for all replicas: `redisStore(...)`. Default: memory only. */
  store?: CacheStore | undefined
  /** Called to check whether a mutation invalidates a response for a reason that the cache cannot detect. */
  affects?: ((
    change: { operation: MutationMethod, args: readonly unknown[] },
    answer: { operation: ReadMethod, args: readonly unknown[] }
  ) => boolean) | undefined
}

export interface ValidCacheOptions extends Pick<SourceCacheOptions, 'store' | 'affects'> {
  readonly policies: Policies
  readonly maxSize: number
  readonly maxAge: number
}

const isAmount = (value: unknown) => typeof value === 'number' && value >= 0
const time: MemberRule = { must: 'a number of milliseconds from 0', holds: isAmount, hint: hintOfDuration }
const reads = operations.filter(({ method }) => method === 'GET')

const rules = optional({
  scope: { must: '"account" or "public"', holds: value => value === 'account' || value === 'public' },
  operations: { must: 'an object of policies by operation', holds: isObject },
  maxSize: { must: 'a whole number of bytes from 0', holds: value => isAmount(value) && Number.isSafeInteger(value) },
  maxAge: time,
  store: { must: 'made by redisStore', holds: value => value instanceof CacheStore },
  affects: aFunction
} satisfies Record<keyof SourceCacheOptions, MemberRule>)
const policyRules = optional({
  scope: {
    must: '"account", "public" or "none"',
    holds: value => ['account', 'public', 'none'].includes(value as string)
  },
  ttl: {
    must: 'a number of milliseconds or a function',
    holds: value => ['number', 'function'].includes(typeof value),
    hint: hintOfDuration
  },
  staleWhileRevalidate: time,
  staleIfError: time,
  notFoundTtl: time
} satisfies Record<keyof CachePolicy, MemberRule>)

/** Validates the options and adds their defaults. */
export function validateCacheOptions (options: SourceCacheOptions): ValidCacheOptions {
  validateMembers(options, rules)
  const { scope = 'account', operations: changed = {}, maxSize = 64 * 2 ** 20, maxAge = Infinity, ...others } = options
  return { ...others, policies: mergePolicies(scope, changed), maxSize, maxAge }
}

/** Rules for the properties of a filter of `forget`. */
const filterRules = optional({
  account: aString,
  operation: {
    must: 'an operation that reads',
    holds: value => reads.some(({ adapterMethod }) => adapterMethod === value)
  },
  id: aString
} satisfies Record<keyof InvalidationFilter, MemberRule>)

/** Validates a filter, because a misspelt property would invalidate too many entries. */
export const validateFilter = (what: InvalidationFilter): void => validateMembers(what, filterRules, 'invalidate')

function mergePolicies (scope: 'account' | 'public', changed: OperationPolicies): Policies {
  const names = reads.map(({ adapterMethod }) => adapterMethod)
  const unknown = Object.keys(changed).find(name => !(names as string[]).includes(name))
  if (unknown !== undefined) throw unknownOption(`operations.${unknown}`, didYouMean(unknown, names))
  return Object.fromEntries(reads.map(({ adapterMethod, tag }) => {
    const name = adapterMethod as ReadMethod
    const { [name]: given } = changed
    const path = `operations.${name}`
    if (given !== undefined && given !== false) {
      validateMembers(given, policyRules, path)
      if (tag === 'user' && given.scope === 'public') {
        throw invalidOption(`${path}.scope`, '"account" or "none": these answers belong to one account')
      }
    }
    const byDefault = defaultPolicies[name]
    // Data of an account is never public. Play URLs are public only if their own policy says so.
    const isPublic = scope === 'public' && byDefault.scope === 'account' && tag !== 'user' && name !== 'getTrackUrl'
    const own = given === false ? { scope: 'none' } : withoutUndefined(given ?? {})
    return [name, { ...byDefault, ...isPublic && { scope }, ...own }]
  })) as unknown as Policies
}
