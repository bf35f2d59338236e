import { createHash } from 'node:crypto'

/** A token with its SHA-256. */
export interface DigestedToken { readonly token: string, readonly digest: string }

let known: DigestedToken | undefined

/** Returns SHA-256 of a token, for caches that must not hold tokens. */
export const digestOf = (token: string): string =>
  known?.token === token ? known.digest : createHash('sha256').update(token).digest('base64')

/**
 * Calls a function that looks up a token. Until it returns its value or promise, `digestOf` does not compute the digest
 * of this token again.
 */
export function withDigest<T> (digested: DigestedToken, call: () => T): T {
  known = digested
  try {
    return call()
  } finally {
    known = undefined
  }
}
