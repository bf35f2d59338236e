import type { FastifyInstance } from 'fastify'
import { decoratorTaken, pluginTaken } from '../errors/author-errors.ts'
import { validateMembers } from '../options/validate-members.ts'
import { allowOrigins, browserHeaders } from './browser-headers.ts'
import { compressAnswers } from './compress-answers.ts'
import { doorRules, type DoorOptions } from './door-options.ts'
import { limitTries, type Tries } from './limit-tries.ts'
import { shedLoad } from './shed-load.ts'

export type { DoorOptions, TriesRedis } from './door-options.ts'
export type { Tries } from './limit-tries.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `false`: the route is answered by a process that is too busy for others. */
    shedLoad?: boolean
  }
  interface FastifyInstance {
    /** Limits how often an address may send what is wrong: where `serveSource` has the option `door`. */
    tries?: Tries
  }
}

/**
 * Protects a server, with all routes that come from now on: headers for browsers, limits of what runs and waits,
 * compression, and limits of wrong tokens.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION; SOURCE_ORIGIN_ERR_DECORATOR_TAKEN for a
 * host that has a decorator `tries`; SOURCE_ORIGIN_ERR_PLUGIN_TAKEN for one that has registered one of its plugins;
 * SOURCE_ORIGIN_ERR_MISSING_PACKAGE when one of its packages, which are optional, is
 * not installed
 */
export async function registerDoor (app: FastifyInstance, options: DoorOptions): Promise<void> {
  validateMembers(options, doorRules, 'door')
  const { headers = true, compress = true, load = true, tries = true, origins, redis } = options
  if (tries && app.hasDecorator('tries')) throw decoratorTaken('tries')
  // @fastify/helmet may be there twice, and @fastify/rate-limit has a part of the server to itself.
  for (const [isOn, name, option, without] of [
    [compress, 'compress', 'compress', 'set it to false'],
    [load, 'under-pressure', 'load', 'set it to false'],
    [origins, 'cors', 'origins', 'leave the option out']
  ] as const) {
    if (isOn && app.hasPlugin(`@fastify/${name}`)) throw pluginTaken(`@fastify/${name}`, `door.${option}`, without)
  }
  if (headers) await browserHeaders(app, options)
  if (origins !== undefined) await allowOrigins(app, origins)
  if (load) await shedLoad(app)
  if (compress) await compressAnswers(app)
  if (tries) app.decorate('tries', await limitTries(app, redis))
}
