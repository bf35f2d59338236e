import { LRUCache } from 'lru-cache'
import { extras } from '../../schemas/extras.ts'
import { IdList } from '../async/id-list.ts'
import type { Pause } from '../async/take-turns.ts'
import { discard } from '../async/unawaited.ts'
import type {
  LibraryFacets, LibraryItems, LibraryKind, LibraryQuery, RandomIds, SourceLibrary
} from '../contract/source-library.ts'
import type { RequestContext } from '../contract/source-context.ts'
import {
  completes, missingSources, onDemand, playable, prepare, unavailable, type OrderedLibrary
} from '../contract/ordered-library.ts'
import type { ReadMethod } from '../contract/operations.ts'
import { sample } from './sample.ts'

/** Items that a source is asked for at a time. */
const itemsAtATime = 200
/** Bytes of ids that are kept, in lists that were asked for last. */
const mostKept = 2 ** 25
const played = ['plays', 'played']

/** Lists of ids by who may see them, the revision of the library and the query. */
export class KeptIds {
  readonly #lists = new LRUCache<string, { list: IdList, size: number }>({
    maxSize: mostKept, sizeCalculation: ({ size }) => Math.min(size, mostKept)
  })

  /** @param make asks the source, once for all who ask for the same at a time */
  get (key: string, make: () => IdList): IdList {
    const kept = this.#lists.get(key)
    const list = kept?.list ?? make()
    const keep = () => { this.#lists.set(key, { list, size: list.bytes }) }
    keep()
    if (kept === undefined) list.ended.then(keep, () => this.#lists.delete(key))
    return list
  }
}

/** @throws TypeError */
function idsIn (given: unknown): readonly string[] {
  if (Array.isArray(given) && given.every(id => typeof id === 'string')) return given
  throw new TypeError('library.ids must answer with a list of ids')
}

const isInParts = (given: unknown): given is AsyncIterable<unknown> =>
  typeof (given as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] === 'function'

/** Operations that answer lists of the kinds. */
const listOf = { artists: 'userArtists', albums: 'userAlbums', tracks: 'userFavoriteTracks' } as const

/** What a library is asked with. */
interface LibraryAsker {
  readonly context: RequestContext
  readonly signal: AbortSignal
  readonly kept: KeptIds
  /** Calls the library within the time limit. */
  run<T> (call: () => T | Promise<T>): Promise<T>
  /** Lets others have their turn. */
  readonly pause: Pause
  /** Others wait for what is asked. */
  share (): void
  /** Names the sources that lists lack in the response. */
  tellPartial (missing: readonly string[]): void
  /** A list as the contract has it. `from` is what gave it. */
  usable (method: ReadMethod, list: readonly unknown[], from: string): readonly unknown[]
}

/** The library of a source, as a protocol asks it: within the time limit, for items as the contract has them. */
export class AskedLibrary {
  readonly #library: OrderedLibrary
  readonly #asker: LibraryAsker
  /** Items without extras that it has given: it knows no more of them. */
  readonly #bare = new WeakSet<object>()

  constructor (library: SourceLibrary, asker: LibraryAsker) {
    this.#library = library
    this.#asker = asker
  }

  get revision (): string { return this.#library.revision }

  get changedAt (): number { return this.#library.changedAt }

  /** The ids of the sources that are not part of the library yet. */
  get missing (): readonly string[] { return this.#library[missingSources] ?? [] }

  /** Prepares lists. The response names the sources that are not part of the library yet. */
  async prepare (): Promise<void> {
    await this.#library[prepare]?.()
    this.#asker.tellPartial(this.missing)
  }

  /** The ids of the sources that are not available now; `undefined` for one source. */
  get unavailable (): readonly string[] | undefined { return this.#library[unavailable]?.() }

  /**
   * Ids of all that a query names. Nobody may change the list.
   *
   * @throws what the source throws; TypeError for what is no list of ids
   */
  ids (query: LibraryQuery): Promise<readonly string[]> { return this.list(query).whole }

  /** The same list, of which parts may still come. */
  list (query: LibraryQuery): IdList {
    const { context: { stateless, account, variant }, kept } = this.#asker
    const isOnDemand = this.#library[onDemand] === true
    // A later request reads on.
    if (isOnDemand) this.#asker.share()
    const make = () => new IdList(this.#parts(query), isOnDemand)
    // Without an account nobody knows whose they are; what was played is another list with each play.
    if ((account === undefined && !stateless) || played.includes(query.sort!)) return make()
    this.#asker.share()
    const name = [stateless ? null : account, variant, this.revision, query]
    return kept.get(JSON.stringify(name), make)
  }

  /** Chooses at most `count` of the ids that a query names, without items that cannot be played now. */
  async random (query: LibraryQuery, count: number): Promise<RandomIds> {
    const given = await this.#ask(signal => this.#library.randomIds?.(query, count, { signal }))
    if (given !== undefined) return { ids: idsIn(given.ids), total: given.total }
    const ids = await this.ids(query)
    return { ids: sample(ids, count, id => this.#library[playable]?.(id) ?? true), total: ids.length }
  }

  async * #parts (query: LibraryQuery): AsyncGenerator<readonly string[], void, undefined> {
    const given: unknown = await this.#ask(signal => this.#library.ids(query, { signal }))
    if (!isInParts(given)) return yield idsIn(given)
    const parts = given[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await this.#ask(() => parts.next())
        if (done) return
        yield idsIn(value)
        await this.#asker.pause()
      }
    } finally {
      // One that did not come to its end. It is not waited for: it may be stuck.
      discard(parts.return?.())
    }
  }

  /** Those of the ids that have become others, with what they are now. */
  async currentIds (kind: LibraryKind, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0 || this.#library.currentIds === undefined) return new Map()
    return this.#ask(signal => this.#library.currentIds!(kind, ids, { signal }))
  }

  facets (kind: LibraryKind): Promise<LibraryFacets> {
    return this.#ask(signal => this.#library.facets(kind, { signal }))
  }

  /** The items with these ids, in their order; `undefined` for what is gone. */
  async items<K extends LibraryKind> (
    kind: K, ids: readonly string[]
  ): Promise<readonly (LibraryItems[K] | undefined)[]> {
    const found: (LibraryItems[K] | undefined)[] = []
    for (let from = 0; from < ids.length; from += itemsAtATime) {
      if (from > 0) await this.#asker.pause()
      const some = ids.slice(from, from + itemsAtATime)
      const items: unknown = await this.#ask(signal => this.#library.items(kind, some, { signal }))
      if (!Array.isArray(items) || items.length !== some.length) {
        throw new TypeError('library.items must answer with an item or undefined for each id')
      }
      found.push(...this.#conform(kind, items))
    }
    for (const item of found) if (item !== undefined && item[extras] === undefined) this.#bare.add(item)
    return found
  }

  /** Whether it may know more of an item, since it did not give it as it is. */
  mayComplete (item: LibraryItems[LibraryKind]): boolean {
    return !this.#bare.has(item) && this.#library[completes]?.(item.id) !== false
  }

  #conform<K extends LibraryKind> (kind: K, items: readonly unknown[]): (LibraryItems[K] | undefined)[] {
    const usable = (list: readonly unknown[]) => this.#asker.usable(listOf[kind], list, `library.items('${kind}')`)
    const there = items.filter(item => item !== undefined && item !== null)
    let conforming = usable(there)
    // What cannot be shown is left out of a list: of these each place counts.
    if (conforming.length < there.length) conforming = there.map(item => usable([item])[0])
    if (there.length === items.length) return conforming as LibraryItems[K][]
    let at = 0
    return items.map(item => item === undefined || item === null ? undefined : conforming[at++] as LibraryItems[K])
  }

  #ask<T> (call: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    return this.#asker.run(() => {
      // Nobody waits for it any more.
      this.#asker.signal.throwIfAborted()
      return call(this.#asker.signal)
    })
  }
}
