import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { requestWithoutQuery } from '../media/without-queries.ts'
import { checkOptions, type SubsonicOptions } from './check-options.ts'
import { registerRest } from './register-rest.ts'

/** The outer plugin checks the options; all that serves stays in the inner one. */
async function register (host: FastifyInstance, options: SubsonicOptions): Promise<void> {
  const checked = checkOptions(options)
  const { prefix = '', logLevel, logSerializers } = options
  // Every credential is in the query.
  const serializers = { ...logSerializers, req: requestWithoutQuery }
  // Fastify ignores the prefix of a fastify-plugin function, so the inner one gets it.
  await host.register(registerRest(checked), { prefix, ...logLevel && { logLevel }, logSerializers: serializers })
}

/**
 * The plugin: a source for apps that speak Subsonic, under `/rest`.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION at registration
 */
export const subsonic: FastifyPluginAsync<SubsonicOptions> =
  fastifyPlugin(register, { name: 'fastify-source-origin-subsonic', fastify: '5.x' })
