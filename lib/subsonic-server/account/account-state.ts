import { LRUCache } from 'lru-cache'
import { extras } from '../../../schemas/extras.ts'
import { idsOf, ValuesOfItems } from '../../contract/merged-items.ts'
import type { SourceAdapter } from '../../contract/source-adapter.ts'
import type { PlayCount } from '../../contract/source-extras.ts'
import type { LibraryKind } from '../../contract/source-library.ts'
import { elapsed } from '../../async/elapsed.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import { listedBy } from '../../library/internal.ts'
import { allPlays, isDuplicatePlay, type HeardPlay } from '../../plays/index.ts'
import type { ValidOptions } from '../subsonic-options.ts'
import { readId } from '../ids.ts'
import { AccountQueues, type SubsonicStore } from '../../queue/index.ts'
import type { RestSession } from '../session.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { CachedValue } from '../../async/cached-value.ts'
import { findValues } from './current-ids.ts'

export interface Queue {
  ids: string[]
  current?: number | undefined
  position: number
  changed: string
  changedBy: string
}
export interface Bookmark { position: number, comment: string, created: string, changed: string }
interface RecentPlay { id: string, at: number }

/** The account's favourites by kind and id, with the time when each was added, if the source reports it. */
export type Favourites = Readonly<Record<LibraryKind, ValuesOfItems<string | undefined>>>

interface Starred { readonly id: string, readonly [extras]?: { readonly starred?: string | undefined } | undefined }

/** The number of plays by id. */
export type PlayCounts = ValuesOfItems<Pick<PlayCount, 'plays' | 'last'>>

/** The timeout in milliseconds of reads from the store that a response can do without. */
const storeTimeout = 1000
/** The timeout of a change in milliseconds. */
const changeTimeout = 10_000
const minute = 60_000
/** The maximum length of each stored string in characters. */
const longestText = 2 ** 23
/** The maximum number of stored plays. */
const mostPlays = 500

/** Returns a revision that includes the library, since lists of an account omit items that the library lacks. */
const revisionOf = (ofAccount: string | undefined, { library }: SourceAdapter): string =>
  JSON.stringify([ofAccount, library?.revision])

/** The stored data of one account, shared by all variants of its responses. */
export class AccountState {
  readonly key: string
  /** Whether the data may have grown since its size was counted. */
  hasGrown = true
  /** The account of the context. */
  readonly account: string | undefined
  /**
   * Favourite flags changed here, by the ids that apps use, for kinds whose favourites the source does not list. A
   * source with a revision reports changes itself.
   */
  readonly starred: LRUCache<string, boolean>
  /** The source's play counts, cached for a minute. */
  readonly playCounts = new CachedValue<PlayCounts>(minute, storeTimeout)
  /** The queues of accounts, which this account shares with its pages. */
  readonly queues: AccountQueues
  readonly #store: SubsonicStore
  readonly #name: string
  readonly #current = new Map<string, { text: string, revision: string | undefined, value: unknown }>()
  #favourites: { value: Promise<Favourites>, at: number, revision: string | undefined } | undefined
  #count = 0
  /** The revision of the cached play counts. */
  #playsOf: string | undefined

  /** @param name the name of the account in the store */
  constructor (key: string, account: string | undefined, name: string, { store, limits }: ValidOptions) {
    this.key = key
    this.account = account
    this.#store = store
    this.queues = new AccountQueues(store)
    this.#name = encodeURIComponent(name)
    // Lists that were read before a change lack it.
    this.starred = new LRUCache({ max: 1000, ttl: Math.ceil(limits.ttl) })
  }

  /** The approximate size in memory in bytes. */
  get bytes (): number {
    const texts = [...this.#current.values()].reduce((sum, { text }) => sum + 4 * text.length, 0)
    return 1000 + texts + 300 * this.#count + 100 * (this.starred.size + (this.playCounts.latest?.size ?? 0))
  }

  /**
   * Reads a stored value. If the store fails or times out, the value counts as missing.
   *
   * @param kind for example `bookmarks`
   */
  async read<T> (kind: string, none: T): Promise<T> {
    try {
      return parse(await this.#text(kind), none)
    } catch {
      return none
    }
  }

  /**
   * Returns the ratings or bookmarks by the ids that apps use.
   *
   * @param shownId converts a stored id to the id that apps use
   */
  async readCurrent<T> (
    session: Pick<RestSession, 'context' | 'library'>, kind: 'ratings' | 'bookmarks', shownId = (id: string) => id
  ): Promise<ValuesOfItems<T>> {
    const text = await this.#text(kind).catch(() => undefined) ?? '{}'
    const library = await session.library()
    const kept = this.#current.get(kind)
    if (kept?.text === text && kept.revision === library?.revision) return kept.value as ValuesOfItems<T>
    const given = Object.entries<T>(JSON.parse(text)).map(([id, value]) => [shownId(id), value] as const)
    const value = await findValues<T>(given, session)
    this.#current.set(kind, { text, revision: library?.revision, value })
    this.hasGrown = true
    return value
  }

  async #text (kind: string): Promise<string | null | undefined> {
    return withTimeout(() => this.#store.get(`${this.#name}/${kind}`), { timeout: storeTimeout })
  }

  /**
   * Changes a stored value. Changes run sequentially, so that none is lost.
   *
   * @param change returns the new value; `undefined` deletes it
   * @throws TimeoutError if the store times out, although it may complete the change later; SubsonicError 50 if the
   *   value is too large
   */
  async change<T> (
    kind: string, none: T, change: (value: T) => T | undefined, timeout = changeTimeout
  ): Promise<void> {
    await withTimeout(() => this.#store.change(`${this.#name}/${kind}`, text => {
      const value = change(parse(text, none))
      if (value === undefined) return undefined
      const changed = JSON.stringify(value)
      if (changed.length > longestText) throw new SubsonicError(50, `There is no room for more ${kind}`)
      return changed
    }), { timeout })
  }

