import { isObject } from '../../options/is-object.ts'
import { keptArgs, keptBody, type KeptAnswer } from '../kept-answers.ts'
import { notFound } from '../read-failure.ts'
import type { Place } from '../shared-store.ts'
import { NotFoundError } from '../../contract/errors.ts'

/** Milliseconds that anything is in Redis at most. */
export const longest = 30 * 86_400_000

/** A clock that all replicas share, and ours at the same moment: milliseconds. */
export interface Clocks {
  readonly shared: number
  readonly own: number
}

const times = ['born', 'freshUntil', 'staleUntil', 'staleIfErrorUntil'] as const
const newline = 10

/**
 * An answer as it is stored: a line of JSON, then the body as bytes.
 *
 * @param seen marks of the last news when the call began: later ones may have made the answer old
 */
export function writeAnswer (
  kept: KeptAnswer, key: string, seen: readonly string[], { shared, own }: Clocks
): Buffer {
  const { body, etag, error } = kept
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const inShared = (time: number) => shared + Math.min(time - own, longest)
  const { message, code } = Object(error)
  const head = {
    key,
    seen,
    etag,
    length: bytes.length,
    times: times.map(name => inShared(kept[name])),
    ...error && { missing: { message, code, isOurs: error instanceof NotFoundError } }
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes])
}

/** Milliseconds that a written answer is worth its place. */
export const lifeOf = ({ staleUntil, staleIfErrorUntil }: KeptAnswer, own: number): number =>
  Math.ceil(Math.min(Math.max(staleUntil, staleIfErrorUntil) - own, longest))

/** What was stored, and the marks of the news before; `undefined` for what is not ours or is damaged. */
export function readAnswer (
  stored: unknown, { key, operation, args, account }: Place, { shared, own }: Clocks
): { kept: KeptAnswer, seen: readonly unknown[] } | undefined {
  if (!Buffer.isBuffer(stored)) return undefined
  const end = stored.indexOf(newline)
  const head = parse(stored.subarray(0, Math.max(end, 0)).toString())
  if (!isObject(head) || head.key !== key || head.length !== stored.length - end - 1) return undefined
  const { seen, etag, times, missing } = head
  if (!Array.isArray(seen) || typeof etag !== 'string' || !isTimes(times)) return undefined
  const body = keptBody(stored.subarray(end + 1))
  const [born, freshUntil, staleUntil, staleIfErrorUntil] =
    times.map(time => own + time - shared) as [number, number, number, number]
  const { message, code, isOurs } = Object(missing)
  const error = missing === undefined
    ? undefined
    : notFound(isOurs === true ? new NotFoundError() : undefined, String(message), code)
  const ownTimes = { born, freshUntil, staleUntil, staleIfErrorUntil, retryFrom: 0 }
  return { seen, kept: { operation, args: keptArgs(args), account, body, etag, error, ...ownTimes } }
}

const isTimes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length === times.length && value.every(time => typeof time === 'number')

export function parse (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
