import { extras } from '../../schemas/extras.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import type { OrderedLibrary } from '../contract/ordered-library.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import { MirroredLibrary } from '../library/internal.ts'
import { starred } from './account-on-server.ts'
import type { ServerLibraryOptions } from './client-options.ts'
import { ServerReader } from './server-reader.ts'
import type { RemoteSource } from './subsonic-adapter.ts'
import type { SubsonicClient } from './subsonic-client.ts'
import { listOf, objectOf, textOf, unlessGone, type Given } from './tolerate.ts'

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
  readonly #library: MirroredLibrary
  #favourites: Favourites | undefined
  /** The server's favourites response that `favourites` was built from. */
  #starred: Given | undefined

  constructor (client: SubsonicClient, { store, background, log }: ServerLibraryOptions) {
    this.#library = new MirroredLibrary(new ServerReader(client, undefined), {
      name: client.account, title: new URL(client.options.url).host, store, log
    }, background)
  }

  /** Returns the library for one request and looks for changes in the background. */
  for (source: RemoteSource): OrderedLibrary | undefined {
    return this.#library.for({
      items: (kind, ids) => this.#items(source, kind, ids),
      favourites: kind => this.#favourites && [...this.#favourites[kind].keys()]
    })
  }

  close (): Promise<void> { return this.#library.close() }

  async #items<K extends LibraryKind> (
    source: RemoteSource, kind: K, ids: readonly string[]
  ): Promise<(LibraryItems[K] | undefined)[]> {
    const [records, known] = await Promise.all([
      this.#library.records(kind, ids, (ids, note) => find(source, kind, ids, note)), this.#favouritesOf(source)
    ])
    const there = records.filter(record => record !== undefined)
    const transcoding =
      kind === 'tracks' ? await this.#library.soon(() => source.transcodingFor(there)) ?? false : false
    return records.map(record => {
      if (record === undefined) return undefined
      const item = kind === 'artists'
        ? source.artist(record)
        : kind === 'albums' ? source.album(record) : source.track(record, transcoding)
      return withFavourite(item, known?.[kind]) as LibraryItems[K]
    })
  }

  /** Returns the favourites of the login. A server that does not respond gets no calls for a while. */
  async #favouritesOf (source: RemoteSource): Promise<Favourites | undefined> {
    const given = await this.#library.soon(() => starred(source))
    if (given !== undefined && given !== this.#starred) {
      this.#starred = given
      const [artists, albums] = [timesIn(given, 'artists'), timesIn(given, 'albums')]
      this.#favourites = { artists, albums, tracks: timesIn(given, 'tracks') }
    }
    return this.#favourites
  }
}

/** Requests items by their ids. The client caches the results, also that an id is unknown. */
async function find (
  source: RemoteSource, kind: LibraryKind, ids: readonly string[], note: (id: string, record: Given) => void
): Promise<void> {
  const { method, member } = details[kind]
  await forEachLimited(ids, atOnce, async id => {
    const found = await source.client.keep(`item ${kind} ${id}`, itemTtl, async () =>
      objectOf((await unlessGone(source.shared.find(method, { id })))?.[member]))
    if (textOf(found.id) === id) note(id, found)
  })
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
