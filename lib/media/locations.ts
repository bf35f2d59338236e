import type { FastifyBaseLogger } from 'fastify'
import { TimeoutError } from '../contract/errors.ts'
import { isObject } from '../options/is-object.ts'
import type { MediaCall, MediaKind, MediaLocation } from './media-kind.ts'

/** Milliseconds before its expiry from which a location is no longer used. */
const margin = 60_000
/** Number of locations that are kept; the oldest is removed first. */
const most = 10_000

/** A request for a location. */
export interface LocateCall {
  signal: AbortSignal
  log: FastifyBaseLogger
  /** The location that the upstream refused: another is found. */
  refused?: MediaLocation | undefined
}

/** One call of `resolve` for all who wait for it. */
interface Flight { location: Promise<MediaLocation>, controller: AbortController, waiting: number, settled: boolean }

/**
 * The locations of one kind of media: equal calls of `resolve` at the same time are one, and what it gives is kept
 * until it expires.
 */
export class Locations {
  readonly #kind: MediaKind
  readonly #timeout: number
  readonly #kept = new Map<string, MediaLocation>()
  readonly #flights = new Map<string, Flight>()

  constructor (kind: MediaKind, timeout: number) {
    this.#kind = kind
    this.#timeout = timeout
  }

  /** @throws what `resolve` throws, TimeoutError, or the reason of the signal */
  async locate (params: Record<string, string>, call: LocateCall): Promise<MediaLocation> {
    const key = JSON.stringify(params)
    const kept = this.#kept.get(key)
    if (kept !== undefined && kept !== call.refused && kept.expires! - margin > Date.now()) return kept
    this.#kept.delete(key)

    const again = call.refused !== undefined
    // A call that was started before the refusal may find the same location.
    const flightKey = `${again} ${key}`
    const flight = this.#flights.get(flightKey) ?? this.#start(flightKey, params, call.log, again)
    flight.waiting++
    try {
      const location = await unlessAborted(flight.location, call.signal)
      if (location.expires !== undefined) this.#keep(key, location)
      return location
    } finally {
      if (--flight.waiting === 0) this.#end(flightKey, flight)
    }
  }

  #start (flightKey: string, params: Record<string, string>, log: FastifyBaseLogger, again: boolean): Flight {
    const controller = new AbortController()
    const { signal } = controller
    const timer = setTimeout(() => controller.abort(new TimeoutError()), this.#timeout)
    const location = unlessAborted(this.#resolve(params, { signal, log, again }), signal).finally(() => {
      clearTimeout(timer)
      flight.settled = true
    })
    const flight: Flight = { location, controller, waiting: 0, settled: false }
    this.#flights.set(flightKey, flight)
    return flight
  }

  async #resolve (params: Record<string, string>, call: MediaCall): Promise<MediaLocation> {
    try {
      return checkLocation(await this.#kind.resolve({ ...params }, call))
    } catch (error) {
      throw error instanceof Error ? error : new TypeError(`resolve threw a value of type ${typeof error}`)
    }
  }

  #end (flightKey: string, flight: Flight): void {
    if (this.#flights.get(flightKey) === flight) this.#flights.delete(flightKey)
    if (!flight.settled) flight.controller.abort()
  }

  #keep (key: string, location: MediaLocation): void {
    this.#kept.set(key, location)
    if (this.#kept.size > most) this.#kept.delete(this.#kept.keys().next().value!)
  }
}

function checkLocation (value: unknown): MediaLocation {
  if (isObject(value) && typeof value.url === 'string') return value as unknown as MediaLocation
  throw new TypeError('resolve must give an object with a url')
}

/** The outcome of a promise, or as soon as the signal is aborted its reason. */
async function unlessAborted<T> (promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: () => void
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort!)
  }
}
