import { elapsed } from '../async/elapsed.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { UpstreamError } from '../contract/errors.ts'
import { lastFavourites, missingSources, pauseCalls, stored, type OrderedLibrary } from '../contract/ordered-library.ts'
import type { LibraryFacets, LibraryKind, RandomIds } from '../contract/source-library.ts'
import type { LibraryIndex } from './library-index.ts'
import type { LibraryReader, Text } from './listing.ts'
import { Mirror, type MirrorOptions } from './mirror.ts'

/**
 * Times in milliseconds: the timeout of the calls for stored items, and the time without such calls after a failure.
 * Tests change them.
 */
export const waits = { longest: 1000, failed: 30_000 }

/** The time between two looks in the background, in milliseconds. */
const hour = 3_600_000

/** The parts of a library that depend on the request. */
interface Shown extends Pick<OrderedLibrary, 'items'> {
  readonly favourites: (kind: LibraryKind) => readonly string[] | undefined
}

/** The stored library of another server for one login, and its calls of the server for items that are shown. */
export class MirroredLibrary {
  readonly #reader: LibraryReader
  readonly #mirror: Mirror
  readonly #timer: NodeJS.Timeout | undefined
  #failedAt = -Infinity

  /** @param background whether it looks for changes without a request. Default: `false` */
  constructor (reader: LibraryReader, options: MirrorOptions, background = false) {
    this.#reader = reader
    this.#mirror = new Mirror(reader, options)
    if (!background) return
    this.#mirror.refresh()
    this.#timer = setInterval(() => this.#mirror.refresh(), hour).unref()
  }

  /**
   * Returns the library for one request and looks for changes in the background.
   *
   * @returns `undefined` if the server has no library that can be read
   */
  for ({ items, favourites }: Shown): OrderedLibrary | undefined {
    const mirror = this.#mirror
    mirror.refresh()
    if (mirror.isRefused) return undefined
    const { index, head } = mirror
    const from = <T>(read: (index: LibraryIndex) => T, none: T): T | Promise<T> => {
      if (index !== undefined) return read(index)
      if (head === undefined) return none
      return mirror.loadedIndex().then(index => {
        // Apps delete items that an empty list lacks.
        if (index === undefined) throw new UpstreamError('The stored library cannot be read')
        return read(index)
      })
    }
    const none = { total: 0, sorts: [], letters: [], years: [], genres: [] }
    return {
      [stored]: head !== undefined,
      [lastFavourites]: favourites,
      [pauseCalls]: () => { this.#failedAt = elapsed() },
      [missingSources]: head === undefined ? [] : this.#reader.missing?.(head.version) ?? [],
      ids: query => from(index => index.ids(query), []),
      randomIds: (query, count) => from<RandomIds>(index => index.randomIds(query, count), { ids: [], total: 0 }),
      items,
      facets: kind => from<LibraryFacets>(index => index.facets(kind), none),
      revision: head?.revision ?? '',
      changedAt: head?.changedAt ?? 0
    }
  }

  /**
   * Returns records in the order of the ids, `undefined` for unknown ids.
   *
   * @param find requests ids that are newer than the library, and passes on each record that it finds
   */
  async records (
    kind: LibraryKind, ids: readonly string[],
    find: (ids: readonly string[], note: (id: string, record: Text) => void) => Promise<void>
  ): Promise<(Text | undefined)[]> {
    const records = await this.#mirror.records(kind, ids)
    const lacking = ids.filter((_id, at) => records[at] === undefined)
    if (lacking.length === 0) return records
    const found = new Map<string, Text>()
    const complete = () => find(lacking, (id, record) => found.set(id, record))
    await (this.#mirror.index === undefined ? complete() : this.soon(complete))
    return records.map((record, at) => record ?? found.get(ids[at]!))
  }

  /** Returns the result of calls, `undefined` after a failure and while the server does not respond. */
  async soon<T> (call: () => Promise<T>): Promise<T | undefined> {
    if (elapsed() - this.#failedAt < waits.failed) return undefined
    try {
      return await withTimeout(call, { timeout: waits.longest })
    } catch {
      this.#failedAt = elapsed()
      return undefined
    }
  }

  async close (): Promise<void> {
    clearInterval(this.#timer)
    await this.#mirror.close()
  }
}
