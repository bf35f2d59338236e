import type { FastifyBaseLogger } from 'fastify'
import type { Dispatcher } from 'undici'

/** Options of an upstream. Times are milliseconds. */
export interface UpstreamOptions {
  /** The http or https base URL, with or without a path; without credentials, query and fragment. Required. */
  baseUrl: string
  /** The name in channels and metrics: letters, digits, `-`, `_` and `.`. Default: `upstream`. */
  name?: string | undefined
  /** If `true`, the upstream is your own service, and receives trace headers and `X-Request-Id`. Default: false. */
  trusted?: boolean | undefined
  /** Headers sent with every request. */
  headers?: Record<string, string> | undefined
  /** The timeout of one attempt, including its body. Default: 8000. */
  timeout?: number | undefined
  /**
   * The time limit of all calls of one `for` together, from its first call on, including waits and the queue; of one
   * call without `for`. It should be below the plugin's `adapterTimeout`. Default: 25000.
   */
  budget?: number | undefined
  /** The maximum number of attempts after the first one. Default: 2. */
  retries?: number | undefined
  /** The maximum number of concurrent calls. Default: 16. */
  concurrency?: number | undefined
  /** The maximum number of concurrent calls per account. Default: 6. */
  accountConcurrency?: number | undefined
  /**
   * If `true`, a circuit breaker stops all calls after 5 consecutive failures, for 1000 at first, doubling up to 60000.
   * Failures within 250 ms count as one. Default: true.
   */
  breaker?: boolean | undefined
  /** The maximum size of a body in bytes, after decoding. Default: 8 MiB. */
  maxBody?: number | undefined
  /** The URL of an HTTP proxy, or `true` for HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Default: none. */
  proxy?: string | true | undefined
  /**
   * The undici dispatcher that sends the requests: a `MockAgent` in tests, or your own agent, which `close` leaves
   * open. Not together with `proxy`. Its own limits replace the `concurrency` connections. Default: a separate agent.
   */
  dispatcher?: Dispatcher | undefined
}

type WithoutDefault = 'headers' | 'proxy' | 'dispatcher'
export type ValidUpstream = Pick<UpstreamOptions, WithoutDefault> & {
  [Name in Exclude<keyof UpstreamOptions, WithoutDefault>]-?: Exclude<UpstreamOptions[Name], undefined>
}

/** Constants of all upstreams. Times are milliseconds. */
export const fixed = {
  /** The maximum time of all waits of one call: before retries, in a cool-down, at an open breaker. */
  maxWait: 5000,
  /** The maximum number of calls that wait for a slot, a cool-down or the breaker. */
  queue: 200,
  /** The number of consecutive failures that stop all calls, and the first pause. */
  breaker: { failures: 5, pause: 1000 }
}

/** A request. `T` is the result type of the method. */
export interface UpstreamRequest<T> {
  /** The HTTP method. Default: `GET`, or `POST` with a body. */
  method?: string | undefined
  /** The query parameters. `undefined` values are omitted. */
  query?: Record<string, string | number | boolean | undefined> | undefined
  headers?: Record<string, string> | undefined
  /** The body as JSON. Set at most one of `json`, `form` and `body`. */
  json?: unknown
  form?: Record<string, string> | undefined
  body?: string | Uint8Array | undefined
  /** If `true`, the request may be sent again. Default: true for GET and HEAD. */
  idempotent?: boolean | undefined
  timeout?: number | undefined
  retries?: number | undefined
  /** Functions that create the error for a response with a status. Must be synchronous. */
  errors?: { [status: number]: (answer: UpstreamResponse) => Error } | undefined
  /**
   * Throws an error for an invalid 2xx response. A `SourceError` with status 429 starts a cool-down too. Must be
   * synchronous.
   */
  check?: ((body: T) => void) | undefined
}

export interface UpstreamResponse {
  status: number
  /** The headers, with lower-case names. */
  headers: Record<string, string | string[]>
  /** The decoded body. */
  body: Buffer
}

/** The scope of calls. */
export interface UpstreamScope {
  /** A stable, opaque account id. The account's calls share a limit and a cool-down. The id appears in the log. */
  account?: string | undefined
  /** Aborts the calls. */
  signal?: AbortSignal | undefined
  log?: Pick<FastifyBaseLogger, 'debug' | 'warn'> | undefined
  /** The `request.id` of the client's request, sent as `X-Request-Id` to an upstream with the option `own`. */
  requestId?: string | undefined
  /** Headers sent with every request. They override the headers of the options. */
  headers?: Record<string, string> | undefined
}

/** The current state of an upstream. */
export interface UpstreamStats {
  /** The option `name`. */
  readonly name: string
  /** The number of running calls. */
  readonly running: number
  /** The number of calls that wait for a slot, a cool-down or the breaker. */
  readonly waiting: number
  /** The state of the circuit breaker. `open`: it stops all calls. */
  readonly breaker: 'closed' | 'open'
  /** The number of active cool-downs, of the upstream and of accounts. */
  readonly cooldowns: number
}

/**
 * The four methods request `baseUrl` + `path` (starts with `/`; encode ids in it) and resolve for a 2xx status. They
 * throw classes of `errors`, the signal's reason, the errors created by `errors` and `check` of the request, and
 * SOURCE_ORIGIN_ERR_INVALID_OPTION or SOURCE_ORIGIN_ERR_UNKNOWN_OPTION for an invalid request.
 *
 * @see docs/reference/upstream.md
 */
export interface Upstream {
  json<T> (path: string, request?: UpstreamRequest<T>): Promise<T>
  text (path: string, request?: UpstreamRequest<string>): Promise<string>
  bytes (path: string, request?: UpstreamRequest<Buffer>): Promise<Buffer>
  /** Returns the response with status and headers. `check` gets the body. */
  response (path: string, request?: UpstreamRequest<Buffer>): Promise<UpstreamResponse>
  /** Returns the same upstream for one request of a client. A nested `for` extends the scope and shares its budget. */
  for (scope: UpstreamScope): Upstream
  /** Returns the current state, including the calls of all `for`. */
  stats (): UpstreamStats
  /** Ends all calls of the upstream, of any `for`, and its connections. */
  close (): Promise<void>
}
