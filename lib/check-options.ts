import { createError } from '@fastify/error'
import type { FastifyPluginOptions, LogLevel } from 'fastify'
import { didYouMean } from './did-you-mean.ts'
import type { ResolveContext } from './source-adapter.ts'

/** Options of the plugin. They are never changed, so frozen ones work. */
export interface SourceOriginOptions {
  /** Finds the adapter of a request, or rejects it. Required. */
  resolveContext: ResolveContext
  /**
   * Refuse adapter values that break the contract (500 with schema and path) instead of repairing them.
   * Default: `process.env.NODE_ENV !== 'production'`.
   */
  validateResponses?: boolean
  /**
   * Milliseconds that `resolveContext` and the adapter method may take each, then 504, up to a thirtieth later (at least 1 ms,
   * at most a second, unless the process is busy); 0 = no limit. Default: 30000.
   */
  adapterTimeout?: number
  /** Path in front of every route, for example `/music`. Default: none. */
  prefix?: string
  /** Serve `/openapi.json`. Default: `process.env.NODE_ENV !== 'production'`. */
  exposeOpenApi?: boolean
  /** Fastify's own options of `register`. */
  logLevel?: LogLevel
  logSerializers?: FastifyPluginOptions['logSerializers']
}

export type CheckedOptions = Required<Omit<SourceOriginOptions, 'prefix' | 'logLevel' | 'logSerializers'>>

const InvalidOption = createError('SOURCE_ORIGIN_ERR_INVALID_OPTION', 'Option "%s" must be %s', 500, TypeError)
const UnknownOption = createError('SOURCE_ORIGIN_ERR_UNKNOWN_OPTION', 'Unknown option "%s"%s', 500, TypeError)

/** setTimeout overflows above it. */
const maximumTimeout = 2 ** 31 - 1

const isBoolean = (value: unknown) => typeof value === 'boolean'
const rules: Record<keyof SourceOriginOptions, { must: string, holds: (value: unknown) => boolean }> = {
  resolveContext: { must: 'a function', holds: value => typeof value === 'function' },
  validateResponses: { must: 'a boolean', holds: isBoolean },
  adapterTimeout: {
    must: `a number of milliseconds from 0 to ${maximumTimeout}`,
    holds: value => typeof value === 'number' && value >= 0 && value <= maximumTimeout
  },
  prefix: {
    must: 'a path that starts with / and does not end with it',
    holds: value => typeof value === 'string' && /^(\/.*[^/])?$/.test(value)
  },
  exposeOpenApi: { must: 'a boolean', holds: isBoolean },
  logLevel: { must: 'a string', holds: value => typeof value === 'string' },
  logSerializers: { must: 'an object', holds: value => typeof value === 'object' && value !== null }
}

/**
 * The options with their defaults.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function checkOptions (options: SourceOriginOptions): CheckedOptions {
  for (const name of Object.keys(options)) {
    if (name in rules) continue
    const meant = didYouMean(name, Object.keys(rules))
    throw new UnknownOption(name, meant === undefined ? '' : `: did you mean "${meant}"?`)
  }
  const given: Record<string, unknown> = { ...options }
  for (const [name, { must, holds }] of Object.entries(rules)) {
    if (given[name] === undefined && name !== 'resolveContext') continue
    if (!holds(given[name])) throw new InvalidOption(name, must)
  }
  const development = process.env.NODE_ENV !== 'production'
  return {
    resolveContext: options.resolveContext,
    validateResponses: options.validateResponses ?? development,
    adapterTimeout: options.adapterTimeout ?? 30_000,
    exposeOpenApi: options.exposeOpenApi ?? development
  }
}
