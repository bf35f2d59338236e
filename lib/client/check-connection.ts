import type { SourceClientOptions } from './create-source-client.ts'

/** Options of a client, checked, with their defaults. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly authorization: string | undefined
  readonly fetch: typeof globalThis.fetch
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

/** setTimeout overflows above it. */
const maximumTimeout = 2 ** 31 - 1

/** @throws TypeError that names the option, never its value: it may hold a secret */
export function checkConnection (options: SourceClientOptions): Connection {
  const { baseUrl, authorization, fetch = globalThis.fetch, timeout = 30_000, signal } = options
  if (!isBaseUrl(baseUrl)) {
    throw new TypeError('Option "baseUrl" must be an http or https URL without credentials, query and fragment')
  }
  // fetch would refuse it too, with the value in its message.
  if (authorization !== undefined && !(typeof authorization === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(authorization))) {
    throw new TypeError('Option "authorization" must be the value of a header')
  }
  if (typeof fetch !== 'function') throw new TypeError('Option "fetch" must be a function')
  if (!(timeout >= 0 && timeout <= maximumTimeout)) {
    throw new TypeError(`Option "timeout" must be a number of milliseconds from 0 to ${maximumTimeout}`)
  }
  return { baseUrl: baseUrl.replace(/\/+$/, ''), authorization: authorization || undefined, fetch, timeout, signal }
}

function isBaseUrl (baseUrl: string): boolean {
  let url: URL
  try {
    url = new URL(baseUrl)
  } catch {
    return false
  }
  return /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(baseUrl)
}
