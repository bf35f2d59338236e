import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { checkOptions, type SourceOriginOptions } from './check-options.ts'
import { registerRoutes } from './register-routes.ts'

const metadata = { name: 'fastify-source-origin', fastify: '5.x' }

/** The outer plugin holds what the host sees: the decorators. All the rest stays in the inner one. */
async function register (host: FastifyInstance, options: SourceOriginOptions): Promise<void> {
  const checked = checkOptions(options)
  for (const name of ['sourceContext', 'sourceCall']) if (!host.hasRequestDecorator(name)) host.decorateRequest(name, null)
  const { prefix, logLevel, logSerializers } = options
  // Fastify ignores the prefix of a fastify-plugin function, so the inner one gets it.
  await host.register(registerRoutes(checked), { prefix, logLevel, logSerializers })
}

/**
 * The plugin: all routes of a source origin, answered by the adapter that `resolveContext` gives.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION at registration
 * @see protocol.md
 */
export const sourceOrigin: FastifyPluginAsync<SourceOriginOptions> = fastifyPlugin(register, metadata)

/**
 * The plugin with its options bound; what `register` is given besides goes before them.
 *
 * @throws the same as the plugin, at registration
 */
export const createSourceRouter = (options: SourceOriginOptions): FastifyPluginAsync<Partial<SourceOriginOptions>> =>
  fastifyPlugin((host: FastifyInstance, more: Partial<SourceOriginOptions>) => register(host, { ...options, ...more }), metadata)
