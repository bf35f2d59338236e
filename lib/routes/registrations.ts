import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { alreadyRegistered } from '../errors/author-errors.ts'
import type { RegisteredSource } from '../request/index.ts'
import type { PlayCount } from '../contract/source-extras.ts'
import type { Asker } from '../source/index.ts'

const registrations = Symbol('fastify-source-origin.registrations')

/** Ratings of tracks, 1 to 5, where a protocol keeps them. `listener` is what `listenerKey` gives. */
export interface Ratings {
  /** Those of some tracks, by their ids. */
  of (asker: Asker, listener: string, tracks: readonly string[]): Promise<Readonly<Record<string, number>>>
  /** 0 = none any more. */
  rate (asker: Asker, listener: string, track: string, rating: number): Promise<void>
}

/** What is registered below one prefix. */
export interface Registration {
  source?: RegisteredSource
  /** Names of the plugins that are there. */
  readonly plugins: Set<string>
  /** Answers `GET <prefix>/` where Subsonic has the route; the page takes its place. */
  answerRoot?: (request: FastifyRequest, reply: FastifyReply) => unknown
  /** Of the Subsonic plugin. */
  ratings?: Ratings
  /** The plays that the Subsonic plugin keeps of a listener. */
  keptPlays?: (listener: string) => Promise<readonly PlayCount[]>
  /** Path of the page on the server. */
  page?: string
}

/** What is registered in a host and below it. Without it, a plugin in a child shares nothing with the host. */
export function openRegistrations (host: FastifyInstance): Map<string, Registration> {
  if (!host.hasDecorator(registrations)) host.decorate(registrations, new Map())
  return host.getDecorator(registrations)
}

/**
 * Notes that a plugin is registered, and returns what else is below its prefix.
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
