import { limitConcurrency, sdkVersion } from 'fastify-source-origin'
import type { Upstream } from 'fastify-source-origin/upstream'
import type { Listen, Listened } from '../state/listens.ts'

/** The minimum interval between calls in milliseconds. ListenBrainz allows one call per second, Last.fm five. */
export const between = { listenBrainz: 1000, lastFm: 250 }

/** Both services require it, and ListenBrainz may block calls without it. */
const headers = { 'user-agent': `fastify-source-origin/${sdkVersion}` }

/** Creates a client of a service, which is imported at its first use, because most sources have no connections. */
export function clientOf (name: string, baseUrl: string) {
  let made: Promise<Upstream> | undefined
  async function make (): Promise<Upstream> {
    const { createUpstream } = await import('fastify-source-origin/upstream')
    // Failed calls are retried from the queue.
    return createUpstream({ baseUrl, name, headers, retries: 0, breaker: false })
  }
  return {
    use () {
      made ??= make()
      return made
    },
    close: async () => (await made)?.close()
  }
}

/**
 * Creates a function that runs calls sequentially, each at least `ms` milliseconds after the start of the preceding
 * one.
 */
export function paced (ms: number): <T>(call: () => Promise<T>) => Promise<T> {
  const limit = limitConcurrency({ inAll: 1 })
  let free = Promise.resolve()
  return call => limit(async () => {
    await free
    free = new Promise(resolve => { setTimeout(resolve, ms).unref() })
    return call()
  })
}

/** The maximum pause in milliseconds that a service can request. */
const longestWait = 86_400_000
/** The maximum length in characters of a stored message of a service. */
const longestText = 300

/** Returns the requested pause in whole milliseconds, because the database stores integers. */
export const waitOf = (ms: number): number => ms > 0 ? Math.ceil(Math.min(ms, longestWait)) : 0

/**
 * Returns the message of a service in a form that is safe for a log and a terminal. It may contain any characters,
 * including the sent secret.
 *
 * @param secret is removed before the message is cut
 */
export const readable = (text: string, secret?: string): string =>
  (secret ? text.replaceAll(secret, '...') : text)
    .replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, longestText)

/** The error of a rejected or failed call. Its message may contain the message of the service: see `readable`. */
export class ServiceError extends Error {
  /**
   * `later`: it may work later. `login`: it works after a correction of the account or the settings. `refused`: it
   * never works.
   */
  readonly kind: 'later' | 'login' | 'refused'
  /** The pause in milliseconds that the service requested. */
  readonly wait: number

  constructor (kind: ServiceError['kind'], message: string, wait = 0) {
    super(message)
    this.kind = kind
    this.wait = wait
  }
}

interface Told {
  readonly wait: number
  readonly later: readonly Listen[]
  readonly ignored?: number
}

/** A scrobbling service. Its methods throw a ServiceError, or an error of `createUpstream`. */
export interface Service {
  /** The display name. */
  readonly title: string
  /** The maximum number of scrobbles per call. */
  readonly most: number
  /** @returns the user name of the secret */
  check (secret: string): Promise<string>
  nowPlaying (secret: string, listened: Listened): Promise<void>
  /**
   * Sends scrobbles. A service counts a repeated scrobble once.
   *
   * @returns the pause in milliseconds before the next call, the scrobbles to send later, and the number of the others
   * that do not count
   */
  tell (secret: string, listens: readonly Listen[]): Promise<Told>
  close (): Promise<void>
}

/** Services by their names in commands. */
export type Services = ReadonlyMap<string, Service>
