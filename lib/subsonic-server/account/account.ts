import { LRUCache } from 'lru-cache'
import type { Change } from '../../source/index.ts'
import { elapsed } from '../../async/elapsed.ts'
import type { ValidOptions } from '../subsonic-options.ts'
import { writeId } from '../ids.ts'
import type { AccountState } from './account-state.ts'
import { ItemIndex } from './item-index.ts'
import { ShownLibrary } from './shown-library.ts'
import { PagedList } from './paged-list.ts'

/** Milliseconds without a page for which a list that an app pages through is kept. */
const listTtl = 1_800_000

/** The favourites that a change is of, and the kind of its ids. */
const starredKinds: Readonly<Partial<Record<Change['operation'], 'track' | 'album' | 'artist'>>> = {
  favoriteTrack: 'track', favoriteAlbum: 'album', favoriteArtist: 'artist'
}

/** What is kept between the calls of one account, for one `variant` of its answers. */
export class RestAccount {
  readonly key: string
  readonly variant: string
  readonly items: ItemIndex
  readonly library: ShownLibrary
  readonly state: AccountState
  readonly #isShared: boolean
  /** Lists as they were at their first page, for as long as they are paged through. */
  readonly #lists = new LRUCache<string, PagedList<any>>({
    max: 50, ttl: listTtl, ttlResolution: 0, updateAgeOnGet: true, perf: { now: elapsed }
  })

  /** @param shared the library of all accounts; its own without one */
  constructor (
    { key, variant }: { key: string, variant: string }, state: AccountState, options: ValidOptions,
    shared: ShownLibrary | undefined
  ) {
    this.key = key
    this.variant = variant
    this.state = state
    this.items = new ItemIndex(options.tracksByIds !== undefined, shared?.items)
    this.library = shared ?? new ShownLibrary(options, this.items)
    this.#isShared = shared !== undefined
  }

  /** Bytes in memory, roughly. */
  get bytes (): number {
    const inLists = [...this.#lists.values()].reduce((sum, { items }) => sum + items.length, 0)
    return 5000 + this.items.bytes + (this.#isShared ? 0 : this.library.bytes) + 100 * inLists
  }

  /**
   * A list as it was at its first page.
   *
   * @param name of the list and of who pages through it: a name always means items of one kind
   * @param offset of the page; 0 begins anew
   */
  pagedList<L extends { readonly id: string }> (
    name: string, offset: number, make: () => Promise<readonly L[]>
  ): PagedList<L> {
    const kept = this.#lists.get(name)
    if (kept !== undefined && offset > 0) return kept
    const list = new PagedList(make, kept)
    this.#lists.set(name, list)
    list.made.catch(() => this.#lists.delete(name))
    return list
  }

  /** After a change of the account, by this protocol or another one. */
  changed ({ operation, id }: Pick<Change, 'operation' | 'id'>): void {
    this.state.forgetFavourites()
    const kind = starredKinds[operation]
    if (kind !== undefined && id !== undefined) this.state.starred.delete(writeId(kind, id))
    if (kind === undefined) this.items.playlists.delete(writeId('playlist', id ?? ''))
    this.library.changed(kind === undefined ? `playlist:${id ?? ''}` : `${kind}s`)
  }

  /** What was kept of the account may be older than the source. */
  forget (): void {
    this.state.forgetFavourites()
    this.items.playlists.clear()
    this.library.outdate()
  }
}
