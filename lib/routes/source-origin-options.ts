import type { FastifyPluginOptions, LogLevel } from 'fastify'
import type { ResponseCache } from '../source/index.ts'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { aBoolean, aFunction, anObject, aPrefix, aString, hasMethods, milliseconds } from '../options/member-rules.ts'
import type { ResolveContext } from '../request/index.ts'
import type { RouteOptions } from './register-routes.ts'

/** Options of the plugin. They are never changed, so frozen ones work. */
export interface SourceOriginOptions {
  /** Finds the adapter of a request, or rejects it. Required. */
  resolveContext: ResolveContext
  /**
   * If `true`, adapter responses that violate the contract are rejected (500 with schema and path) instead of repaired.
   * Default: `process.env.NODE_ENV !== 'production'`.
   */
  validateResponses?: boolean | undefined
  /**
   * The timeout of `resolveContext` and of the adapter method in milliseconds, after which the response is a 504; 0 =
   * no limit. Default: 30000.
   */
  adapterTimeout?: number | undefined
  /** The path prefix of every route, for example `/music`. Default: none. */
  prefix?: string
  /** If `true`, serves `/openapi.json`. Default: `process.env.NODE_ENV !== 'production'`. */
  exposeOpenApi?: boolean | undefined
  /**
   * If `true`, adds the routes, with unique `operationId`s, to the document of an app with `@fastify/swagger`.
   * `/openapi.json` contains them in any case. Default: false.
   */
  inHostDocument?: boolean | undefined
  /**
   * The cache of responses for each account, created by `createSourceCache` of `fastify-source-origin/cache`. Default:
   * none.
   */
  cache?: ResponseCache | undefined
  /** Options of Fastify's `register`. */
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

/** Validates the options and adds their defaults. */
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
