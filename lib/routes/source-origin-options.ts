import type { FastifyPluginOptions, LogLevel } from 'fastify'
import type { AnswerCache } from '../source/index.ts'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { aBoolean, aFunction, anObject, aPrefix, aString, hasMethods, milliseconds } from '../options/member-rules.ts'
import type { ResolveContext } from '../request/index.ts'
import type { RouteOptions } from './register-routes.ts'

/** Options of the plugin. They are never changed, so frozen ones work. */
export interface SourceOriginOptions {
  /** Finds the adapter of a request, or rejects it. Required. */
  resolveContext: ResolveContext
  /**
   * Refuse adapter values that break the contract (500 with schema and path) instead of mending them.
   * Default: `process.env.NODE_ENV !== 'production'`.
   */
  validateResponses?: boolean | undefined
  /**
   * Milliseconds that `resolveContext` and the adapter method may take each, then 504; 0 = no limit. Default: 30000.
   */
  adapterTimeout?: number | undefined
  /** Path in front of every route, for example `/music`. Default: none. */
  prefix?: string
  /** Serve `/openapi.json`. Default: `process.env.NODE_ENV !== 'production'`. */
  exposeOpenApi?: boolean | undefined
  /**
   * Show the routes in the document of a host that has `@fastify/swagger`, with unique `operationId`s. Default: false;
   * `/openapi.json` has them in any case.
   */
  inHostDocument?: boolean | undefined
  /** Keeps answers for each account: `createSourceCache` of `fastify-source-origin/cache` makes it. Default: none. */
  cache?: AnswerCache | undefined
  /** Fastify's own options of `register`. */
  logLevel?: LogLevel
  logSerializers?: FastifyPluginOptions['logSerializers']
}

const rules: Record<Exclude<keyof SourceOriginOptions, 'resolveContext'>, MemberRule> = {
  validateResponses: aBoolean,
  adapterTimeout: milliseconds(0),
  prefix: aPrefix,
  exposeOpenApi: aBoolean,
  inHostDocument: aBoolean,
  cache: { must: 'made by createSourceCache', holds: hasMethods('attach') },
  logLevel: aString,
  logSerializers: anObject
}

/** The options with their defaults. */
export function validateSourceOptions (options: SourceOriginOptions): RouteOptions {
  validateMembers(options, { ...optional(rules), resolveContext: aFunction })
  const development = process.env.NODE_ENV !== 'production'
  return {
    resolveContext: options.resolveContext,
    validateResponses: options.validateResponses ?? development,
    adapterTimeout: options.adapterTimeout ?? 30_000,
    exposeOpenApi: options.exposeOpenApi ?? development,
    inHostDocument: options.inHostDocument ?? false,
    cache: options.cache,
    development
  }
}
