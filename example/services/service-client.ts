import { limitConcurrency, sdkVersion } from 'fastify-source-origin'
import type { Upstream } from 'fastify-source-origin/upstream'
import type { Listen, Listened } from '../state/listens.ts'

/** Milliseconds between the beginnings of calls: ListenBrainz allows one a second, Last.fm five. */
export const between = { listenBrainz: 1000, lastFm: 250 }

/** Both services require it, and ListenBrainz may block calls without it. */
const headers = { 'user-agent': `fastify-source-origin/${sdkVersion}` }

/** A client of a service, which is loaded when it is used: most sources have none to tell. */
export function clientOf (name: string, baseUrl: string) {
  let made: Promise<Upstream> | undefined
  async function make (): Promise<Upstream> {
    const { createUpstream } = await import('fastify-source-origin/upstream')
    // What fails is told again by who keeps it.
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

/** Calls one after the other, each at least so many milliseconds after the beginning of the one before. */
export function paced (ms: number): <T>(call: () => Promise<T>) => Promise<T> {
  const limit = limitConcurrency({ inAll: 1 })
  let free = Promise.resolve()
  return call => limit(async () => {
    await free
    free = new Promise(resolve => { setTimeout(resolve, ms).unref() })
    return call()
  })
}

/** Milliseconds of the longest time that a service can ask to wait: then it is tried again. */
const longestWait = 86_400_000
/** Characters of what a service said that are kept and shown. */
const longestText = 300

/** Milliseconds to wait, from what a service said: whole ones, as the database keeps them. */
export const waitOf = (ms: number): number => ms > 0 ? Math.ceil(Math.min(ms, longestWait)) : 0

/**
 * What a service said, for a log and a terminal. It may be anything, and send back what it was sent.
 *
 * @param secret is taken out, before the text is cut
 */
export const readable = (text: string, secret?: string): string =>
  (secret ? text.replaceAll(secret, '...') : text)
    .replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, longestText)

/** Why a service did not take something. Its message may hold what the service said: see `readable`. */
export class ServiceError extends Error {
  /** `later` may work then, `login` when the account or the settings were put right, `refused` never. */
  readonly kind: 'later' | 'login' | 'refused'
  /** Milliseconds that it asks to wait. */
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

/** A service that is told what accounts listen to. Its methods throw a ServiceError, or one of `createUpstream`. */
export interface Service {
  /** As people read it. */
  readonly title: string
  /** Listens that it takes at a time. */
  readonly most: number
  /** @returns the name of the user whose secret it is */
  check (secret: string): Promise<string>
  nowPlaying (secret: string, listened: Listened): Promise<void>
  /**
   * Tells listens. The same ones told again are one for it.
   *
   * @returns milliseconds to wait before the next call, those that it wants to be told later, and how many of the
   * others it does not count
   */
  tell (secret: string, listens: readonly Listen[]): Promise<Told>
  close (): Promise<void>
}

/** Services by the names that commands have for them. */
export type Services = ReadonlyMap<string, Service>
