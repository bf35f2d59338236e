import { createHash } from 'node:crypto'

/**
 * Returns a strong ETag: equal bytes have the same ETag, on every replica and after a restart. With 144 bits, different
 * bytes have different ETags in practice.
 */
export const etagOf = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 24)}"`
