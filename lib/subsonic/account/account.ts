import { LRUCache } from 'lru-cache'
import type { TrackUrl } from '../../../schemas/index.ts'
import { elapsed } from '../../async/elapsed.ts'
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
  readonly urls = new LRUCache<string, TrackUrl>({ max: 1000, ttlResolution: 0, perf: { now: elapsed } })
  /** What was made a favourite here, or no longer, by its id: lists that were read before do not know. */
  readonly starred: LRUCache<string, boolean>
  /** Lists as they were at their first page, for as long as they are paged through. */
  readonly #lists: LRUCache<string, readonly unknown[]>
  #favourites: { value: Promise<Favourites>, at: number } | undefined

  constructor (key: string, { library, limits, store }: CheckedOptions) {
    this.shelf = new Shelf(library, limits, this.memory)
    const ttl = Math.ceil(limits.ttl * 1000)
    this.starred = new LRUCache({ max: 1000, ttl })
    this.#lists = new LRUCache({ max: 50, ttl, ttlResolution: 0, updateAgeOnGet: true })
    this.records = new Records(store, key)
  }

  /**
   * A list as it was at its first page, so that the next ones repeat and lose nothing.
   *
   * @param name of the list and of who pages through it: a name always means items of one kind
   * @param offset of the page; 0 begins anew
   */
  async pagedList<T> (name: string, offset: number, make: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const kept = offset > 0 ? this.#lists.get(name) : undefined
    if (kept !== undefined) return kept as readonly T[]
    const made = await make()
    this.#lists.set(name, made)
    return made
  }

  /** The favourites as they were within the last minute; none without an account. */
  async favourites (session: Session): Promise<Favourites> {
    if (this.#favourites === undefined || Date.now() - this.#favourites.at > minute) {
      // Other calls wait for them, too.
      session.detach()
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
  const [tracks, albums, artists] =
    await Promise.all([ids('userFavoriteTracks'), ids('userAlbums'), ids('userArtists')])
  return { tracks, albums, artists }
}
