import { createHash, randomBytes } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { PlaylistSortOption, QualityOption } from '../../../schemas/index.ts'
import { UnsupportedFeatureError } from '../../contract/errors.ts'
import type { MediaKind } from '../../media/index.ts'
import { createUpstream, type Upstream } from '../../upstream/index.ts'
import { qualityMap } from './qualities.ts'
import { codeOf, envelopeOf, failureOf, OtherStatus } from './read-failure.ts'
import { checkServerOptions, type CheckedServerOptions, type SubsonicServerOptions, type Transcoding } from './server-options.ts'
import { listOf, textOf, type Given } from './tolerate.ts'

const hour = 3_600_000

/** Statuses of which the body is looked at: servers send their envelopes with them. */
const otherStatuses = Array.from({ length: 200 }, (_empty, index) => 400 + index).filter(status => ![401, 408, 425, 429].includes(status))
const errors = Object.fromEntries(otherStatuses.map(status => [status, (answer: ConstructorParameters<typeof OtherStatus>[0]) => new OtherStatus(answer)]))

type Value = string | number | boolean | undefined
export type Query = Readonly<Record<string, Value | readonly Value[]>>

/** How one call is made. */
export interface CallOptions {
  upstream: Upstream
  log: Pick<FastifyBaseLogger, 'warn'> | undefined
  /** Whether it changes something: then it is never repeated. */
  changes?: boolean
  /** Whether it names something by an id. */
  byId?: boolean
}

/** One Subsonic server with one of its accounts. Keep it: it remembers what the server can do. */
export class SubsonicServer {
  readonly options: CheckedServerOptions
  /** Opaque id of the account at the server, for the context. */
  readonly account: string
  readonly upstream: Upstream
  /** For the context. */
  readonly qualityMap: readonly QualityOption[] = qualityMap
  /** For the context. */
  readonly playlistSortOptions: readonly PlaylistSortOption[] = [
    { key: 'title', label: 'Title' }, { key: 'artist', label: 'Artist' }, { key: 'album', label: 'Album' },
    { key: 'duration', label: 'Duration' }, { key: 'added', label: 'Date added' }
  ]

  /** For the media proxy: audio and covers of this server. */
  readonly mediaKinds: Readonly<Record<'audio' | 'cover', MediaKind>>
  /** What is kept for a short time, by what it is. */
  readonly kept = new Map<string, { value: Promise<unknown>, until: number }>()
  /** `type` of the server. */
  type = 'Subsonic'
  #usesToken: boolean
  #version = '1.16.1'
  #ready: { value: Promise<ReadonlySet<string>>, until: number } | undefined
  readonly #missing = new Map<string, number>()

