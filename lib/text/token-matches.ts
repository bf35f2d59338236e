import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * Compares the unchanged `Authorization` header with the configured token, in constant time.
 *
 * @returns `false` for a header that is missing or not a string, and for every header if no token is configured
 * (`undefined` or empty)
 */
export function tokenMatches (authorization: string | undefined, token: string | undefined): boolean {
  if (typeof authorization !== 'string' || !token) return false
  return timingSafeEqual(digest(authorization), digest(token))
}
