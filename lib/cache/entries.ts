import { LRUCache } from 'lru-cache'
import type { ReadMethod } from '../contract/operations.ts'

/** A response in the cache. Times are milliseconds of `elapsed()`, in ascending order. */
export interface CacheEntry {
  readonly operation: ReadMethod
  readonly args: readonly unknown[]
  /** `undefined` for a response that is the same for all accounts. */
  readonly account: string | undefined
  /** Bytes, or a string if it is short: Node writes a string together with the headers. */
  readonly body: string | Buffer
  /** The extras of the items as a string. */
  readonly extras: string | undefined
  /** The hashes of the requested ids and of the ids of its items. */
  readonly ids: Uint32Array
  readonly etag: string
  /** A cached 404; the body is then empty. */
  readonly error: Error | undefined
  readonly createdAt: number
  readonly freshUntil: number
  readonly staleUntil: number
  readonly staleIfErrorUntil: number
  /** The earliest time of the next refresh after a failed one. */
  retryFrom: number
}

/** The size of an entry in bytes besides its strings. */
const overhead = 600

/** The entries in memory. The least recently used ones are removed when `maxSize` is reached. */
export class CacheEntries {
  readonly #cache: LRUCache<string, CacheEntry> | undefined

  /** @param maxSize bytes; an entry above a sixteenth of it is not cached; 0 = nothing is cached */
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

/** Returns copies of arguments. A string that was cut from a URL would retain the complete URL in memory. */
export const ownArgs = (args: readonly unknown[]): readonly unknown[] =>
  args.map(value => typeof value === 'string' ? Buffer.from(value).toString() : value)

/** The length below which a body is cached as a string. */
const shortBody = 2 ** 11

/** Returns a body with its own memory. A Buffer that was cut from another one would retain all of it in memory. */
export function ownBody (body: string | Buffer): string | Buffer {
  if (body.length < shortBody) return body.toString()
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(body))
  if (typeof body === 'string') bytes.write(body)
  else body.copy(bytes)
  return bytes
}
