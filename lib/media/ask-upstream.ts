import type { Dispatcher } from 'undici'
import { SourceError, TimeoutError, UpstreamError } from '../contract/errors.ts'
import { readRetryAfter } from '../errors/retry-after.ts'
import { classOfStatus, mayWorkLater } from '../errors/upstream-status.ts'
import { refusePrivateLiteral, PrivateAddressError, publicLookup } from './public-addresses.ts'
import type { MediaLocation } from './media-kind.ts'

const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
/** Statuses of a URL that has expired, was deleted, or is bound to another client. */
const refusals = new Set([401, 403, 404, 410])
const answers = new Set([200, 206, 304, 416])
/** Headers that only the proxy sets. The author's values for them are ignored. */
const ownHeaders =
  /^(host|connection|keep-alive|upgrade|te|trailer|expect|transfer-encoding|content-.*|range|if-.*|accept-encoding)$/

export type MediaAnswer = Dispatcher.ResponseData

/** The error of a failed request that another attempt may repair. */
export class Failure extends Error {
  /** The error for the client if no later request succeeds. */
  readonly answer: SourceError
  /** Whether the upstream rejected the URL, so that a new one is required. */
  readonly refused: boolean

  /** The status with which the upstream rejected the URL. */
  readonly status: number | undefined

  constructor (answer: SourceError, refused: boolean, status?: number) {
    super(answer.message)
    this.answer = answer
    this.refused = refused
    this.status = status
  }
}

/** Creates the error of a failure that a retry cannot repair. The reason is logged. */
export const hopeless = (reason: string | Error): SourceError =>
  new UpstreamError(undefined, { cause: typeof reason === 'string' ? new Error(reason) : reason })

/** The timeout of each wait in milliseconds, and whether private addresses are allowed. */
export interface ConnectionSettings { timeout: number, allowPrivate: boolean }

export interface Connections {
  open (): Promise<Dispatcher>
  close (): Promise<void>
}

export interface UpstreamSettings extends ConnectionSettings {
  connections: Connections
  /** Returns whether the host of a URL is in the list. */
  isListed: (url: URL) => boolean
}

// Loaded on demand: a source that serves only local files makes no upstream requests. Imported by its file, because Bun
// replaces the package with its own, which ignores the guard against private addresses. Bundlers expose only `default`.
const undici = async () => (await import('undici/index.js')).default

/** Creates the connections of one kind of media. Without `allowPrivate` they reach public addresses only. */
export function createConnections ({ timeout, allowPrivate }: ConnectionSettings): Connections {
  let agent: Promise<Dispatcher> | undefined
  async function make (): Promise<Dispatcher> {
    const { Agent } = await undici()
    return new Agent({ connect: { timeout, ...(!allowPrivate && { lookup: publicLookup }) } })
  }
  return {
    open () {
      agent ??= make()
      return agent
    },
    close: async () => { await (await agent)?.destroy() }
  }
}

/**
 * Sends one request to the upstream and follows redirects.
 *
 * @returns a response with status 200, 206, 304 or 416
 * @throws Failure; SourceError for a failure that a retry cannot repair; the reason of the signal
 */
export async function askUpstream (
  settings: UpstreamSettings, location: MediaLocation, headers: Record<string, string>, signal: AbortSignal
): Promise<MediaAnswer> {
  const given = Object.entries(location.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
  const forOrigin = Object.fromEntries(given.filter(([name]) => !ownHeaders.test(name)))
  let url = validateUrl(settings, location.url)
  const { origin } = url
  for (let hops = 0; hops <= mostRedirects; hops++) {
    const all = { ...(url.origin === origin && forOrigin), ...headers, 'accept-encoding': 'identity' }
    const answer = await askOnce(settings, url, all, signal)
    if (answers.has(answer.statusCode)) return answer
    discardBody(answer)
    if (!redirects.has(answer.statusCode)) throw statusFailure(answer)
    url = validateUrl(settings, headerOf(answer, 'location'), url.href)
  }
  throw hopeless(`More than ${mostRedirects} redirects`)
}

async function askOnce (
  { connections, timeout }: UpstreamSettings, url: URL, headers: Record<string, string>, signal: AbortSignal
): Promise<MediaAnswer> {
  const [{ request }, dispatcher] = await Promise.all([undici(), connections.open()])
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const answer = request(url, {
    dispatcher,
    headers,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    signal: AbortSignal.any([signal, late.signal]),
    // The limit for headers restarts with each 1xx response.
    onInfo () { timer ??= setTimeout(() => late.abort(new TimeoutError()), timeout) }
  })
  return answer.catch(error => { throw signal.aborted ? error : connectionFailure(error) })
    .finally(() => clearTimeout(timer))
}

/** Discards the body of a response. The connection can be reused if the rest of the body is short and arrives soon. */
export function discardBody ({ body }: MediaAnswer): void {
  body.dump({ limit: 16_384, signal: AbortSignal.timeout(1000) }).catch(() => {})
}

/** Returns the value of a header that was sent once. */
export function headerOf ({ headers }: MediaAnswer, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns the error of a connection that failed, also while a body was read. */
export function connectionFailure (error: Error & { code?: string }): Error {
  if (error instanceof SourceError) return error
  if (error instanceof PrivateAddressError) return hopeless(error)
  const ErrorClass = /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(String(error.code)) ? TimeoutError : UpstreamError
  return new Failure(new ErrorClass(undefined, { cause: error }), false)
}

function validateUrl ({ isListed, allowPrivate }: UpstreamSettings, text: string | undefined, base?: string): URL {
  if (text === undefined || !URL.canParse(text, base)) throw hopeless('The upstream\'s URL is not a URL')
  const url = new URL(text, base)
  const { host, protocol, username, password } = url
  if (!/^https?:$/.test(protocol)) {
    throw hopeless(
    `${protocol}//${host} is not a URL that "resolve" may return: only https`
    )
  }
  const allowed = protocol === 'https:' || allowPrivate
  if (!allowed) throw hopeless(`${protocol}//${host} has no https, which only the option "allowPrivate" lets pass`)
  if (username !== '' || password !== '') throw hopeless(`URLs of ${host} must have no user and password`)
  if (!isListed(url)) throw hopeless(`${host} is not in the option "hosts"`)
  if (!allowPrivate) {
    try { refusePrivateLiteral(url.hostname) } catch (error) { throw hopeless(error as Error) }
  }
  return url
}

function statusFailure (answer: MediaAnswer): Error {
  const status = answer.statusCode
  const cause = new Error(`The upstream answered ${status}`)
  const retryAfterSeconds = readRetryAfter(headerOf(answer, 'retry-after'))
  // The listener's own token is valid, so an upstream 401 is not passed on.
  const ErrorClass = (status === 401 ? undefined : classOfStatus(status)) ?? UpstreamError
  const error = new ErrorClass(undefined, { cause, retryAfterSeconds })
  if (refusals.has(status)) return new Failure(error, true, status)
  return status !== 429 && mayWorkLater(status) ? new Failure(error, false) : error
}
