import { elapsed } from '../async/elapsed.ts'
import { createYield } from '../async/create-yield.ts'
import { SourceError, UnsupportedFeatureError, UpstreamError } from '../contract/errors.ts'
import type { LibraryKind } from '../contract/source-library.ts'
import { loggable } from '../errors/loggable.ts'
import type { LibraryIndex } from './library-index.ts'
import { MemoryStore, readTexts, type LibraryStore } from './library-store.ts'
import { Digest, ListingBuilder, shared, type LibraryReader, type Listing, type Text } from './listing.ts'
import { form, isOld, type Head } from './stored-head.ts'
import { pauses, Suspicion } from './suspicion.ts'

/** The maximum number of tracks of a library in memory, and of a library in a store. */
export const mostTracks = { inMemory: 20_000, stored: 300_000 }

const kinds = ['artists', 'albums', 'tracks'] as const

export interface MirrorOptions {
  /** The name of the library in the store. */
  readonly name: string
  /** The name of the server, for messages. */
  readonly title: string
  readonly store: LibraryStore | undefined
  readonly log: { warn (details: object, message: string): void } | undefined
}

interface Known extends Listing { readonly head: Head }

/** A read that ends without a new library. */
class NotReplaced extends Error {}

/**
 * The last complete read of the library of another server. Reads run in the background. A read replaces the library
 * when it is complete.
 */
export class Mirror {
  readonly #reader: LibraryReader
  readonly #options: MirrorOptions
  readonly #store: LibraryStore
  readonly #suspicion = new Suspicion()
  #known: Known | undefined
  #loading: Promise<void> | undefined
  #loadingHead: Head | undefined
  #isClosed = false
  /** Whether the server cannot be read, or has too many tracks. */
  #isRefused = false
  #hasFailed = false
  #lookedAt = -Infinity
  #looking: Promise<void> | undefined

  constructor (reader: LibraryReader, options: MirrorOptions) {
    this.#reader = reader
    this.#options = options
    this.#store = options.store ?? new MemoryStore()
  }

