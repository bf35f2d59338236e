import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import {
  keepRoutes, refuseTaken, register, registerRoutes, type SourceOriginOptions, validateSourceOptions
} from './routes/index.ts'
import { decoratorTaken, invalidOption } from './errors/author-errors.ts'
import type { RequestContext } from './contract/source-context.ts'
import { isObject } from './options/is-object.ts'
import { withoutUndefined } from './options/without-undefined.ts'
import { sourceCall } from './request/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The context of an authorised `/v1` request, `null` elsewhere. */
    sourceContext: RequestContext | null
  }
}

const metadata = { name: 'fastify-source-origin', fastify: '^5.12.0' }

/** Registers the outer plugin, which adds decorators to the app. Everything else is in the inner plugin. */
async function registerSource (host: FastifyInstance, options: SourceOriginOptions): Promise<void> {
  const valid = validateSourceOptions(options)
  // A second source in the same app finds the decorators of the first.
  if (!host.hasRequestDecorator(sourceCall)) {
    if (host.hasRequestDecorator('sourceContext')) throw decoratorTaken('sourceContext')
    host.decorateRequest(sourceCall, null)
    host.decorateRequest('sourceContext', null)
  }
  const { prefix = '', logLevel, logSerializers } = options
  const registration = register(host, 'fastify-source-origin', prefix)
  const path = host.prefix + prefix
  refuseTaken(host, path, valid.exposeOpenApi)
  // Fastify ignores the prefix of a fastify-plugin function, so it is passed to the inner plugin.
  await host.register(registerRoutes(valid, registration), { prefix, ...logLevel && { logLevel }, logSerializers })
  keepRoutes(host, path, valid.exposeOpenApi)
}

/**
 * The plugin: all routes of a source, served by the adapter that `resolveContext` returns.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION, SOURCE_ORIGIN_ERR_DECORATOR_TAKEN,
 * SOURCE_ORIGIN_ERR_ALREADY_REGISTERED, SOURCE_ORIGIN_ERR_ROUTE_TAKEN at registration
 * @see docs/reference/contract.md
 */
export const sourceOrigin: FastifyPluginAsync<SourceOriginOptions> = fastifyPlugin(registerSource, metadata)

const notCalled = 'given to createSourceRouter: register(createSourceRouter({ resolveContext })), not ' +
  'register(createSourceRouter)'

/**
 * Returns the plugin with its options bound. Options of `register` override them; `undefined` is ignored.
 *
 * @throws the same errors as the plugin, at registration
 */
export function createSourceRouter (
  options: SourceOriginOptions
): FastifyPluginAsync<Partial<SourceOriginOptions>> {
  // Fastify would wait forever for a plugin that is not valid.
  if (!isObject(options)) throw invalidOption('resolveContext', 'given to createSourceRouter({ resolveContext })')
  if ('decorateRequest' in options) return Promise.reject(invalidOption('resolveContext', notCalled)) as never
  return fastifyPlugin(
    (host: FastifyInstance, more: Partial<SourceOriginOptions>) =>
      registerSource(host, { ...options, ...withoutUndefined(more) }),
    metadata
  )
}
