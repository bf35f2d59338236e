import { createHash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { PlaylistSortOption, QualityOption } from '../../schemas/index.ts'
import { UnsupportedFeatureError, UpstreamError } from '../contract/errors.ts'
import { longestTimeout } from '../async/longest-timeout.ts'
import type { MediaKind } from '../media/index.ts'
import { atMost } from '../options/at-most.ts'
import { createUpstream, type Upstream, type UpstreamAnswer } from '../upstream/index.ts'
import { qualityMap } from './server-qualities.ts'
import { failureOf, OtherStatus, readAnswer, type Read } from './read-failure.ts'
import { ServerLogin, type Query } from './server-login.ts'
import { convertsToMp3, mediaKindsOf, type Locate } from './server-media.ts'
import {
  validateClientOptions, type ValidClientOptions, type SubsonicClientOptions, type Transcoding
} from './client-options.ts'
import { flagOf, listOf, numberOf, textOf, type Given } from './tolerate.ts'

const hour = 3_600_000

/** Statuses of which the body is looked at: servers send their envelopes with them. */
const errors = Object.fromEntries(Array.from({ length: 300 }, (_empty, index) => 300 + index)
  .filter(status => ![408, 425, 429].includes(status))
  .map(status => [status, (answer: UpstreamAnswer) => new OtherStatus(answer)]))

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

/** Characters: servers refuse longer URLs, and those that do not say so take forms all the same. */
const longestQuery = 4000

/** Calls at once. */
const concurrency = 6
/** The maximum number of cached songs and lists. */
const mostKept = 10_000

type Log = Pick<FastifyBaseLogger, 'debug' | 'warn'>

/** How one call is made. */
export interface CallOptions {
  upstream: Upstream
  log: Log | undefined
  /** Whether it changes something: then it is never repeated. */
  changes?: boolean
  /** Whether it names something by an id. */
  byId?: boolean
}

/** A client of a Subsonic server, for one account there. Keep it: it holds what the server can do. */
export class SubsonicClient {
  readonly options: ValidClientOptions
  /** Opaque id of the account at the server, for the context. */
  readonly account: string
  readonly upstream: Upstream
  /** Callbacks of `close`. */
  readonly onClose = new Set<() => Promise<void>>()
  /** For the context. */
  readonly qualityMap: readonly QualityOption[] = qualityMap
  /** For the context. */
  readonly playlistSortOptions: readonly PlaylistSortOption[] = [
    { key: 'title', label: 'Title' }, { key: 'artist', label: 'Artist' }, { key: 'album', label: 'Album' },
    { key: 'duration', label: 'Duration' }, { key: 'added', label: 'Date added' }
  ]

  /** For the media proxy: audio and covers of this server. */
  readonly mediaKinds: Readonly<Record<'audio' | 'cover', MediaKind>>
  /** `type` of the server. */
  type = 'Subsonic'
  /** What is kept for a short time, by what it is. */
  readonly #kept = new LRUCache<string, Promise<unknown>>({ ...atMost(mostKept), ttlResolution: 0, perf: Date })
  readonly #login: ServerLogin
  readonly #locate: Locate = async (method, query, log) => {
    // The first call tells how the server wants to be logged in to.
    await this.extensions(log)
    return { url: `${this.options.url}/rest/${method}.view?${this.#login.write(query)}` }
  }

  /** Methods that have worked, so that they are not missing. */
  readonly #known = new Set<string>()
  /** Methods that are missing, with the time at which they are asked for again. */
  readonly #missing = new Map<string, number>()

  constructor (options: SubsonicClientOptions) {
    this.options = validateClientOptions(options)
    const { url, username = '', apiKey = '', upstream } = this.options
    this.#login = new ServerLogin(this.options)
    this.account = createHash('sha256').update(JSON.stringify([url, username, apiKey])).digest('base64url')
    this.upstream = upstream ?? createUpstream({
      baseUrl: `${url}/rest`,
      timeout: 15_000,
      // A library is read with the adapter of one request, which takes longer than a request may.
      budget: longestTimeout,
      concurrency,
      accountConcurrency: concurrency,
      retries: 1,
      breaker: false,
      // Favourites and playlists come whole: this is some 40,000 songs.
      maxBody: 64 * 1024 * 1024
    })
    this.mediaKinds = mediaKindsOf(new URL(url).host, this.#locate)
  }

  /** Ends the calls that are running. */
  async close (): Promise<void> {
    const closed = Array.from(this.onClose, end => end())
    await this.upstream.close()
    await Promise.all(closed)
  }

  /**
   * What the envelope of a method holds.
   *
   * @throws classes of errors, the signal's reason
   */
  async ask (method: string, query: Query, options: CallOptions): Promise<Given> {
    // A server may know some types of a list only.
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
      // What stands before a server that is down answers 404 too, and nothing may look missing for that.
      await this.#send('ping', {}, this.#shared(options.log), false)
      this.#missing.set(asked, Date.now() + hour)
      throw error
    }
  }

  /** The extensions of OpenSubsonic that the server has, with their versions; asked for first and each hour. */
  async extensions (log: Log | undefined): Promise<ReadonlyMap<string, number>> {
    return this.keep('extensions', hour, () => this.#connect(this.#shared(log)))
  }

  /** What `make` gives, once for those who ask within the time. It must not end with one of them. */
  async keep<T> (key: string, milliseconds: number, make: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key)
    if (known !== undefined) return known as Promise<T>
    const value = make()
    this.#kept.set(key, value, { ttl: milliseconds })
    value.catch(() => { if (this.#kept.peek(key) === value) this.#kept.delete(key) })
    return value
  }

  /** Makes what was kept anew when it is next asked for. */
  forget (...keys: readonly string[]): void {
    for (const key of keys) this.#kept.delete(key)
  }

  /**
   * Whether and to what the server converts: asked once a day with a lossless song. Without one it is what is known, so
   * that a song has the same qualities in a list and by itself.
   */
  async transcoding (lossless: string | undefined): Promise<Transcoding | false> {
    const format = { high: 320, standard: 128, format: 'mp3' }
    const converts = lossless === undefined
      ? this.#kept.get('transcoding')
      : this.keep('transcoding', 24 * hour, () => convertsToMp3(lossless, this.#locate))
    return await converts ? format : false
  }

  /** For calls that several clients wait for: none of these ends them. */
  #shared (log: Log | undefined): CallOptions {
    return { upstream: this.upstream.for({ account: this.account, log }), log }
  }

  async #connect (options: CallOptions): Promise<ReadonlyMap<string, number>> {
    const ping = await this.#send('ping', {}, options, false)
    this.type = textOf(ping.type) || this.type
    if (!flagOf(ping.openSubsonic)) return new Map()
    // Whatever else it answers, it has no extensions. The error of a connection has a cause.
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
    // Once more in the server's version, and once with the password itself.
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
        ? upstream.answer(`/${method}.view`, { ...common, body, headers: formHeaders })
        : upstream.answer(`/${method}.view?${body}`, common))
      return { ...readAnswer(answer), status: 200 }
    } catch (error) {
      if (error instanceof OtherStatus) return readAnswer(error.answer)
      throw error
    }
  }
}
