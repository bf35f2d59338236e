import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Change } from '../../source/index.ts'
import { elapsed } from '../../async/elapsed.ts'
import { writeId } from '../ids.ts'
import type { AccountState } from './account-state.ts'
import { PagedIds, type ArrayLibrary, type MakeIds } from '../../library/internal.ts'
import { ItemIndex } from './item-index.ts'

/** Milliseconds without a page request after which a paged list is dropped. */
const listTtl = 1_800_000
/** The maximum numbers of stored lists, and of ids in all of them. */
const limits = { lists: 50, ids: 500_000 }

/** The id kinds of operations that change favourites. */
const starredKinds: Readonly<Partial<Record<Change['operation'], 'track' | 'album' | 'artist'>>> = {
  favoriteTrack: 'track', favoriteAlbum: 'album', favoriteArtist: 'artist'
}

/** The cached data of one account for one `variant` of its responses. */
export class RestAccount {
  readonly key: string
  /** Whether the data may have grown since its size was counted. */
  hasGrown = true
  readonly items: ItemIndex
  readonly state: AccountState
  /** Lists as they were at their first page, while an app pages through them. */
  readonly #lists = new LRUCache<string, PagedIds>({
    max: limits.lists, ttl: listTtl, ttlResolution: 0, updateAgeOnGet: true, perf: { now: elapsed }
  })

  /** The generated libraries whose items were recorded. */
  readonly #noted = new WeakSet<ArrayLibrary>()

  /** @param hasLibrary whether the source has a library, so that shown items are not stored */
  constructor (key: string, state: AccountState, hasLibrary: boolean) {
    this.key = key
    this.state = state
    this.items = new ItemIndex(!hasLibrary)
  }

  /** Records the items of a generated library, since apps request their covers and names. */
  note (library: ArrayLibrary): void {
    if (this.#noted.has(library)) return
    this.#noted.add(library)
    this.items.noteLibrary(library)
  }

  /** The approximate size in memory in bytes. */
  get bytes (): number {
    return 5000 + 8 * this.#idsInLists + (this.items.isKept ? this.items.bytes : 0)
  }

  get #idsInLists (): number {
    return [...this.#lists.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /**
   * Returns a list as it was at its first page.
   *
   * @param name identifies the list and its reader; a name always stands for items of one kind
   * @param offset the offset of the page; 0 reads the list again
   */
  pagedList (name: string, offset: number, make: MakeIds): PagedIds {
    // Names contain parameters of apps, which may be long.
    const key = createHash('sha256').update(name).digest('base64url')
    const kept = this.#lists.get(key)
    // A list that is read on demand has grown with earlier pages.
    if (kept !== undefined) this.#grew()
    if (kept !== undefined && offset > 0) return kept
    const list = new PagedIds(make, kept)
    this.#lists.set(key, list)
    list.ended.then(() => this.#grew(), () => this.#lists.delete(key))
    return list
  }

  #grew (): void {
    this.hasGrown = true
    while (this.#lists.size > 1 && this.#idsInLists > limits.ids) this.#lists.pop()
  }

  /** Updates the cache after a change of the account by any protocol. */
  changed ({ operation, id }: Pick<Change, 'operation' | 'id'>): void {
    this.state.forgetFavourites()
    const kind = starredKinds[operation]
    if (kind !== undefined && id !== undefined) this.state.starred.delete(writeId(kind, id))
    if (kind === undefined) this.items.playlists.delete(writeId('playlist', id ?? ''))
  }

  /** Clears cached data that may be older than the source. */
  forget (): void {
    this.state.forgetFavourites()
    this.items.playlists.clear()
  }
}
