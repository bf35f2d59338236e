import { randomBytes } from 'node:crypto'
import type { CacheEntry } from './entries.ts'

/**
 * Strong ETags: the same bytes under a key keep their tag, others get one that was never given before. A client that
 * comes back after its entry was removed gets the bytes again.
 */
export class Etags {
  /** Tells apart the tags of replicas, and of this process before a restart. */
  readonly #prefix = randomBytes(9).toString('base64url')
  #count = 0

  /** @param before the entry that this body replaces */
  tagOf (body: string | Buffer, before: CacheEntry | undefined): string {
    if (before !== undefined && isSame(before.body, body) && before.etag !== '') return before.etag
    return `"${this.#prefix}${(++this.#count).toString(36)}"`
  }
}

/** A body is text or bytes by its length, so equal ones are of one kind. */
const isSame = (a: string | Buffer, b: string | Buffer): boolean =>
  typeof a === 'string' ? a === b : Buffer.isBuffer(b) && a.equals(b)
