import { LRUCache } from 'lru-cache'
import type { ReadMethod } from '../contract/operations.ts'

/**
 * An answer in the cache. Times are milliseconds of `elapsed()`; none of the later ones is before an earlier
 * one.
 */
export interface CacheEntry {
  readonly operation: ReadMethod
  readonly args: readonly unknown[]
  /** `undefined` for one that is the same for all accounts. */
  readonly account: string | undefined
  /** Bytes, or text if it is short: Node writes text together with the headers. */
  readonly body: string | Buffer
  /** Extras of its items as text. */
  readonly extras: string | undefined
  /** What stands for the ids that it was asked for by, and those of its items. */
  readonly ids: Uint32Array
  readonly etag: string
  /** A cached 404; the body is empty then. */
  readonly error: Error | undefined
  readonly createdAt: number
  readonly freshUntil: number
  readonly staleUntil: number
  readonly staleIfErrorUntil: number
  /** After a failed refresh the next one is not tried before this time. */
  retryFrom: number
}

/** Bytes that an entry takes besides its texts. */
const overhead = 600

/** The entries in memory. The least recently used ones are removed when `maxSize` is reached. */
export class CacheEntries {
  readonly #cache: LRUCache<string, CacheEntry> | undefined

  /** @param maxSize bytes; an entry above a sixteenth of it is not cached; 0 = none is cached */
  constructor (maxSize: number) {
    this.#cache = maxSize < 16
      ? undefined
      : new LRUCache({
        maxSize,
        maxEntrySize: Math.floor(maxSize / 16),
        sizeCalculation: ({ body, extras = '', ids, error }, key) => overhead + 2 * Buffer.byteLength(key) +
          ids.byteLength + Buffer.byteLength(body) + Buffer.byteLength(extras) + Buffer.byteLength(error?.message ?? '')
      })
  }

  get size (): { entries: number, bytes: number } {
    return { entries: this.#cache?.size ?? 0, bytes: this.#cache?.calculatedSize ?? 0 }
  }

  get (key: string): CacheEntry | undefined {
    return this.#cache?.get(key)
  }

  /** Replaces an older entry, which is removed even if the new one is too large. @returns whether it was added */
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

/** Copies of arguments, since a text that was cut from a URL keeps all of it in memory. */
export const ownArgs = (args: readonly unknown[]): readonly unknown[] =>
  args.map(value => typeof value === 'string' ? Buffer.from(value).toString() : value)

/** Length below which a body is cached as text. */
const shortBody = 2 ** 11

/** A body with memory of its own, since a Buffer that was cut from another one keeps all of it in memory. */
export function ownBody (body: string | Buffer): string | Buffer {
  if (body.length < shortBody) return body.toString()
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(body))
  if (typeof body === 'string') bytes.write(body)
  else body.copy(bytes)
  return bytes
}
