import { invalidOption } from '../errors/author-errors.ts'
import { longestTimeout } from '../async/longest-timeout.ts'

/** Bytes: some 14,000 tracks. */
const mostOfBody = 10 * 1024 * 1024

export interface SourceClientOptions {
  /**
   * http or https URL of the origin, with the prefix of its routes and nothing after it:
   * `https://music.example/prefix`.
   */
  baseUrl: string
  /**
   * The value of the `Authorization` header, exactly as the origin expects it. Without it only `serviceStatus` works.
   */
  authorization?: string | undefined
  /** Called instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Milliseconds that one call may take, its body included; 0 = no limit. Default: 30000. */
  timeout?: number | undefined
  /** Bytes of the body of one answer, after decompression. Default: 10485760. */
  maxBody?: number | undefined
  /** Aborts every call of this client; a call then throws the signal's reason. */
  signal?: AbortSignal | undefined
}

/** Options of a client, checked and with their defaults. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly authorization: string | undefined
  readonly fetch: typeof globalThis.fetch
  readonly timeout: number
  readonly maxBody: number
  readonly signal: AbortSignal | undefined
}

/** @throws SOURCE_ORIGIN_ERR_INVALID_OPTION that names the option, never its value: it may hold a secret */
export function validateConnection (options: SourceClientOptions): Connection {
  const { baseUrl, authorization, fetch = globalThis.fetch, timeout = 30_000, maxBody = mostOfBody, signal } = options
  const base = /^(https?:\/\/[^/?#@]+(?:\/+[^/?#]+)*)\/*$/i.exec(baseUrl)?.[1]
  if (!base || !URL.canParse(base)) {
    throw invalidOption('baseUrl', 'an http or https URL without credentials, query and fragment')
  }
  // fetch refuses it too, but with the value in its message.
  if (
    authorization !== undefined &&
    !(typeof authorization === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(authorization))
  ) {
    throw invalidOption('authorization', 'the value of a header')
  }
  if (typeof fetch !== 'function') throw invalidOption('fetch', 'a function')
  if (!(timeout >= 0 && timeout <= longestTimeout)) {
    throw invalidOption('timeout', `a number of milliseconds from 0 to ${longestTimeout}`)
  }
  if (!(maxBody >= 1)) throw invalidOption('maxBody', 'a number of bytes from 1')
  return { baseUrl: base, authorization: authorization || undefined, fetch, timeout, maxBody, signal }
}
