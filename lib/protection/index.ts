import type { FastifyInstance } from 'fastify'
import { decoratorTaken, pluginTaken } from '../errors/author-errors.ts'
import { validateMembers } from '../options/validate-members.ts'
import { allowOrigins, browserHeaders } from './browser-headers.ts'
import { compressAnswers } from './compress-answers.ts'
import { protectionRules, type ProtectionOptions } from './protection-options.ts'
import { limitLogins, type LoginLimiter } from './limit-logins.ts'
import { shedLoad } from './shed-load.ts'

export type { ProtectionOptions, LoginLimitRedis } from './protection-options.ts'
export type { LoginLimiter } from './limit-logins.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** If `false`, the route responds even if the process is overloaded. */
    shedLoad?: boolean
  }
  interface FastifyInstance {
    /** Limits the wrong attempts of each address. Present if `serveSource` has the option `protection`. */
    loginLimiter?: LoginLimiter
  }
}

/**
 * Protects a server and all routes that are registered later: security headers, limits of running and waiting requests,
 * compression, and limits of wrong tokens.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION; SOURCE_ORIGIN_ERR_DECORATOR_TAKEN if the
 * app has a decorator `tries`; SOURCE_ORIGIN_ERR_PLUGIN_TAKEN if the app has registered one of the plugins;
 * SOURCE_ORIGIN_ERR_MISSING_PACKAGE if one of the optional packages is not installed
 */
export async function registerProtection (app: FastifyInstance, options: ProtectionOptions): Promise<void> {
  validateMembers(options, protectionRules, 'protection')
  const { headers = true, compress = true, load = true, loginLimit = true, origins, redis } = options
  if (loginLimit && app.hasDecorator('loginLimiter')) throw decoratorTaken('loginLimiter')
  // @fastify/helmet can be registered twice, and @fastify/rate-limit is registered in its own context.
  for (const [isOn, name, option, without] of [
    [compress, 'compress', 'compress', 'set it to false'],
    [load, 'under-pressure', 'load', 'set it to false'],
    [origins, 'cors', 'origins', 'leave the option out']
  ] as const) {
    if (isOn && app.hasPlugin(`@fastify/${name}`)) {
      throw pluginTaken(
      `@fastify/${name}`, `protection.${option}`, without
      )
    }
  }
  if (headers) await browserHeaders(app, options)
  if (origins !== undefined) await allowOrigins(app, origins)
  if (load) await shedLoad(app)
  if (compress) await compressAnswers(app)
  if (loginLimit) app.decorate('loginLimiter', await limitLogins(app, redis))
}
