import { paced, type LibraryReader } from '../library/internal.ts'
import { isRefusal } from './read-failure.ts'
import type { Query } from './server-login.ts'
import { placeOf } from './song-fields.ts'
import { isTrack, RemoteSource } from './subsonic-adapter.ts'
import type { SubsonicClient } from './subsonic-client.ts'
import { flagOf, listOf, numberOf, objectOf, textOf, unlessGone, type Given } from './tolerate.ts'

/** The number of items on a page. */
const pageSize = 500

/** Properties of an account, and unused properties. */
const left = [
  'starred', 'userRating', 'averageRating', 'playCount', 'played', 'bookmarkPosition', 'path', 'parent', 'song'
]

const recordOf = (given: Given): Given =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !left.includes(name)))

/** Reads all music of a server sequentially. */
export class ServerReader implements LibraryReader {
  readonly #source: RemoteSource
  readonly #pause = paced()

  constructor (client: SubsonicClient, log: ConstructorParameters<typeof RemoteSource>[1]['log']) {
    this.#source = new RemoteSource(client, { media: () => '', log })
  }

  item (kind: 'artists' | 'albums' | 'tracks', record: Given) {
    if (kind === 'artists') return this.#source.artist(record)
    return kind === 'albums' ? this.#source.album(record) : this.#source.track(record, false)
  }

  place (record: Given): number | undefined { return placeOf(record) }

  async version (): Promise<string | undefined> {
    const { scanning, count, lastScan } = objectOf((await this.#tryTo('getScanStatus'))?.scanStatus)
    if (flagOf(scanning)) return undefined
    const { lastModified } = objectOf((await this.#tryTo('getIndexes', { ifModifiedSince: Date.now() }))?.indexes)
    return JSON.stringify([numberOf(count), textOf(lastScan), textOf(lastModified)])
  }

  async * read () {
    const { index } = objectOf((await this.#ask('getArtists')).artists)
    yield { kind: 'artists' as const, records: listOf(index).flatMap(({ artist }) => listOf(artist)).map(recordOf) }
    /** The song count of each album minus the songs that were read. */
    const missing = new Map<string, number>()
    const albums = this.#pages(async offset => listOf(objectOf((await this.#ask('getAlbumList2', {
      type: 'alphabeticalByName', size: pageSize, offset
    })).albumList2).album))
    for await (const page of albums) {
      for (const album of page) missing.set(textOf(album.id), numberOf(album.songCount) ?? 1)
      yield { kind: 'albums' as const, records: page.map(recordOf) }
    }
    for await (const page of this.#pages(offset => this.#searchSongs(offset))) {
      for (const { albumId } of page) {
        const count = missing.get(textOf(albumId))
        if (count !== undefined) missing.set(textOf(albumId), count - 1)
      }
      yield { kind: 'tracks' as const, records: page.filter(isTrack).map(recordOf) }
    }
    for (const [id, count] of missing) {
      if (count <= 0) continue
      const songs = listOf(objectOf((await unlessGone(this.#ask('getAlbum', { id }, true)))?.album).song)
      yield { kind: 'tracks' as const, records: songs.filter(isTrack).map(recordOf) }
    }
  }

  /** Reads a page of all songs. The page is empty if the server rejects an empty query. */
  async #searchSongs (songOffset: number): Promise<Given[]> {
    const query = { query: '', artistCount: 0, albumCount: 0, songCount: pageSize, songOffset }
    try {
      return listOf(objectOf((await this.#ask('search3', query)).searchResult3).song)
    } catch (error) {
      if (isRefusal(error)) return []
      throw error
    }
  }

  /** Yields pages until a page has no new item: servers return short pages, and repeat their last page. */
  async * #pages (ask: (offset: number) => Promise<Given[]>): AsyncGenerator<Given[], void, undefined> {
    const known = new Set<string>()
    for (let offset = 0; ;) {
      const page = await ask(offset)
      const fresh = page.filter(({ id }) => !known.has(textOf(id)))
      for (const { id } of fresh) known.add(textOf(id))
      if (fresh.length === 0) return
      yield fresh
      offset += page.length
    }
  }

  async #ask (method: string, query: Query = {}, byId = false): Promise<Given> {
    await this.#pause()
    return byId ? this.#source.find(method, query) : this.#source.ask(method, query)
  }

  async #tryTo (method: string, query: Query = {}): Promise<Given | undefined> {
    try {
      return await this.#ask(method, query)
    } catch (error) {
      if (isRefusal(error)) return undefined
      throw error
    }
  }
}