  constructor (options: SubsonicServerOptions) {
    this.options = checkServerOptions(options)
    const { url, username = '', apiKey = '', auth, timeout, concurrency, upstream } = this.options
    this.#usesToken = auth !== 'password'
    this.account = createHash('sha256').update(JSON.stringify([url, username, apiKey])).digest('base64url')
    this.upstream = upstream ?? createUpstream({ baseUrl: `${url}/rest`, timeout, concurrency, accountConcurrency: concurrency, retries: 1, breaker: false })
    const { host } = new URL(url)
    // The operator named this address, so that it may be a private one.
    const kind = { hosts: [host], allowPrivate: true }
    this.mediaKinds = {
      audio: { ...kind, types: /^(audio\/.+|video\/mp4|application\/ogg|application\/octet-stream)$/, resolve: ({ id = '', limit, format }) => this.#mediaUrl('stream', { id, maxBitRate: limit, format: format ?? 'raw' }) },
      cover: { ...kind, resolve: ({ id = '', size }) => this.#mediaUrl('getCoverArt', { id, size }) }
    }
  }

  /** Ends the calls that are running. */
  async close (): Promise<void> {
    await this.upstream.close()
  }

  /**
   * What the envelope of a method holds.
   *
   * @throws classes of errors, the signal's reason
   */
  async ask (method: string, query: Query, options: CallOptions): Promise<Given> {
    // A server may know some types of a list only.
    const asked = `${method} ${String(query.type ?? '')}`
    if ((this.#missing.get(asked) ?? 0) > Date.now()) throw new UnsupportedFeatureError(`The server has no ${method}`)
    const extensions = await this.extensions(options)
    try {
      return await this.#send(method, query, options, extensions.has('formPost'))
    } catch (error) {
      if (error instanceof UnsupportedFeatureError) this.#missing.set(asked, Date.now() + hour)
      throw error
    }
  }

  /** Names of the extensions of OpenSubsonic that the server has; asked for with the first call and each hour. */
  async extensions (options: CallOptions): Promise<ReadonlySet<string>> {
    if (this.#ready === undefined || this.#ready.until < Date.now()) {
      const value = this.#connect({ ...options, changes: false, byId: false })
      const ready = this.#ready = { value, until: Date.now() + hour }
      value.catch(() => { if (this.#ready === ready) this.#ready = undefined })
    }
    return this.#ready.value
  }

  /** What `make` gives, once for those who ask within the time. */
  async keep<T> (key: string, milliseconds: number, make: () => Promise<T>): Promise<T> {
    const now = Date.now()
    const known = this.kept.get(key)
    if (known !== undefined && known.until > now) return known.value as Promise<T>
    for (const [other, { until }] of this.kept) if (until <= now) this.kept.delete(other)
    const value = make()
    this.kept.set(key, { value, until: now + milliseconds })
    value.catch(() => this.kept.delete(key))
    return value
  }

  /** Whether and to what the server converts: asked once a day with a lossless song. */
  async transcoding (lossless: string, options: CallOptions): Promise<Transcoding | false> {
    const format = { high: 320, standard: 128, format: 'mp3' }
    return await this.keep('transcoding', 24 * hour, () => this.#converts(lossless, options)) ? format : false
  }

  /** Asks for a song in a low quality. A server that has nothing to convert with sends the file. */
  async #converts (id: string, { upstream }: CallOptions): Promise<boolean> {
    const query = this.#queryOf({ id, maxBitRate: 128, format: 'mp3' })
    try {
      const { headers } = await upstream.answer(`/stream.view?${query}`, { headers: { range: 'bytes=0-1023' }, timeout: 3000, retries: 0 })
      return /^audio\/(mpeg|mp3)\b/.test(String(headers['content-type']))
    } catch {
      return false
    }
  }

  async #connect (options: CallOptions): Promise<ReadonlySet<string>> {
    const ping = await this.#send('ping', {}, options, false)
    this.type = textOf(ping.type) || this.type
    if (ping.openSubsonic !== true) return new Set()
    const { openSubsonicExtensions } = await this.#send('getOpenSubsonicExtensions', {}, options, false)
    return new Set(listOf(openSubsonicExtensions).map(({ name }) => textOf(name)))
  }

  async #send (method: string, query: Query, options: CallOptions, byForm: boolean): Promise<Given> {
    const usedToken = this.#usesToken
    const version = this.#version
    const { status, envelope } = await this.#exchange(method, query, options, byForm)
    if (status === 200 && envelope?.status === 'ok') return envelope
    if (envelope !== undefined) {
      const code = codeOf(envelope)
      const other = textOf(envelope.version)
      if (code === 30 && /^\d+\.\d+/.test(other) && other !== version) {
        this.#version = other
        return this.#send(method, query, options, byForm)
      }
      if ([10, 41, 42].includes(code) && method === 'ping' && usedToken && this.options.auth === 'auto' && this.options.apiKey === undefined) {
        this.#usesToken = false
        if (isPublic(this.options.url)) options.log?.warn('The password goes to a public address over http: this server takes no tokens, so use https')
        return this.#send(method, query, options, byForm)
      }
    }
    throw failureOf({ method, byId: options.byId === true }, status, envelope)
  }

  async #exchange (method: string, query: Query, { upstream, changes = false }: CallOptions, byForm: boolean) {
    const text = this.#queryOf({ f: 'json', ...query })
    const common = { errors, idempotent: !changes }
    try {
      const answer = await (byForm
        ? upstream.answer(`/${method}.view`, { ...common, body: text, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
        : upstream.answer(`/${method}.view?${text}`, common))
      return { status: 200, envelope: envelopeOf(answer) }
    } catch (error) {
      if (error instanceof OtherStatus) return { status: error.answer.status, envelope: envelopeOf(error.answer) }
      throw error
    }
  }

  async #mediaUrl (method: string, query: Query): Promise<{ url: string }> {
    // The first call tells how the server wants to be logged in to.
    await this.extensions({ upstream: this.upstream, log: undefined })
    return { url: `${this.options.url}/rest/${method}.view?${this.#queryOf(query)}` }
  }

  /** With the login: a fresh salt for each call. */
  #queryOf (query: Query): string {
    const { username = '', password = '', apiKey, client } = this.options
    const salt = randomBytes(8).toString('hex')
    const login = apiKey !== undefined
      ? { apiKey }
      : this.#usesToken
        ? { u: username, t: createHash('md5').update(password + salt).digest('hex'), s: salt }
        : { u: username, p: `enc:${Buffer.from(password).toString('hex')}` }
    const text = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...login, v: this.#version, c: client, ...query })) {
      for (const item of [value].flat()) if (item !== undefined) text.append(name, String(item))
    }
    return String(text)
  }
}

/** Whether a password over http would leave the own network. */
function isPublic (url: string): boolean {
  const { protocol, hostname } = new URL(url)
  const address = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'http:') return false
  if (ipaddr.isValid(address)) return ipaddr.process(address).range() === 'unicast'
  return hostname.includes('.') && !/\.(local|lan|home|internal|home\.arpa)$/.test(hostname)
}

/**
 * A Subsonic server as `createSubsonicAdapter` takes it: one for each account there, kept by the host.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export const subsonicServer = (options: SubsonicServerOptions): SubsonicServer => new SubsonicServer(options)