  /** Stores a play once. After a restart, earlier reports of it are not in memory. */
  async keepPlay ({ track, startedAt, length }: HeardPlay): Promise<void> {
    await this.change<RecentPlay[]>('plays', [], plays =>
      plays.some(({ id, at }) => id === track && isDuplicatePlay(at, startedAt, length))
        ? plays
        : [...plays, { id: track, at: startedAt }].slice(-mostPlays))
  }

  /** Returns the play count of each track: from the source, and from this store for other tracks. */
  async plays (session: RestSession): Promise<readonly PlayCount[]> {
    const { adapter } = await session.current()
    return withTimeout(() => allPlays(adapter, () => this.keptPlays()), session)
  }

  /** Returns the play counts stored here. */
  async keptPlays (): Promise<readonly PlayCount[]> {
    const counts = new Map<string, PlayCount>()
    for (const { id, at } of await this.read<RecentPlay[]>('plays', [])) {
      const { plays = 0, last = at } = counts.get(id) ?? {}
      counts.set(id, { id, plays: plays + 1, last: Math.max(last, at) })
    }
    return [...counts.values()]
  }

  /**
   * Returns the source's play counts by id, cached for a minute and invalidated by changes; `undefined` if the source
   * does not report plays.
   */
  async played (session: RestSession): Promise<PlayCounts | undefined> {
    const { adapter, revision: ofAccount } = await session.current()
    if (typeof adapter.getPlays !== 'function') return undefined
    const revision = revisionOf(ofAccount, adapter)
    if (this.#playsOf !== revision) this.playCounts.outdate()
    this.#playsOf = revision
    // Other calls wait for this read as well.
    session.share()
    this.hasGrown = true
    try {
      return await this.playCounts.get(async () => {
        const plays = await this.plays(session)
        return new ValuesOfItems(plays.map(of => [idsOf(adapter)(of.id), of]))
      })
    } catch (error) {
      session.warn(error, 'plays not read')
      return undefined
    }
  }

  /** Records favourite changes made here, by the ids that apps use. */
  star (session: RestSession, shownIds: readonly string[], status: boolean): void {
    if (session.context.revision !== undefined) return
    this.hasGrown = true
    const listed = listedBy(session)
    for (const id of shownIds) if (!listed.has(`${readId(id).kind}s` as LibraryKind)) this.starred.set(id, status)
  }

  /** Returns the favourites, cached for a minute and invalidated by changes. Empty without an account. */
  async favourites (session: RestSession): Promise<Favourites> {
    const { adapter, revision: ofAccount } = await session.current()
    const revision = revisionOf(ofAccount, adapter)
    const kept = this.#favourites
    if (kept !== undefined && kept.revision === revision && elapsed() - kept.at < minute) return kept.value
    // Other calls wait for this read as well.
    session.share()
    const value = this.#readFavourites(session)
    const made = this.#favourites = { value, at: elapsed(), revision }
    // The next call reads them again.
    value.catch(() => { if (this.#favourites === made) this.#favourites = undefined })
    return value
  }

  forgetFavourites (): void {
    this.#favourites = undefined
  }

  async #readFavourites (session: RestSession): Promise<Favourites> {
    const { adapter } = session.context
    const read = async (method: 'userFavoriteTracks' | 'userAlbums' | 'userArtists') => {
      const items: readonly Starred[] = await session.readPart(method) ?? []
      return new ValuesOfItems(items.map(({ id, [extras]: more }) => [idsOf(adapter)(id), more?.starred]))
    }
    const [tracks, albums, artists] =
      await Promise.all([read('userFavoriteTracks'), read('userAlbums'), read('userArtists')])
    this.#count = tracks.size + albums.size + artists.size
    this.hasGrown = true
    return { tracks, albums, artists }
  }
}

/** Redis and other stores return null for missing keys. */
const parse = <T>(text: string | null | undefined, none: T): T => text == null ? none : JSON.parse(text) as T
