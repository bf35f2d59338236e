import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * Compares the `Authorization` header as it came with the configured token, in constant time.
 *
 * @returns `false` for a header that is missing or no text, and for every header when no token is configured
 * (`undefined` or empty)
 */
export function tokenMatches (authorization: string | undefined, token: string | undefined): boolean {
  if (typeof authorization !== 'string' || !token) return false
  return timingSafeEqual(digest(authorization), digest(token))
}
