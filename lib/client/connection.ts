import { invalidOption } from '../errors/author-errors.ts'
import { longestTimeout } from '../async/longest-timeout.ts'

/** The default of `maxBody` in bytes: some 14,000 tracks. */
const mostOfBody = 10 * 1024 * 1024

export interface SourceClientOptions {
  /** The http or https URL of the source server, including the prefix of its routes: `https://music.example/prefix`. */
  baseUrl: string
  /**
   * The value of the `Authorization` header, exactly as the server expects it. Without it only `serviceStatus` works.
   */
  authorization?: string | undefined
  /** A replacement of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** The timeout of one call in milliseconds, including its body; 0 = no limit. Default: 30000. */
  timeout?: number | undefined
  /** The maximum size of a response body in bytes, after decompression. Default: 10485760. */
  maxBody?: number | undefined
  /** Aborts every call of this client. A call then throws the signal's reason. */
  signal?: AbortSignal | undefined
}

/** The validated options of a client, with defaults. */
export interface Connection {
  /** The base URL without a trailing slash. */
  readonly baseUrl: string
  readonly authorization: string | undefined
  readonly fetch: typeof globalThis.fetch
  readonly timeout: number
  readonly maxBody: number
  readonly signal: AbortSignal | undefined
}

/** @throws SOURCE_ORIGIN_ERR_INVALID_OPTION that names the option, but not its value, which may contain a secret */
export function validateConnection (options: SourceClientOptions): Connection {
  const { baseUrl, authorization, fetch = globalThis.fetch, timeout = 30_000, maxBody = mostOfBody, signal } = options
  const base = /^(https?:\/\/[^/?#@]+(?:\/+[^/?#]+)*)\/*$/i.exec(baseUrl)?.[1]
  if (!base || !URL.canParse(base)) {
    throw invalidOption('baseUrl', 'an http or https URL without credentials, query and fragment')
  }
  // fetch rejects it too, but its message contains the value.
  if (
    authorization !== undefined &&
    !(typeof authorization === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(authorization))
  ) {
    throw invalidOption('authorization', 'the value of a header')
  }
  if (typeof fetch !== 'function') throw invalidOption('fetch', 'a function')
  if (/\/v1$/.test(base)) throw invalidOption('baseUrl', 'the address of the source without /v1')
  if (!(timeout >= 0 && timeout <= longestTimeout)) {
    throw invalidOption('timeout', `a number of milliseconds from 0 to ${longestTimeout}`)
  }
  if (!(maxBody >= 1)) throw invalidOption('maxBody', 'a number of bytes from 1')
  return { baseUrl: base, authorization: authorization || undefined, fetch, timeout, maxBody, signal }
}
