import { LRUCache } from 'lru-cache'
import type { ReadMethod } from '../contract/operations.ts'

/**
 * An answer that is kept. Times are milliseconds of `elapsed()`; none of the later ones is before an earlier
 * one.
 */
export interface CacheEntry {
  readonly operation: ReadMethod
  readonly args: readonly unknown[]
  /** `undefined` for one that is the same for all accounts. */
  readonly account: string | undefined
  /** Bytes, or text if it is short: Node writes text together with the headers. */
  readonly body: string | Buffer
  readonly etag: string
  /** A kept 404; the body is empty then. */
  readonly error: Error | undefined
  readonly createdAt: number
  readonly freshUntil: number
  readonly staleUntil: number
  readonly staleIfErrorUntil: number
  /** After a failed refresh no other is tried before. */
  retryFrom: number
}

/** Bytes that an entry takes besides its texts. */
const overhead = 600

/** The entries in memory: the least recently used ones go when there is no room. */
export class CacheEntries {
  readonly #cache: LRUCache<string, CacheEntry> | undefined

  /** @param maxSize bytes; an entry above a sixteenth of it is not kept; 0 = none is kept */
  constructor (maxSize: number) {
    this.#cache = maxSize < 16
      ? undefined
      : new LRUCache({
        maxSize,
        maxEntrySize: Math.floor(maxSize / 16),
        // Counting the bytes of the key also makes V8 join its pieces, which take more memory.
        sizeCalculation: ({ body, error }, key) =>
          Buffer.byteLength(body) + Buffer.byteLength(error?.message ?? '') + 2 * Buffer.byteLength(key) + overhead
      })
  }

  get size (): { entries: number, bytes: number } {
    return { entries: this.#cache?.size ?? 0, bytes: this.#cache?.calculatedSize ?? 0 }
  }

  get (key: string): CacheEntry | undefined {
    return this.#cache?.get(key)
  }

  /** Takes the place of an older entry, which is removed even if there is no room. @returns whether there is */
  set (key: string, entry: CacheEntry): boolean {
    return this.#cache?.set(key, entry).has(key) ?? false
  }

  delete (key: string): void {
    this.#cache?.delete(key)
  }

  /** Removes the entries that match. */
  removeWhere (matches: (entry: CacheEntry) => boolean): void {
    if (this.#cache === undefined) return
    for (const [key, entry] of [...this.#cache.entries()]) if (matches(entry)) this.#cache.delete(key)
  }
}

/** Arguments as they are kept: a text that was cut from a URL holds on to all of it. */
export const keptArgs = (args: readonly unknown[]): readonly unknown[] =>
  args.map(value => typeof value === 'string' ? Buffer.from(value).toString() : value)

/** Length below which a body is kept as text. */
const shortBody = 2 ** 11

/** A body as it is kept. Its bytes have memory of their own: a Buffer cut from another one holds on to all of it. */
export function keptBody (body: string | Buffer): string | Buffer {
  if (body.length < shortBody) return body.toString()
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(body))
  if (typeof body === 'string') bytes.write(body)
  else body.copy(bytes)
  return bytes
}
