import type { FastifyBaseLogger } from 'fastify'
import type { Dispatcher } from 'undici'

/** How an upstream is asked. Times are milliseconds. */
export interface UpstreamOptions {
  /** http or https, with or without a path; without credentials, query and fragment. Required. */
  baseUrl: string
  /** In channels and metrics: letters, digits, `-`, `_` and `.`. Default: `upstream`. */
  name?: string | undefined
  /** Whether it is a service of yours: then it gets the headers of traces and `X-Request-Id`. Default: false. */
  own?: boolean | undefined
  /** Of every request. */
  headers?: Record<string, string> | undefined
  /** For one attempt, its body included. Default: 8000. */
  timeout?: number | undefined
  /**
   * For all calls of one `for`, waits and the queue included, from its first call on; for one call without `for`.
   * Keep it below the plugin's `adapterTimeout`. Default: 25000.
   */
  budget?: number | undefined
  /** Attempts of one call after the first one. Default: 2. */
  retries?: number | undefined
  /** Calls at the upstream at once. Default: 16. */
  concurrency?: number | undefined
  /** Calls of one account at the upstream at once. Default: 6. */
  accountConcurrency?: number | undefined
  /**
   * Whether failures in a row stop all calls: 5 of them do, for 1000 at first, doubling up to 60000; failures within
   * 250 ms are one. Default: true.
   */
  breaker?: boolean | undefined
  /** Bytes of a body, after decoding. Default: 8 MiB. */
  maxBody?: number | undefined
  /** URL of an HTTP proxy, or `true` for HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Default: none. */
  proxy?: string | true | undefined
  /**
   * Sends the requests: undici's `MockAgent` in tests, or an agent of yours, which `close` leaves open. Not together
   * with `proxy`; its own limits take the place of `concurrency` connections. Default: an agent of its own.
   */
  dispatcher?: Dispatcher | undefined
}

type WithoutDefault = 'headers' | 'proxy' | 'dispatcher'
export type ValidUpstream = Pick<UpstreamOptions, WithoutDefault> & {
  [Name in Exclude<keyof UpstreamOptions, WithoutDefault>]-?: Exclude<UpstreamOptions[Name], undefined>
}

/** What is the same for all upstreams. Times are milliseconds. */
export const fixed = {
  /** For all waits of one call together: before retries, in a cool-down, at an open breaker. */
  maxWait: 5000,
  /** Calls that may wait for their turn, for a cool-down or the breaker. */
  queue: 200,
  /** Failures in a row that stop all calls, and for how long at first. */
  breaker: { failures: 5, pause: 1000 }
}

/** One request. `T` is the result of the method. */
export interface UpstreamRequest<T> {
  /** Default: `GET`, `POST` with a body. */
  method?: string | undefined
  /** Members that are `undefined` are left out. */
  query?: Record<string, string | number | boolean | undefined> | undefined
  headers?: Record<string, string> | undefined
  /** One of these at the most. */
  json?: unknown
  form?: Record<string, string> | undefined
  body?: string | Uint8Array | undefined
  /** Whether the request may be sent again. Default: true for GET and HEAD. */
  idempotent?: boolean | undefined
  timeout?: number | undefined
  retries?: number | undefined
  /** Makes the error of an answer with this status. Not async. */
  errors?: { [status: number]: (answer: UpstreamAnswer) => Error } | undefined
  /**
   * Throws for an error that came with a 2xx status. A `SourceError` with status 429 starts a cool-down too. Not async.
   */
  check?: ((body: T) => void) | undefined
}

export interface UpstreamAnswer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string | string[]>
  /** Decoded. */
  body: Buffer
}

/** For whom calls are made. */
export interface UpstreamScope {
  /** Stable, opaque id: its calls share a limit and a cool-down, and it stands in the log. */
  account?: string | undefined
  /** Ends the calls. */
  signal?: AbortSignal | undefined
  log?: Pick<FastifyBaseLogger, 'debug' | 'warn'> | undefined
  /** `request.id` of the client's request: an upstream with the option `own` gets it as `X-Request-Id`. */
  requestId?: string | undefined
  /** Of every request, over those of the options. */
  headers?: Record<string, string> | undefined
}

/** What an upstream does now. */
export interface UpstreamStats {
  /** The option `name`. */
  readonly name: string
  /** Calls that are under way. */
  readonly running: number
  /** Calls that wait for their turn, for a cool-down or the breaker. */
  readonly waiting: number
  /** `open`: it stops all calls. */
  readonly breaker: 'closed' | 'open'
  /** Cool-downs of the upstream and of accounts that stop calls. */
  readonly cooldowns: number
}

/**
 * The four methods ask for `baseUrl` + `path` (starts with `/`; encode ids in it) and resolve for a 2xx status.
 * They throw classes of `errors`, the signal's reason, what `errors` and `check` of the request make, and
 * SOURCE_ORIGIN_ERR_INVALID_OPTION or SOURCE_ORIGIN_ERR_UNKNOWN_OPTION for a request that cannot be sent.
 *
 * @see docs/guide/upstream.md
 */
export interface Upstream {
  json<T> (path: string, request?: UpstreamRequest<T>): Promise<T>
  text (path: string, request?: UpstreamRequest<string>): Promise<string>
  bytes (path: string, request?: UpstreamRequest<Buffer>): Promise<Buffer>
  /** With status and headers. `check` gets the body. */
  answer (path: string, request?: UpstreamRequest<Buffer>): Promise<UpstreamAnswer>
  /** The same upstream for one request of a client. One made from another adds to its scope and shares its budget. */
  for (scope: UpstreamScope): Upstream
  /** What it does now, over all `for`. */
  stats (): UpstreamStats
  /** Ends all calls of the upstream, whichever `for` they came from, and its connections. */
  close (): Promise<void>
}
