import { extras } from '../../schemas/extras.ts'
import { elapsed } from '../async/elapsed.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { withTimeout } from '../async/with-timeout.ts'
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
 * Milliseconds that items wait for favourites and for what the server converts, and for which a failure to read
 * favourites counts. Tests change them.
 */
export const waits = { longest: 1000, failed: 30_000 }

/** Milliseconds between two looks of the background. */
const hour = 3_600_000

/** What the server is asked for an item, and calls at once. */
const details = {
  artists: { method: 'getArtist', member: 'artist' },
  albums: { method: 'getAlbum', member: 'album' },
  tracks: { method: 'getSong', member: 'song' }
} as const
const atOnce = 4

const members = { artists: 'artist', albums: 'album', tracks: 'song' } as const

/** When something became a favourite, by kind and id. */
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

/** The library of the server for one request; `undefined` where there is none. */
export const libraryOnServer = (source: RemoteSource): OrderedLibrary | undefined =>
  libraries.get(source.client)?.for(source)

/** The library of a server as it was read last, for one login. */
class ServerLibrary {
  readonly #mirror: Mirror
  readonly #timer: NodeJS.Timeout | undefined
  #favourites: Favourites | undefined
  #failedAt = -Infinity

  constructor (client: SubsonicClient, { store, background = false, log }: ServerLibraryOptions) {
    this.#mirror = new Mirror(new ServerReader(client, undefined), {
      name: client.account, title: new URL(client.options.url).host, store, log
    })
    if (!background) return
    this.#mirror.refresh()
    this.#timer = setInterval(() => this.#mirror.refresh(), hour).unref()
  }

  /** The library for one request. It looks for changes in the background. */
  for (source: RemoteSource): OrderedLibrary | undefined {
    const mirror = this.#mirror
    mirror.refresh()
    if (mirror.isRefused) return undefined
    const { index, head } = mirror
    /** Before the first read the library is empty; a stored one is soon in memory. */
    const from = <T>(read: (index: LibraryIndex) => T, none: T): T | Promise<T> => index === undefined
      ? mirror.loadedIndex().then(index => index === undefined ? none : read(index))
      : read(index)
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
    const transcoding = kind === 'tracks' ? await soon(source.transcodingFor(there), false) : false
    return records.map(record => {
      if (record === undefined) return undefined
      const item = kind === 'artists'
        ? source.artist(record)
        : kind === 'albums' ? source.album(record) : source.track(record, transcoding)
      return withFavourite(item, known?.[kind]) as LibraryItems[K]
    })
  }

  /** Asks the server for what was not there when it was read. */
  async #complete (
    source: RemoteSource, kind: LibraryKind, ids: readonly string[], records: (Given | undefined)[]
  ): Promise<void> {
    const lacking = [...ids.keys()].filter(at => records[at] === undefined)
    const { method, member } = details[kind]
    try {
      await forEachLimited(lacking, atOnce, async at => {
        const found = objectOf((await unlessGone(source.find(method, { id: ids[at]! })))?.[member])
        if (textOf(found.id) === ids[at]) records[at] = found
      })
    } catch (error) {
      if (this.#mirror.index === undefined) throw error
    }
  }

  /** The favourites of the login, those of before while the server does not answer; `undefined` if none are known. */
  async #favouritesOf (source: RemoteSource): Promise<Favourites | undefined> {
    if (elapsed() - this.#failedAt < waits.failed) return this.#favourites
    try {
      const given = await withTimeout(() => starred(source), { timeout: waits.longest })
      const [artists, albums] = [timesIn(given, 'artists'), timesIn(given, 'albums')]
      this.#favourites = { artists, albums, tracks: timesIn(given, 'tracks') }
    } catch {
      this.#failedAt = elapsed()
    }
    return this.#favourites
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

/** What a promise gives in time; the default otherwise. */
const soon = <T>(promise: Promise<T>, otherwise: T): Promise<T> =>
  withTimeout(() => promise, { timeout: waits.longest }).catch(() => otherwise)
