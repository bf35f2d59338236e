import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { alreadyRegistered } from '../errors/author-errors.ts'
import type { SubsonicStore } from '../queue/index.ts'
import type { RegisteredSource } from '../request/index.ts'
import type { PlayCount } from '../contract/source-extras.ts'
import type { SourceSession } from '../source/index.ts'

const registrations = Symbol('fastify-source-origin.registrations')

/** The ratings of tracks, 1 to 5, if a protocol stores them. `listener` is the result of `listenerKey`. */
export interface Ratings {
  /** Returns the ratings of some tracks, by track id. */
  of (session: SourceSession, listener: string, tracks: readonly string[]): Promise<Readonly<Record<string, number>>>
  /** Sets a rating; 0 removes it. */
  rate (session: SourceSession, listener: string, track: string, rating: number): Promise<void>
}

/** The plugins and data below one prefix. */
export interface Registration {
  source?: RegisteredSource
  /** The names of the registered plugins. */
  readonly plugins: Set<string>
  /** The handler of `GET <prefix>/`, set by the Subsonic plugin and replaced by the page. */
  answerRoot?: (request: FastifyRequest, reply: FastifyReply) => unknown
  /** The store of the account data that protocols share. */
  store?: SubsonicStore
  /** The ratings of the Subsonic plugin. */
  ratings?: Ratings
  /** Returns the plays of a listener that the Subsonic plugin stores. */
  keptPlays?: (listener: string) => Promise<readonly PlayCount[]>
  /** The path of the page on the server. */
  page?: string
}

/** Returns the registrations of an app. Without it, a plugin in a child context shares nothing with the app. */
export function openRegistrations (host: FastifyInstance): Map<string, Registration> {
  if (!host.hasDecorator(registrations)) host.decorate(registrations, new Map())
  return host.getDecorator(registrations)
}

/**
 * Registers a plugin and returns the registration below its prefix.
 *
 * @param plugin name for the message
 * @throws SOURCE_ORIGIN_ERR_ALREADY_REGISTERED
 */
export function register (host: FastifyInstance, plugin: string, prefix = ''): Registration {
  const all = openRegistrations(host)
  const path = host.prefix + prefix
  const found = all.get(path) ?? { plugins: new Set() }
  all.set(path, found)
  if (found.plugins.has(plugin)) throw alreadyRegistered(plugin, path)
  found.plugins.add(plugin)
  return found
}
