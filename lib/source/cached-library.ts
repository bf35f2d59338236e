import { types } from 'node:util'
import { LRUCache } from 'lru-cache'
import { extras } from '../../schemas/extras.ts'
import { IdList } from '../async/id-list.ts'
import type { Yield } from '../async/create-yield.ts'
import { discard } from '../async/unawaited.ts'
import type {
  LibraryFacets, LibraryItems, LibraryKind, LibraryQuery, RandomIds, SourceLibrary
} from '../contract/source-library.ts'
import type { RequestContext } from '../contract/source-context.ts'
import {
  completes, missingSources, onDemand, playable, prepare, unavailable, type OrderedLibrary
} from '../contract/ordered-library.ts'
import type { ReadMethod } from '../contract/operations.ts'
import { sample } from '../async/sample.ts'
import { wordsOf } from './contract-error.ts'

/** The number of items per call of `library.items`. */
const itemsAtATime = 200
/** The maximum size of cached id lists in bytes. The least recently used lists are removed first. */
const mostKept = 2 ** 25
const played = ['plays', 'played']

/** A cache of id lists. The key contains the account or its absence, the revision of the library and the query. */
export class IdCache {
  readonly #lists = new LRUCache<string, { list: IdList, size: number }>({
    maxSize: mostKept, sizeCalculation: ({ size }) => Math.min(size, mostKept)
  })

  /** @param make reads the list from the source; concurrent requests for the same key share one read */
  get (key: string, make: () => IdList): IdList {
    const kept = this.#lists.get(key)
    const list = kept?.list ?? make()
    const keep = () => { this.#lists.set(key, { list, size: list.bytes }) }
    keep()
    if (kept === undefined) list.ended.then(keep, () => this.#lists.delete(key))
    return list
  }
}

/**
 * @param from the call that returned the ids, for messages
 * @throws TypeError
 */
function idsIn (given: unknown, from: string): readonly string[] {
  if (!Array.isArray(given)) throw new TypeError(`${from} must return an array of ids, got ${wordsOf(given)}`)
  const wrong = given.findIndex(id => typeof id !== 'string')
  if (wrong === -1) return given
  throw new TypeError(`${from} must return an array of ids, got ${wordsOf(given[wrong])} at index ${wrong}`)
}

const isInParts = (given: unknown): given is AsyncIterable<unknown> =>
  typeof (given as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] === 'function'

/** The operations that return lists of the kinds. */
export const itemLists = { artists: 'userArtists', albums: 'userAlbums', tracks: 'userFavoriteTracks' } as const

/** Returns why a value cannot be used as the library of an adapter; `undefined` for a library. */
export function libraryFault (library: unknown): string | undefined {
  if (typeof library !== 'object' || library === null || types.isPromise(library)) {
    return `library of the adapter must be an object, got ${wordsOf(library)}`
  }
  const missing = (['ids', 'items', 'facets'] as const)
    .filter(name => typeof (library as Partial<SourceLibrary>)[name] !== 'function')
  return missing.length === 0 ? undefined : `library of the adapter lacks the method ${missing.join(', ')}`
}

/** The functions and values that a library needs for its calls. */
interface LibraryAsker {
  readonly context: RequestContext
  readonly signal: AbortSignal
  readonly kept: IdCache
  /** Calls the library within the time limit. */
  run<T> (call: () => T | Promise<T>): Promise<T>
  /** Yields to the event loop. */
  readonly pause: Yield
  /** Marks the call as shared: other requests wait for its result. */
  share (): void
  /** Adds the ids of sources that are missing from lists to the response headers. */
  tellPartial (missing: readonly string[]): void
  /** Returns a list that conforms to the contract. `from` names its origin for messages. */
  usable (method: ReadMethod, list: readonly unknown[], from: string): readonly unknown[]
  usableFacets (facets: unknown, from: string): LibraryFacets
}

/** The library of a source for one request: applies the time limit and the schemas of the contract. */
export class CachedLibrary {
  readonly #library: OrderedLibrary
  readonly #session: LibraryAsker
  /** Items that the library returned without extras. It has no more data of them. */
  readonly #bare = new WeakSet<object>()

  constructor (library: SourceLibrary, session: LibraryAsker) {
    this.#library = library
    this.#session = session
  }

  get revision (): string { return this.#library.revision }

  get changedAt (): number { return this.#library.changedAt }

  /** The ids of the sources that are not part of the library yet. */
  get missing (): readonly string[] { return this.#library[missingSources] ?? [] }

  /** Prepares lists, and reports the sources that are not part of the library yet in the response. */
  async prepare (): Promise<void> {
    await this.#library[prepare]?.()
    this.#session.tellPartial(this.missing)
  }

  /** The ids of the sources that are unavailable now; `undefined` for a single source. */
  get unavailable (): readonly string[] | undefined { return this.#library[unavailable]?.() }

  /**
   * Returns the ids of all items of a query. The list must not be changed.
   *
   * @throws the error of the source; TypeError if the result is not a list of ids
   */
  ids (query: LibraryQuery): Promise<readonly string[]> { return this.list(query).whole }

  /** Returns the id list of a query, of which further parts may still arrive. */
  list (query: LibraryQuery): IdList {
    const { context: { stateless, account, varyBy }, kept } = this.#session
    const isOnDemand = this.#library[onDemand] === true
    // A later request may continue the read.
    if (isOnDemand) this.#session.share()
    const make = () => new IdList(this.#parts(query), isOnDemand)
    // Without an account the list has no owner, so it is not cached. Lists by plays change with each play.
    if ((account === undefined && !stateless) || played.includes(query.sort!)) return make()
    this.#session.share()
    const name = [stateless ? null : account, varyBy, this.revision, query]
    return kept.get(JSON.stringify(name), make)
  }

  /** Chooses at most `count` random ids of a query, without items that cannot be played now. */
  async random (query: LibraryQuery, count: number): Promise<RandomIds> {
    const given: Partial<RandomIds> | undefined =
      await this.#ask(signal => this.#library.randomIds?.(query, count, { signal }))
    if (given !== undefined) {
      const { ids, total = NaN } = Object(given) as Partial<RandomIds>
      if (Number.isFinite(total)) return { ids: idsIn(ids, 'library.randomIds'), total }
      throw new TypeError(`library.randomIds must return { ids, total }, got ${wordsOf(given)}`)
    }
    const ids = await this.ids(query)
    return { ids: sample(ids, count, id => this.#library[playable]?.(id) ?? true), total: ids.length }
  }

  async * #parts (query: LibraryQuery): AsyncGenerator<readonly string[], void, undefined> {
    const given: unknown = await this.#ask(signal => this.#library.ids(query, { signal }))
    const from = `library.ids(${JSON.stringify(query)})`
    if (!isInParts(given)) return yield idsIn(given, from)
    const parts = given[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await this.#ask(() => parts.next())
        if (done) return
        yield idsIn(value, `each part of ${from}`)
        await this.#session.pause()
      }
    } finally {
      // The iterator did not reach its end. Its `return` is not awaited, because it may hang.
      discard(parts.return?.())
    }
  }

  /** Returns the ids that have changed, with their current ids. */
  async currentIds (kind: LibraryKind, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0 || this.#library.currentIds === undefined) return new Map()
    const given: unknown = await this.#ask(signal => this.#library.currentIds!(kind, ids, { signal }))
    if (types.isMap(given)) return given as ReadonlyMap<string, string>
    throw new TypeError(`library.currentIds must return a Map, got ${wordsOf(given)}`)
  }

  async facets (kind: LibraryKind): Promise<LibraryFacets> {
    const given: unknown = await this.#ask(signal => this.#library.facets(kind, { signal }))
    return this.#session.usableFacets(given, `library.facets('${kind}')`)
  }

  /** Returns the items with these ids, in the same order; `undefined` for a deleted item. */
  async items<K extends LibraryKind> (
    kind: K, ids: readonly string[]
  ): Promise<readonly (LibraryItems[K] | undefined)[]> {
    const found: (LibraryItems[K] | undefined)[] = []
    for (let from = 0; from < ids.length; from += itemsAtATime) {
      if (from > 0) await this.#session.pause()
      const some = ids.slice(from, from + itemsAtATime)
      const items: unknown = await this.#ask(signal => this.#library.items(kind, some, { signal }))
      if (!Array.isArray(items) || items.length !== some.length) {
        const got = Array.isArray(items) ? `${items.length} items` : wordsOf(items)
        throw new TypeError(
          `library.items('${kind}') must return an item or undefined for each of ${some.length} ids, got ${got}`)
      }
      found.push(...this.#conform(kind, items))
    }
    for (const item of found) if (item !== undefined && item[extras] === undefined) this.#bare.add(item)
    return found
  }

  /** Returns whether the library may have more data of an item that it did not return itself. */
  mayComplete (item: LibraryItems[LibraryKind]): boolean {
    return !this.#bare.has(item) && this.#library[completes]?.(item.id) !== false
  }

  #conform<K extends LibraryKind> (kind: K, items: readonly unknown[]): (LibraryItems[K] | undefined)[] {
    const usable = (list: readonly unknown[]) => this.#session.usable(itemLists[kind], list, `library.items('${kind}')`)
    const there = items.filter(item => item !== undefined && item !== null)
    let conforming = usable(there)
    // The mapping by position must be preserved, so items are checked one by one if the list lost items.
    if (conforming.length < there.length) conforming = there.map(item => usable([item])[0])
    if (there.length === items.length) return conforming as LibraryItems[K][]
    let at = 0
    return items.map(item => item === undefined || item === null ? undefined : conforming[at++] as LibraryItems[K])
  }

  #ask<T> (call: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    return this.#session.run(() => {
      // The client has disconnected.
      this.#session.signal.throwIfAborted()
      return call(this.#session.signal)
    })
  }
}
