import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Change } from '../../source/index.ts'
import { elapsed } from '../../async/elapsed.ts'
import { writeId } from '../ids.ts'
import type { AccountState } from './account-state.ts'
import { PagedIds, type ArrayLibrary, type MakeIds } from '../../library/internal.ts'
import { ItemIndex } from './item-index.ts'

/** Milliseconds without a page for which a list that an app pages through is kept. */
const listTtl = 1_800_000
/** Lists that are kept, and ids of all of them. */
const most = { lists: 50, ids: 500_000 }

/** The favourites that a change is of, and the kind of its ids. */
const starredKinds: Readonly<Partial<Record<Change['operation'], 'track' | 'album' | 'artist'>>> = {
  favoriteTrack: 'track', favoriteAlbum: 'album', favoriteArtist: 'artist'
}

/** What is kept between the calls of one account, for one `variant` of its answers. */
export class RestAccount {
  readonly key: string
  /** Whether more may be kept than was counted. */
  hasGrown = true
  readonly items: ItemIndex
  readonly state: AccountState
  /** Lists as they were at their first page, for as long as they are paged through. */
  readonly #lists = new LRUCache<string, PagedIds>({
    max: most.lists, ttl: listTtl, ttlResolution: 0, updateAgeOnGet: true, perf: { now: elapsed }
  })

  /** The generated libraries whose items are noted. */
  readonly #noted = new WeakSet<ArrayLibrary>()

  /** @param hasLibrary whether the source lists itself, so that nothing of its music is kept */
  constructor (key: string, state: AccountState, hasLibrary: boolean) {
    this.key = key
    this.state = state
    this.items = new ItemIndex(!hasLibrary)
  }

  /** Notes the items of a generated library: apps request their covers and names. */
  note (library: ArrayLibrary): void {
    if (this.#noted.has(library)) return
    this.#noted.add(library)
    this.items.noteLibrary(library)
  }

  /** Bytes in memory, roughly. */
  get bytes (): number {
    return 5000 + 8 * this.#idsInLists + (this.items.isKept ? this.items.bytes : 0)
  }

  get #idsInLists (): number {
    return [...this.#lists.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /**
   * A list as it was at its first page.
   *
   * @param name of the list and of who pages through it: a name always means items of one kind
   * @param offset of the page; 0 begins anew
   */
  pagedList (name: string, offset: number, make: MakeIds): PagedIds {
    // Names hold what apps send, which may be long.
    const key = createHash('sha256').update(name).digest('base64url')
    const kept = this.#lists.get(key)
    // One that is read on demand has grown by the pages before.
    if (kept !== undefined) this.#grew()
    if (kept !== undefined && offset > 0) return kept
    const list = new PagedIds(make, kept)
    this.#lists.set(key, list)
    list.ended.then(() => this.#grew(), () => this.#lists.delete(key))
    return list
  }

  #grew (): void {
    this.hasGrown = true
    while (this.#lists.size > 1 && this.#idsInLists > most.ids) this.#lists.pop()
  }

  /** After a change of the account, by this protocol or another one. */
  changed ({ operation, id }: Pick<Change, 'operation' | 'id'>): void {
    this.state.forgetFavourites()
    const kind = starredKinds[operation]
    if (kind !== undefined && id !== undefined) this.state.starred.delete(writeId(kind, id))
    if (kind === undefined) this.items.playlists.delete(writeId('playlist', id ?? ''))
  }

  /** What was kept of the account may be older than the source. */
  forget (): void {
    this.state.forgetFavourites()
    this.items.playlists.clear()
  }
}
