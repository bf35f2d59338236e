import { LRUCache } from 'lru-cache'
import { extras } from '../../../schemas/extras.ts'
import { idsOf, ValuesOfItems } from '../../contract/merged-items.ts'
import type { SourceAdapter } from '../../contract/source-adapter.ts'
import type { PlayCount } from '../../contract/source-extras.ts'
import type { LibraryKind } from '../../contract/source-library.ts'
import { elapsed } from '../../async/elapsed.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import { listedBy } from '../../library/internal.ts'
import { allPlays, isSamePlay, type HeardPlay } from '../../plays/index.ts'
import type { ValidOptions } from '../subsonic-options.ts'
import { readId } from '../ids.ts'
import type { SubsonicStore } from '../memory-store.ts'
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

/** What the account has among its favourites, by the ids of each kind: since when, where the source says so. */
export type Favourites = Readonly<Record<LibraryKind, ValuesOfItems<string | undefined>>>

interface Starred { readonly id: string, readonly [extras]?: { readonly starred?: string | undefined } | undefined }

/** How often something was played, by its id. */
export type PlayCounts = ValuesOfItems<Pick<PlayCount, 'plays' | 'last'>>

/** Milliseconds that a store may take for what an answer can do without. */
const storeTimeout = 1000
/** Milliseconds that it may take for a change. */
const changeTimeout = 10_000
const minute = 60_000
/** Characters of each text that is kept. */
const longestText = 2 ** 23
/** Plays that are kept. */
const mostPlays = 500

/** Lists of an account leave out what the library does not have. */
const revisionOf = (ofAccount: string | undefined, { library }: SourceAdapter): string =>
  JSON.stringify([ofAccount, library?.revision])

/** What belongs to one account, whatever its answers depend on besides. */
export class AccountState {
  readonly key: string
  /** Whether more may be kept than was counted. */
  hasGrown = true
  /** The one of the context. */
  readonly account: string | undefined
  /**
   * What was made a favourite here, or no longer, by the id that apps have, of kinds that the source does not list. A
   * source with a revision says it itself.
   */
  readonly starred: LRUCache<string, boolean>
  /** What the source says of all that was played, as it was within the last minute. */
  readonly playCounts = new CachedValue<PlayCounts>(minute, storeTimeout)
  readonly #store: SubsonicStore
  readonly #name: string
  readonly #current = new Map<string, { text: string, revision: string | undefined, value: unknown }>()
  #favourites: { value: Promise<Favourites>, at: number, revision: string | undefined } | undefined
  #count = 0
  /** The revision that the counts of plays are of. */
  #playsOf: string | undefined

  /** @param name of the account in the store */
  constructor (key: string, account: string | undefined, name: string, { store, limits }: ValidOptions) {
    this.key = key
    this.account = account
    this.#store = store
    this.#name = encodeURIComponent(name)
    // Lists that were read before do not know.
    this.starred = new LRUCache({ max: 1000, ttl: Math.ceil(limits.ttl * 1000) })
  }

  /** Bytes in memory, roughly. */
  get bytes (): number {
    const texts = [...this.#current.values()].reduce((sum, { text }) => sum + 4 * text.length, 0)
    return 1000 + texts + 300 * this.#count + 100 * (this.starred.size + (this.playCounts.latest?.size ?? 0))
  }

  /**
   * What is kept in the store. A store that fails, or takes too long, has nothing to read.
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
   * Returns the ratings or bookmarks by the ids that apps have.
   *
   * @param shownId makes the id that apps have of a stored one
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
   * Changes what is kept in the store; one change after the other, so that none is lost.
   *
   * @param change gives the new value; `undefined` forgets it
   * @throws TimeoutError where the store takes too long: it may do so later; SubsonicError 50 for too much
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

  /** Keeps that something was heard, once: a server that was restarted does not know what was told before. */
  async keepPlay ({ track, startedAt, length }: HeardPlay): Promise<void> {
    await this.change<RecentPlay[]>('plays', [], plays =>
      plays.some(({ id, at }) => id === track && isSamePlay(at, startedAt, length))
        ? plays
        : [...plays, { id: track, at: startedAt }].slice(-mostPlays))
  }

  /** Returns how often each track was played: what the source says, and what is kept here of other tracks. */
  async plays (session: RestSession): Promise<readonly PlayCount[]> {
    const { adapter } = await session.current()
    return withTimeout(() => allPlays(adapter, () => this.keptPlays()), session)
  }

  /** Returns what is kept here. */
  async keptPlays (): Promise<readonly PlayCount[]> {
    const counts = new Map<string, PlayCount>()
    for (const { id, at } of await this.read<RecentPlay[]>('plays', [])) {
      const { plays = 0, last = at } = counts.get(id) ?? {}
      counts.set(id, { id, plays: plays + 1, last: Math.max(last, at) })
    }
    return [...counts.values()]
  }

  /**
   * The same by their ids, as it was within the last minute and since the last change; `undefined` where the source
   * does not say it.
   */
  async played (session: RestSession): Promise<PlayCounts | undefined> {
    const { adapter, revision: ofAccount } = await session.current()
    if (typeof adapter.getPlays !== 'function') return undefined
    const revision = revisionOf(ofAccount, adapter)
    if (this.#playsOf !== revision) this.playCounts.outdate()
    this.#playsOf = revision
    // Other calls wait for it, too.
    session.share()
    this.hasGrown = true
    try {
      return await this.playCounts.get(async () => {
        const plays = await this.plays(session)
        return new ValuesOfItems(plays.map(of => [idsOf(adapter)(of.id), of]))
      })
    } catch (error) {
      session.warn(error, 'What was played cannot be read')
      return undefined
    }
  }

  /** Notes favourites that were set here, or are none any more, by the ids that apps have. */
  star (session: RestSession, shownIds: readonly string[], status: boolean): void {
    if (session.context.revision !== undefined) return
    this.hasGrown = true
    const listed = listedBy(session)
    for (const id of shownIds) if (!listed.has(`${readId(id).kind}s` as LibraryKind)) this.starred.set(id, status)
  }

  /** The favourites as they were within the last minute and since the last change; none without an account. */
  async favourites (session: RestSession): Promise<Favourites> {
    const { adapter, revision: ofAccount } = await session.current()
    const revision = revisionOf(ofAccount, adapter)
    const kept = this.#favourites
    if (kept !== undefined && kept.revision === revision && elapsed() - kept.at < minute) return kept.value
    // Other calls wait for them, too.
    session.share()
    const value = this.#readFavourites(session)
    const made = this.#favourites = { value, at: elapsed(), revision }
    // The next one asks again.
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

/** Redis and others say null for what they do not have. */
const parse = <T>(text: string | null | undefined, none: T): T => text == null ? none : JSON.parse(text) as T