  /** The lists; `undefined` before the first complete read. */
  get index (): LibraryIndex | undefined { return this.#known?.index }

  /** The revision and the time of the last change. A stored library has both before its lists are in memory. */
  get head (): Pick<Head, 'revision' | 'changedAt' | 'version'> | undefined {
    return this.#known?.head ?? this.#loadingHead
  }

  /** Waits until a stored library is in memory and returns its lists. */
  async loadedIndex (): Promise<LibraryIndex | undefined> {
    await this.#loading
    return this.index
  }

  /** Whether the server has no readable library. */
  get isRefused (): boolean { return this.#isRefused }

  /** Looks for changes in the background, at most once a minute. Never rejects. */
  refresh (): Promise<void> {
    if (this.#looking !== undefined) return this.#looking
    const pause = this.#isRefused ? pauses.day : pauses.look
    if (this.#isClosed || elapsed() - this.#lookedAt < pause) return Promise.resolve()
    this.#lookedAt = elapsed()
    this.#looking = this.#look().then(() => { this.#hasFailed = false }, error => this.#fail(error))
      .finally(() => { this.#looking = undefined })
    return this.#looking
  }

  /** Returns stored records in the order of the ids of their items, `undefined` for unknown ids. */
  async records (kind: LibraryKind, ids: readonly string[]): Promise<(Text | undefined)[]> {
    await this.#loading
    if (this.#known === undefined) return ids.map(() => undefined)
    const { index, head } = this.#known
    const before = kind === 'artists' ? 0 : head.counts.artists + (kind === 'albums' ? 0 : head.counts.albums)
    const rows = ids.map(id => index.rowOf(kind, id))
    const asked = rows.filter(row => row !== undefined)
    const texts = await this.#store.read(this.#options.name, asked.map(row => before + row))
    let at = 0
    return rows.map((row, place) => {
      if (row === undefined) return undefined
      const text = texts[at++]
      const record: Text | undefined = text === undefined ? undefined : JSON.parse(text)
      // The library may have been replaced meanwhile.
      return record !== undefined && this.#reader.item(kind, record).id === ids[place] ? record : undefined
    })
  }

  async close (): Promise<void> {
    this.#isClosed = true
    await this.#looking
    if (this.#options.store === undefined) await this.#store.close()
  }

  #fail (error: unknown): void {
    this.#isRefused = this.#known === undefined && error instanceof UnsupportedFeatureError
    if (this.#hasFailed || this.#isClosed) return
    this.#hasFailed = true
    const err = loggable(error, [])
    // The stack of a server failure does not help.
    this.#warn(error instanceof SourceError ? { reason: err.message } : { err }, 'library not read')
  }

  #warn (details: object, event: string): void {
    this.#options.log?.warn({ server: this.#options.title, ...details }, event)
  }

  async #look (): Promise<void> {
    // A store that fails is treated as empty.
    this.#loading ??= this.#load().catch(error => this.#warn({ err: loggable(error, []) }, 'library not loaded'))
      .finally(() => { this.#loadingHead = undefined })
    await this.#loading
    const version = await this.#reader.version()
    if (version === undefined || this.#isClosed || this.#suspicion.isEarly) return
    const head = this.#known?.head
    if (head !== undefined && this.#lacksMore(head.version, version)) {
      throw new UpstreamError('It lacks sources that the stored library has')
    }
    if (head === undefined || head.version !== version || isOld(head)) await this.#read(version)
  }

  /** Returns whether a version lacks sources that the version before has. */
  #lacksMore (before: string, version: string): boolean {
    const missing = this.#reader.missing?.(version) ?? []
    return missing.some(id => !this.#reader.missing!(before).includes(id))
  }

  async #load (): Promise<void> {
    const { name } = this.#options
    const texts = this.#store.read(name, [-1])
    // A synchronous store is ready for the first request.
    const [last] = texts instanceof Promise ? await texts : texts
    if (last === undefined) return
    const head: Head = JSON.parse(last)
    if (head.form !== form) return
    this.#loadingHead = head
    const known = shared(this.#store, head.order)
    if (known !== undefined) {
      this.#known = { ...known, head }
      return
    }
    const builder = new ListingBuilder(this.#reader)
    const total = kinds.reduce((sum, kind) => sum + head.counts[kind], 0)
    for await (const texts of readTexts(this.#store, name, total)) {
      for (const text of texts) {
        if (text === undefined) return
        const kind = kinds.find(kind => builder.count(kind) < head.counts[kind])!
        if (!builder.add(kind, JSON.parse(text))) return
      }
    }
    this.#known = { ...shared(this.#store, head.order, await builder.build()), head }
  }

  async #read (version: string): Promise<void> {
    try {
      const read: { known?: Known } = {}
      await this.#store.replace(this.#options.name, this.#texts(version, read))
      this.#known = read.known
      this.#isRefused = false
    } catch (error) {
      if (!(error instanceof NotReplaced)) throw error
    }
  }

  async * #texts (version: string, read: { known?: Known }): AsyncGenerator<readonly string[], void, undefined> {
    const pause = createYield()
    const builder = new ListingBuilder(this.#reader)
    const digest = new Digest()
    for await (const { kind, records } of this.#reader.read()) {
      const texts: string[] = []
      for (const record of records) {
        if (!builder.add(kind, record)) continue
        const text = JSON.stringify(record)
        digest.add(text)
        texts.push(text)
        await pause()
      }
      this.#checkSize(builder.count('tracks'))
      if (this.#isClosed) throw new NotReplaced()
      if (texts.length > 0) yield texts
    }
    const listing = await builder.build()
    // A list that changes between two pages repeats and loses items.
    if (await this.#reader.version() !== version) throw new NotReplaced()
    const now = Date.now()
    const head = { form, counts: builder.counts, ...digest.end(), changedAt: now, version, readAt: now }
    const before = this.#known
    if (before?.head.revision === head.revision) {
      this.#known = { ...before, head: { ...before.head, version, readAt: now } }
      throw new NotReplaced()
    }
    this.#refuseLoss(before, listing)
    read.known = { ...shared(this.#store, head.order, listing), head }
    yield [JSON.stringify(head)]
  }

  /** @throws NotReplaced */
  #refuseLoss (before: Listing | undefined, now: Listing): void {
    const reason = this.#suspicion.refuse(before, now)
    if (reason === undefined) return
    this.#warn({ reason }, 'library not replaced')
    throw new NotReplaced()
  }

  /** @throws UnsupportedFeatureError */
  #checkSize (tracks: number): void {
    const most = this.#options.store === undefined ? mostTracks.inMemory : mostTracks.stored
    if (tracks > most) throw new UnsupportedFeatureError(`It has more than ${most} tracks`)
  }
}
