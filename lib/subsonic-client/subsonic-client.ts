import { createHash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { PlaylistSortOption, QualityOption } from '../../schemas/index.ts'
import { UnsupportedFeatureError, UpstreamError } from '../contract/errors.ts'
import { longestTimeout } from '../async/longest-timeout.ts'
import type { MediaKind } from '../media/index.ts'
import { lruOptions } from '../options/lru-options.ts'
import { createUpstream, type Upstream, type UpstreamResponse } from '../upstream/index.ts'
import { qualityMap } from './server-qualities.ts'
import { failureOf, OtherStatus, readAnswer, type Read } from './read-failure.ts'
import { ServerLogin, type Query } from './server-login.ts'
import { convertsToMp3, mediaKindsOf, type Locate } from './server-media.ts'
import {
  validateClientOptions, type ValidClientOptions, type SubsonicClientOptions, type Transcoding
} from './client-options.ts'
import { flagOf, listOf, numberOf, textOf, type Given } from './tolerate.ts'

const hour = 3_600_000

/** Error statuses whose body is read, since servers send envelopes with them. */
const errors = Object.fromEntries(Array.from({ length: 300 }, (_empty, index) => 300 + index)
  .filter(status => ![408, 425, 429].includes(status))
  .map(status => [status, (answer: UpstreamResponse) => new OtherStatus(answer)]))

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

/**
 * The maximum length of a query in characters. Servers reject longer URLs, and they accept forms even if they do not
 * announce it.
 */
const longestQuery = 4000

/** The maximum number of concurrent calls. */
const concurrency = 6
/** The maximum number of cached songs and lists. */
const mostKept = 10_000

type Log = Pick<FastifyBaseLogger, 'debug' | 'warn'>

/** Options of one call. */
export interface CallOptions {
  upstream: Upstream
  log: Log | undefined
  /** Whether it changes data. It is then never retried. */
  changes?: boolean
  /** Whether it names an item by an id. */
  byId?: boolean
}

/** A client of a Subsonic server, for one account there. Reuse it, since it caches the server's abilities. */
export class SubsonicClient {
  readonly options: ValidClientOptions
  /** An opaque id of the account at the server, for the context. */
  readonly account: string
  readonly upstream: Upstream
  /** Callbacks of `close`. */
  readonly onClose = new Set<() => Promise<void>>()
  /** The qualities, for the context. */
  readonly qualityMap: readonly QualityOption[] = qualityMap
  /** The sort options, for the context. */
  readonly playlistSortOptions: readonly PlaylistSortOption[] = [
    { key: 'title', label: 'Title' }, { key: 'artist', label: 'Artist' }, { key: 'album', label: 'Album' },
    { key: 'duration', label: 'Duration' }, { key: 'added', label: 'Date added' }
  ]

  /** The media kinds of this server, for the media proxy. */
  readonly mediaKinds: Readonly<Record<'audio' | 'cover', MediaKind>>
  /** The `type` of the server. */
  type = 'Subsonic'
  /** Short-lived cached values by key. */
  readonly #kept = new LRUCache<string, Promise<unknown>>({ ...lruOptions(mostKept), ttlResolution: 0, perf: Date })
  readonly #login: ServerLogin
  readonly #locate: Locate = async (method, query, log) => {
    // The first call detects the login form of the server.
    await this.extensions(log)
    return { url: `${this.options.url}/rest/${method}.view?${this.#login.write(query)}` }
  }

  /** Methods that have succeeded, so the server has them. */
  readonly #known = new Set<string>()
  /** Missing methods, with the time of the next attempt. */
  readonly #missing = new Map<string, number>()

  constructor (options: SubsonicClientOptions) {
    this.options = validateClientOptions(options)
    const { url, username = '', apiKey = '', upstream } = this.options
    this.#login = new ServerLogin(this.options)
    this.account = createHash('sha256').update(JSON.stringify([url, username, apiKey])).digest('base64url')
    this.upstream = upstream ?? createUpstream({
      baseUrl: `${url}/rest`,
      timeout: 15_000,
      // A library is read with the adapter of one request, and takes longer than a request may.
      budget: longestTimeout,
      concurrency,
      accountConcurrency: concurrency,
      retries: 1,
      breaker: false,
      // Favourites and playlists are not paged: this is about 40,000 songs.
      maxBody: 64 * 1024 * 1024
    })
    this.mediaKinds = mediaKindsOf(new URL(url).host, this.#locate)
  }

  /** Aborts the running calls. */
  async close (): Promise<void> {
    const closed = Array.from(this.onClose, end => end())
    await this.upstream.close()
    await Promise.all(closed)
  }

  /**
   * Returns the content of a method's envelope.
   *
   * @throws classes of errors, the signal's reason
   */
  async ask (method: string, query: Query, options: CallOptions): Promise<Given> {
    // A server may support only some types of a list.
    const asked = `${method} ${String(query.type ?? '')}`
    if ((this.#missing.get(asked) ?? 0) > Date.now()) {
      throw new UnsupportedFeatureError(`The server has no ${method}`)
    }
    const extensions = await this.extensions(options.log)
    try {
      const answer = await this.#send(method, query, options, extensions.has('formPost'))
      this.#known.add(asked)
      return answer
    } catch (error) {
      if (!(error instanceof UnsupportedFeatureError)) throw error
      if (this.#known.has(asked)) throw new UpstreamError(`The server no longer answers ${method}`)
      // A reverse proxy of a stopped server sends 404 as well, which must not mark methods as missing.
      await this.#send('ping', {}, this.#shared(options.log), false)
      this.#missing.set(asked, Date.now() + hour)
      throw error
    }
  }

  /**
   * Returns the OpenSubsonic extensions of the server with their versions. They are requested first, and again each
   * hour.
   */
  async extensions (log: Log | undefined): Promise<ReadonlyMap<string, number>> {
    return this.keep('extensions', hour, () => this.#connect(this.#shared(log)))
  }

  /** Caches the result of `make` for a time and shares it among callers. A single caller must not abort it. */
  async keep<T> (key: string, milliseconds: number, make: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key)
    if (known !== undefined) return known as Promise<T>
    const value = make()
    this.#kept.set(key, value, { ttl: milliseconds })
    value.catch(() => { if (this.#kept.peek(key) === value) this.#kept.delete(key) })
    return value
  }

  /** Deletes cached values. */
  forget (...keys: readonly string[]): void {
    for (const key of keys) this.#kept.delete(key)
  }

  /**
   * Returns the server's conversion. It is detected once a day with a lossless song. Without a song the cached value is
   * used, so that a song has the same qualities in lists and details.
   */
  async transcoding (lossless: string | undefined): Promise<Transcoding | false> {
    const format = { high: 320, standard: 128, format: 'mp3' }
    const converts = lossless === undefined
      ? this.#kept.get('transcoding')
      : this.keep('transcoding', 24 * hour, () => convertsToMp3(lossless, this.#locate))
    return await converts ? format : false
  }

  /** Returns options of calls shared by several clients, so that none of them aborts the call. */
  #shared (log: Log | undefined): CallOptions {
    return { upstream: this.upstream.for({ account: this.account, log }), log }
  }

  async #connect (options: CallOptions): Promise<ReadonlyMap<string, number>> {
    const ping = await this.#send('ping', {}, options, false)
    this.type = textOf(ping.type) || this.type
    if (!flagOf(ping.openSubsonic)) return new Map()
    // After any other response, the server has no extensions. A connection error has a cause.
    const { openSubsonicExtensions } = await this.#send('getOpenSubsonicExtensions', {}, options, false)
      .catch((error: Error): Given => {
        if (error.cause === undefined) return {}
        throw error
      })
    return new Map(listOf(openSubsonicExtensions).map(({ name, versions }) =>
      [textOf(name), Math.max(1, ...[versions].flat().map(version => numberOf(version) ?? 1))]))
  }

  async #send (method: string, query: Query, options: CallOptions, byForm: boolean, attempt = 1): Promise<Given> {
    const used = this.#login.way
    const answer = await this.#exchange(method, query, options, byForm)
    const { status, envelope } = answer
    if (status === 200 && envelope?.status === 'ok') return envelope
    // At most two retries: with the server's version, and with the plain password.
    if (envelope !== undefined && attempt < 3 && this.#login.changeAfter(method, envelope, used, options.log)) {
      return this.#send(method, query, options, byForm, attempt + 1)
    }
    throw failureOf({ method, byId: options.byId === true, type: query.type }, answer)
  }

  async #exchange (
    method: string, query: Query, { upstream, changes = false }: CallOptions, byForm: boolean
  ): Promise<Read> {
    const body = this.#login.write({ f: 'json', ...query })
    const common = { errors, idempotent: !changes }
    try {
      const answer = await (byForm || body.length > longestQuery
        ? upstream.response(`/${method}.view`, { ...common, body, headers: formHeaders })
        : upstream.response(`/${method}.view?${body}`, common))
      return { ...readAnswer(answer), status: 200 }
    } catch (error) {
      if (error instanceof OtherStatus) return readAnswer(error.answer)
      throw error
    }
  }
}
