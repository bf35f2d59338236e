import { LRUCache } from 'lru-cache'
import type { PlayCount } from '../../contract/source-extras.ts'
import { elapsed } from '../../async/elapsed.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import { isSamePlay, type HeardPlay } from '../../plays/index.ts'
import type { ValidOptions } from '../subsonic-options.ts'
import { readId, writeId, type Kind } from '../ids.ts'
import type { SubsonicStore } from '../memory-store.ts'
import type { RestSession } from '../session.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { CachedValue } from './cached-value.ts'
import { byCurrentId } from './current-ids.ts'

export interface Queue {
  ids: string[]
  current?: number | undefined
  position: number
  changed: string
  changedBy: string
}
export interface Bookmark { position: number, comment: string, created: string, changed: string }
interface RecentPlay { id: string, at: number }

/** Ids of what the account has among its favourites. */
export interface Favourites {
  readonly tracks: ReadonlySet<string>
  readonly albums: ReadonlySet<string>
  readonly artists: ReadonlySet<string>
  /** ISO 8601 times since when, by the id that apps have. */
  readonly since: Times
}

type Times = Readonly<Record<string, string>>

/** How often something was played, by its id. */
export type PlayCounts = ReadonlyMap<string, Pick<PlayCount, 'plays' | 'last'>>

/** Milliseconds that a store may take for what an answer can do without. */
const storeTimeout = 1000
/** Milliseconds that it may take for a change. */
const changeTimeout = 10_000
const minute = 60_000
/** Characters of each text that is kept. */
const longestText = 2 ** 23
/** Plays that are kept. */
const mostPlays = 500
/** Favourites whose time is kept. */
const mostTimes = 5000

/** What belongs to one account, whatever its answers depend on besides. */
export class AccountState {
  readonly key: string
  /** The one of the context. */
  readonly account: string | undefined
  /** What was made a favourite here, or no longer, by the id that apps have: not every source says so. */
  readonly starred: LRUCache<string, boolean>
  /** What the source says of all that was played, as it was within the last minute. */
  readonly playCounts = new CachedValue<PlayCounts>(minute, storeTimeout)
  readonly #store: SubsonicStore
  readonly #name: string
  readonly #currentIds: ValidOptions['currentIds']
  #favourites: { value: Promise<Favourites>, at: number, revision: string | undefined } | undefined
  #count = 0

  /** @param name of the account in the store */
  constructor (key: string, account: string | undefined, name: string, { store, limits, currentIds }: ValidOptions) {
    this.key = key
    this.account = account
    this.#store = store
    this.#currentIds = currentIds
    this.#name = encodeURIComponent(name)
    // Lists that were read before do not know.
    this.starred = new LRUCache({ max: 1000, ttl: Math.ceil(limits.ttl * 1000) })
  }

  /** Bytes in memory, roughly. */
  get bytes (): number {
    return 1000 + 300 * this.#count + 100 * (this.starred.size + (this.playCounts.latest?.size ?? 0))
  }

  /**
   * What is kept in the store. A store that fails, or takes too long, has nothing to read.
   *
   * @param kind for example `bookmarks`
   */
  async read<T> (kind: string, none: T): Promise<T> {
    try {
      const text = await withTimeout(() => this.#store.get(`${this.#name}/${kind}`), { timeout: storeTimeout })
      return parse(text, none)
    } catch {
      return none
    }
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

  /** How often each track was played: what the source says, else what was kept here. */
  async plays (session: RestSession): Promise<readonly PlayCount[]> {
    const { adapter } = await session.current()
    if (typeof adapter.getPlays === 'function') return withTimeout(async () => adapter.getPlays!(), session)
    const counts = new Map<string, PlayCount>()
    for (const { id, at } of await this.read<RecentPlay[]>('plays', [])) {
      const { plays = 0, last = at } = counts.get(id) ?? {}
      counts.set(id, { id, plays: plays + 1, last: Math.max(last, at) })
    }
    return [...counts.values()]
  }

  /** Notes favourites that were set here, or are none any more, by the ids that apps have. */
  async star (session: RestSession, shownIds: readonly string[], status: boolean): Promise<void> {
    for (const id of shownIds) this.starred.set(id, status)
    const now = new Date().toISOString()
    const changed = new Set(shownIds)
    await this.#changeTimes(session, times => Object.fromEntries([
      ...Object.entries(times).filter(([id]) => !changed.has(id)),
      ...status ? shownIds.map(id => [id, now]) : []
    ]))
  }

  /** The favourites as they were within the last minute and since the last change; none without an account. */
  async favourites (session: RestSession): Promise<Favourites> {
    const { revision } = await session.current()
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
    const ids = async (method: 'userFavoriteTracks' | 'userAlbums' | 'userArtists') =>
      new Set((await session.read(method) ?? []).map(({ id }: { id: string }) => id))
    const [tracks, albums, artists] =
      await Promise.all([ids('userFavoriteTracks'), ids('userAlbums'), ids('userArtists')])
    const listed = new Map<Kind, ReadonlySet<string>>()
    if (session.has('userFavoriteTracks')) listed.set('track', tracks)
    if (session.has('userAlbums')) listed.set('album', albums)
    if (session.has('userArtists')) listed.set('artist', artists)
    const since = await this.#since(session, listed)
    this.#count = tracks.size + albums.size + artists.size
    return { tracks, albums, artists, since }
  }

  /** Since when they are favourites. The source does not say, so it is when they were first seen here. */
  async #since (session: RestSession, listed: ReadonlyMap<Kind, ReadonlySet<string>>): Promise<Times> {
    const ids = [...listed].flatMap(([kind, ids]) => [...ids].map(id => writeId(kind, id)))
    const current = (times: Times) => byCurrentId(times, this.#currentIds)
    const before = current(await this.read<Times>('starred', {}))
    const isGone = (text: string) => {
      const { kind, id } = readId(text)
      return listed.get(kind)?.has(id) === false
    }
    if (ids.length > mostTimes || (ids.every(id => id in before) && !Object.keys(before).some(isGone))) return before
    const now = new Date().toISOString()
    const update = (times: Times) => {
      const kept = current(times)
      return Object.fromEntries([
        ...Object.entries(times).filter(([id]) => !listed.has(readId(id).kind)),
        ...ids.map(id => [id, kept[id] ?? now] as const)
      ])
    }
    await this.#changeTimes(session, update)
    return update(before)
  }

  async #changeTimes (session: RestSession, update: (times: Times) => Times): Promise<void> {
    try {
      await this.change<Times>('starred', {}, times =>
        Object.fromEntries(Object.entries(update(times)).slice(-mostTimes)), storeTimeout)
    } catch (error) {
      session.warn(error, 'The times of favourites cannot be kept')
    }
  }
}

/** Redis and others say null for what they do not have. */
const parse = <T>(text: string | null | undefined, none: T): T => text == null ? none : JSON.parse(text) as T
