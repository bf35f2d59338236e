import { LRUCache } from 'lru-cache'
import type { Album, TrackUrl } from '../../../schemas/index.ts'
import type { CheckedOptions } from '../check-options.ts'
import type { Session } from '../session.ts'
import { Memory } from './memory.ts'
import { Records } from './records.ts'
import { Shelf } from './shelf.ts'

/** Ids of what the account has among its favourites. */
export interface Favourites {
  readonly tracks: ReadonlySet<string>
  readonly albums: ReadonlySet<string>
  readonly artists: ReadonlySet<string>
}

const minute = 60_000

/** What is kept between the calls of one account. */
export class Account {
  readonly memory = new Memory()
  readonly shelf: Shelf
  readonly records: Records
  /** Where audio is, by track and quality. */
  readonly urls = new LRUCache<string, TrackUrl>({ max: 1000 })
  /** What was made a favourite here, or no longer, by its id: lists that were read before do not know. */
  readonly starred: LRUCache<string, boolean>
  /** Lists of albums as they were at their first page, so that the next ones repeat and lose nothing. */
  readonly lists: LRUCache<string, readonly Album[]>
  #favourites: { value: Promise<Favourites>, at: number } | undefined

  constructor (key: string, { library, limits, store }: CheckedOptions) {
    this.shelf = new Shelf(library, limits, this.memory)
    const ttl = Math.ceil(limits.ttl * 1000)
    this.starred = new LRUCache({ max: 1000, ttl })
    this.lists = new LRUCache({ max: 20, ttl, ttlResolution: 0 })
    this.records = new Records(store, key)
  }

  /** The favourites as they were within the last minute; none without an account. */
  async favourites (session: Session): Promise<Favourites> {
    if (this.#favourites === undefined || Date.now() - this.#favourites.at > minute) {
      const value = readFavourites(session)
      this.#favourites = { value, at: Date.now() }
      // The next one asks again.
      value.catch(() => { this.#favourites = undefined })
    }
    return this.#favourites.value
  }

  forgetFavourites (): void {
    this.#favourites = undefined
  }
}

async function readFavourites (session: Session): Promise<Favourites> {
  const ids = async (method: 'userFavoriteTracks' | 'userAlbums' | 'userArtists') =>
    new Set((await session.read(method) ?? []).map(({ id }: { id: string }) => id))
  const [tracks, albums, artists] = await Promise.all([ids('userFavoriteTracks'), ids('userAlbums'), ids('userArtists')])
  return { tracks, albums, artists }
}
