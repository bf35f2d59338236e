import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Track } from '../../schemas/index.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import { lruOptions } from '../options/lru-options.ts'
import { IndexBuilder } from './index-builder.ts'
import type { LibraryIndex } from './library-index.ts'

/** An item as another server describes it. */
export type Text = Readonly<Record<string, unknown>>

/** Reads the library of another server. */
export interface LibraryReader {
  /** Returns a string that changes with the library; `undefined` while the library changes. */
  version (): Promise<string | undefined>
  /** Returns the ids of the sources that a library of this version lacks. Default: none */
  missing? (version: string): readonly string[]
  /** Reads all artists, then all albums, then all tracks, without data of an account. */
  read (): AsyncIterable<{ readonly kind: LibraryKind, readonly records: readonly Text[] }>
  /** Converts a record to the item that lists are built from. */
  item (kind: LibraryKind, record: Text): LibraryItems[LibraryKind]
  /** Returns the position of a track in its album, `undefined` if the record has none. */
  place (record: Text): number | undefined
}

/** The lists of a library, and a number for the title of each track. */
export interface Listing { readonly index: LibraryIndex, readonly titles: Uint32Array }

/** Returns a 32-bit hash of a string. */
function numberOfText (text: string): number {
  let number = 0x811c9dc5
  for (let at = 0; at < text.length; at++) number = Math.imul(number ^ text.charCodeAt(at), 0x01000193)
  return number >>> 0
}

/** Builds lists from records. */
export class ListingBuilder {
  readonly #reader: LibraryReader
  readonly #builder = new IndexBuilder()
  readonly #titles: number[] = []

  constructor (reader: LibraryReader) {
    this.#reader = reader
  }

  count (kind: LibraryKind): number { return this.#builder.count(kind) }

  get counts (): Readonly<Record<LibraryKind, number>> {
    return { artists: this.count('artists'), albums: this.count('albums'), tracks: this.count('tracks') }
  }

  /** Adds a record. Returns `false` if its item has no id or a known id. */
  add (kind: LibraryKind, record: Text): boolean {
    const item = this.#reader.item(kind, record)
    const isTrack = kind === 'tracks'
    if (item.id === '' || !this.#builder.add(kind, item, isTrack ? this.#reader.place(record) : undefined)) return false
    if (isTrack) this.#titles.push(numberOfText((item as Track).title))
    return true
  }

  /** Builds the lists without blocking the event loop. */
  async build (): Promise<Listing> {
    return { index: await this.#builder.build(), titles: Uint32Array.from(this.#titles) }
  }
}

/** Two digests of strings: one independent of their order, one that includes it. */
export class Digest {
  readonly #sum = Buffer.alloc(16)
  readonly #order = createHash('md5')

  add (text: string): void {
    const digest = createHash('md5').update(text).digest()
    for (const [at, byte] of digest.entries()) this.#sum[at]! ^= byte
    this.#order.update(digest)
  }

  end (): { revision: string, order: string } {
    return { revision: this.#sum.toString('base64url'), order: this.#order.digest('base64url') }
  }
}

const listings = new WeakMap<object, LRUCache<string, WeakRef<Listing>>>()

/** Returns the listing of the same strings if one is in memory: most logins at a server see the same library. */
export function shared (store: object, order: string): Listing | undefined
/** Returns the shared listing, or registers and returns the passed listing. */
export function shared (store: object, order: string, listing: Listing): Listing
export function shared (store: object, order: string, listing?: Listing): Listing | undefined {
  const known = listings.get(store) ?? new LRUCache<string, WeakRef<Listing>>(lruOptions(1000))
  listings.set(store, known)
  const found = known.get(order)?.deref() ?? listing
  if (found !== undefined) known.set(order, new WeakRef(found))
  return found
}
