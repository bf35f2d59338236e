import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import { SingleFlight } from '../async/single-flight.ts'
import { isObject } from '../options/is-object.ts'
import type { MediaCall, MediaKind, MediaLocation } from './media-kind.ts'

/** The margin in milliseconds before its expiry at which a location is discarded. */
const margin = 60_000
/** The maximum number of cached locations. The most recently used stay. */
const maxLocations = 10_000

/** A location that the upstream rejected. */
export interface Rejected {
  readonly location: MediaLocation | undefined
  /** The status of the upstream; `undefined` for broken connections. */
  readonly status: number | undefined
}

/** A request for a location. */
export interface LocateCall {
  signal: AbortSignal
  log: FastifyBaseLogger
  /** The rejected location. `resolve` must return another one. */
  refused?: Rejected | undefined
}

/**
 * The locations of one kind of media. Concurrent identical calls of `resolve` share one call, and the result is cached
 * until it expires.
 */
export class Locations {
  readonly #kind: MediaKind
  readonly #kept = new LRUCache<string, MediaLocation>({ max: maxLocations })
  readonly #calls: SingleFlight<MediaLocation>

  /** @param timeout the timeout of `resolve` in milliseconds */
  constructor (kind: MediaKind, timeout: number) {
    this.#kind = kind
    this.#calls = new SingleFlight(timeout)
  }

  /** @throws errors of `resolve`, TimeoutError, or the reason of the signal */
  async locate (params: Record<string, string>, { signal, log, refused }: LocateCall): Promise<MediaLocation> {
    const key = JSON.stringify(params)
    const kept = this.#kept.get(key)
    if (kept !== undefined && kept !== refused?.location && kept.expiresAt! - margin > Date.now()) return kept
    this.#kept.delete(key)

    const retry = { isRetry: refused !== undefined, status: refused?.status }
    // A call that started before the rejection may return the rejected location again, so it has another key.
    const resolve = (signal: AbortSignal) => this.#resolve(params, { signal, log, ...retry })
    const location = await this.#calls.do(`${JSON.stringify(retry)} ${key}`, resolve, signal)
    if (location.expiresAt !== undefined) this.#kept.set(key, location)
    return location
  }

  async #resolve (params: Record<string, string>, call: MediaCall): Promise<MediaLocation> {
    try {
      return validateLocation(await this.#kind.resolve({ ...params }, call))
    } catch (error) {
      throw error instanceof Error ? error : new TypeError(`resolve threw a value of type ${typeof error}`)
    }
  }
}

function validateLocation (value: unknown): MediaLocation {
  if (!isObject(value) || typeof value.url !== 'string') throw new TypeError('resolve must give an object with a url')
  const location = value as unknown as MediaLocation
  const { headers } = location
  // The entries of a `Headers` object are not properties.
  return headers instanceof Headers ? { ...location, headers: Object.fromEntries(headers) } : location
}
