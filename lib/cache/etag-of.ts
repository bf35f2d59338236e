import { createHash } from 'node:crypto'

/**
 * A strong ETag: the same bytes have the same one, on every replica and after a restart. Its 144 bits are enough that
 * others have another one.
 */
export const etagOf = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 24)}"`
