import { isObject } from '../../options/is-object.ts'
import { ownArgs, ownBody, type CacheEntry } from '../entries.ts'
import { notFound } from '../classify-error.ts'
import { etagOf } from '../etag-of.ts'
import { idsIn } from '../ids-in.ts'
import type { CacheKey } from '../cache-store.ts'
import { NotFoundError } from '../../contract/errors.ts'

/** The maximum lifetime of data in Redis, in milliseconds. */
export const longest = 30 * 86_400_000

/** The clock shared by all replicas and the clock of this process at the same moment, in milliseconds. */
export interface Clocks {
  readonly shared: number
  readonly own: number
}

const times = ['createdAt', 'freshUntil', 'staleUntil', 'staleIfErrorUntil'] as const
const newline = 10

/**
 * Serializes an entry: a line of JSON, then the body as bytes.
 *
 * @param seen identifiers of the last invalidations when the call began: later ones may invalidate the entry
 */
export function writeEntry (
  entry: CacheEntry, key: string, seen: readonly string[], { shared, own }: Clocks
): Buffer {
  const { body, extras, etag, error } = entry
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const inShared = (time: number) => shared + Math.min(time - own, longest)
  const { message, code } = Object(error)
  const head = {
    key,
    seen,
    etag,
    length: bytes.length,
    ...extras !== undefined && { extras, extrasTag: etagOf(extras) },
    times: times.map(name => inShared(entry[name])),
    ...error && { missing: { message, code, isOurs: error instanceof NotFoundError } }
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes])
}

/** Returns the time in milliseconds for which a stored entry can be used. */
export const lifeOf = ({ staleUntil, staleIfErrorUntil }: CacheEntry, own: number): number =>
  Math.ceil(Math.min(Math.max(staleUntil, staleIfErrorUntil) - own, longest))

/**
 * Parses a stored entry and the identifiers of the preceding invalidations; returns `undefined` for damaged or unknown
 * data.
 */
export function readEntry (
  stored: unknown, { text, operation, args, account }: CacheKey, { shared, own }: Clocks
): { entry: CacheEntry, seen: readonly unknown[] } | undefined {
  if (!Buffer.isBuffer(stored)) return undefined
  const end = stored.indexOf(newline)
  const head = parse(stored.subarray(0, Math.max(end, 0)).toString())
  if (!isObject(head) || head.key !== text || head.length !== stored.length - end - 1) return undefined
  const { seen, etag, times, missing, extras, extrasTag } = head
  const bytes = stored.subarray(end + 1)
  // The ETag is a hash of the body, or empty for an empty body. It reveals damaged bytes.
  if (etag !== (missing === undefined ? etagOf(bytes) : '') || !isMissing(missing)) return undefined
  if (!isExtras(extras, extrasTag)) return undefined
  if (!Array.isArray(seen) || !isTimes(times, shared)) return undefined
  const body = ownBody(bytes)
  const [createdAt, freshUntil, staleUntil, staleIfErrorUntil] =
    times.map(time => own + time - shared) as [number, number, number, number]
  const error = missing &&
    notFound(missing.isOurs === true ? new NotFoundError() : undefined, missing.message, missing.code)
  const ownTimes = { createdAt, freshUntil, staleUntil, staleIfErrorUntil, retryFrom: 0 }
  const ids = idsIn(args, body)
  return { seen, entry: { operation, args: ownArgs(args), account, body, extras, ids, etag, error, ...ownTimes } }
}

interface Missing { readonly message: string, readonly code?: unknown, readonly isOurs?: unknown }

const isMissing = (value: unknown): value is Missing | undefined =>
  value === undefined || (isObject(value) && typeof value.message === 'string')

const isExtras = (extras: unknown, tag: unknown): extras is string | undefined =>
  extras === undefined || (typeof extras === 'string' && etagOf(extras) === tag)

const isTimes = (value: unknown, now: number): value is number[] =>
  Array.isArray(value) && value.length === times.length &&
  value.every(time => typeof time === 'number' && Math.abs(time - now) <= longest)

export function parse (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
