import { extras } from '../../schemas/extras.ts'
import { elapsed } from '../async/elapsed.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { UpstreamError } from '../contract/errors.ts'
import { lastFavourites, stored, type OrderedLibrary } from '../contract/ordered-library.ts'
import type { LibraryFacets, LibraryItems, LibraryKind } from '../contract/source-library.ts'
import { Mirror, type LibraryIndex } from '../library/internal.ts'
import { starred } from './account-on-server.ts'
import type { ServerLibraryOptions } from './client-options.ts'
import { ServerReader } from './server-reader.ts'
import type { RemoteSource } from './subsonic-adapter.ts'
import type { SubsonicClient } from './subsonic-client.ts'
import { listOf, objectOf, textOf, unlessGone, type Given } from './tolerate.ts'

/**
 * Times in milliseconds: the timeout of the calls for stored items, and the time without such calls after a failure.
 * Tests change them.
 */
export const waits = { longest: 1000, failed: 30_000 }

/** The time between two looks in the background, in milliseconds. */
const hour = 3_600_000

/** The calls for one item, and the maximum number of concurrent calls. */
const details = {
  artists: { method: 'getArtist', member: 'artist' },
  albums: { method: 'getAlbum', member: 'album' },
  tracks: { method: 'getSong', member: 'song' }
} as const
const atOnce = 4

/** The time for which a requested item is cached, in milliseconds. */
const itemTtl = 300_000

const members = { artists: 'artist', albums: 'album', tracks: 'song' } as const

/** The times at which items became favourites, by kind and id. */
type Favourites = Readonly<Record<LibraryKind, ReadonlyMap<string, string>>>

const timesIn = (given: Given, kind: LibraryKind): ReadonlyMap<string, string> =>
  new Map(listOf(given[members[kind]]).map(({ id, starred }) => [textOf(id), textOf(starred)]))

const libraries = new WeakMap<SubsonicClient, ServerLibrary>()

/** Adds the library of the server to a client whose options allow it. */
export function addLibrary (client: SubsonicClient): void {
  const { library: options } = client.options
  if (options === false) return
  const library = new ServerLibrary(client, options)
  libraries.set(client, library)
  client.onClose.add(() => library.close())
}

/** Returns the library of the server for one request, `undefined` if the server has none. */
export const libraryOnServer = (source: RemoteSource): OrderedLibrary | undefined =>
  libraries.get(source.client)?.for(source)

/** The library of a server for one login. */
class ServerLibrary {
  readonly #mirror: Mirror
  readonly #timer: NodeJS.Timeout | undefined
  #favourites: Favourites | undefined
  /** The answer of the server with these favourites. */
  #starred: Given | undefined
  #failedAt = -Infinity

  constructor (client: SubsonicClient, { store, background = false, log }: ServerLibraryOptions) {
    this.#mirror = new Mirror(new ServerReader(client, undefined), {
      name: client.account, title: new URL(client.options.url).host, store, log
    })
    if (!background) return
    this.#mirror.refresh()
    this.#timer = setInterval(() => this.#mirror.refresh(), hour).unref()
  }

  /** Returns the library for one request and looks for changes in the background. */
  for (source: RemoteSource): OrderedLibrary | undefined {
    const mirror = this.#mirror
    mirror.refresh()
    if (mirror.isRefused) return undefined
    const { index, head } = mirror
    const from = <T>(read: (index: LibraryIndex) => T, none: T): T | Promise<T> => {
      if (index !== undefined) return read(index)
      if (head === undefined) return none
      return mirror.loadedIndex().then(index => {
        // Apps delete what an empty list does not have.
        if (index === undefined) throw new UpstreamError('The stored library cannot be read')
        return read(index)
      })
    }
    const none = { total: 0, sorts: [], letters: [], years: [], genres: [] }
    return {
      [stored]: head !== undefined,
      [lastFavourites]: kind => this.#favourites && [...this.#favourites[kind].keys()],
      ids: query => from(index => index.ids(query), []),
      items: (kind, ids) => this.#items(source, kind, ids),
      facets: kind => from<LibraryFacets>(index => index.facets(kind), none),
      revision: head?.revision ?? '',
      changedAt: head?.changedAt ?? 0
    }
  }

  async close (): Promise<void> {
    clearInterval(this.#timer)
    await this.#mirror.close()
  }

  async #items<K extends LibraryKind> (
    source: RemoteSource, kind: K, ids: readonly string[]
  ): Promise<(LibraryItems[K] | undefined)[]> {
    const [records, known] = await Promise.all([this.#mirror.records(kind, ids), this.#favouritesOf(source)])
    await this.#complete(source, kind, ids, records)
    const there = records.filter(record => record !== undefined)
    const transcoding = kind === 'tracks' ? await this.#soon(() => source.transcodingFor(there)) ?? false : false
    return records.map(record => {
      if (record === undefined) return undefined
      const item = kind === 'artists'
        ? source.artist(record)
        : kind === 'albums' ? source.album(record) : source.track(record, transcoding)
      return withFavourite(item, known?.[kind]) as LibraryItems[K]
    })
  }

  /** Requests items that are newer than the library. The client caches the results, also that an id is unknown. */
  async #complete (
    source: RemoteSource, kind: LibraryKind, ids: readonly string[], records: (Given | undefined)[]
  ): Promise<void> {
    const lacking = [...ids.keys()].filter(at => records[at] === undefined)
    if (lacking.length === 0) return
    const { method, member } = details[kind]
    const complete = () => forEachLimited(lacking, atOnce, async at => {
      const id = ids[at]!
      const found = await source.client.keep(`item ${kind} ${id}`, itemTtl, async () =>
        objectOf((await unlessGone(source.shared.find(method, { id })))?.[member]))
      if (textOf(found.id) === id) records[at] = found
    })
    await (this.#mirror.index === undefined ? complete() : this.#soon(complete))
  }

  /** Returns the favourites of the login. A server that does not respond gets no calls for a while. */
  async #favouritesOf (source: RemoteSource): Promise<Favourites | undefined> {
    const given = await this.#soon(() => starred(source))
    if (given !== undefined && given !== this.#starred) {
      this.#starred = given
      const [artists, albums] = [timesIn(given, 'artists'), timesIn(given, 'albums')]
      this.#favourites = { artists, albums, tracks: timesIn(given, 'tracks') }
    }
    return this.#favourites
  }

  /** Returns the result of calls, `undefined` after a failure and while the server does not respond. */
  async #soon<T> (call: () => Promise<T>): Promise<T | undefined> {
    if (elapsed() - this.#failedAt < waits.failed) return undefined
    try {
      return await withTimeout(call, { timeout: waits.longest })
    } catch {
      this.#failedAt = elapsed()
      return undefined
    }
  }
}

function withFavourite (
  item: LibraryItems[LibraryKind], times: ReadonlyMap<string, string> | undefined
): LibraryItems[LibraryKind] {
  const { favorite: _unknown, ...others } = item
  if (times === undefined) return others as typeof item
  const time = times.get(item.id)
  return {
    ...others, favorite: time !== undefined, ...time && { [extras]: { ...item[extras], starred: time } }
  } as typeof item
}
