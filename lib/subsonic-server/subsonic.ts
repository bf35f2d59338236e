import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { noSource } from '../errors/author-errors.ts'
import { serializerWithoutQuery } from '../media/internal.ts'
import { register } from '../routes/index.ts'
import { validateSubsonicOptions, type SubsonicOptions } from './subsonic-options.ts'
import { registerRest } from './register-rest.ts'

/** Registers the outer plugin, which checks the options. Everything else is in the inner one. */
async function registerSubsonic (host: FastifyInstance, options: SubsonicOptions): Promise<void> {
  const valid = validateSubsonicOptions(options)
  const { prefix = '', logLevel, logSerializers } = options
  const registration = register(host, 'subsonic', prefix)
  if (registration.source === undefined) throw noSource('subsonic', host.prefix + prefix)
  // Queries contain credentials.
  const serializers = { ...logSerializers, req: serializerWithoutQuery(host.log, logSerializers?.req) }
  // Fastify ignores the prefix of a fastify-plugin function, so it is passed to the inner plugin.
  await host.register(registerRest(valid, registration.source, registration),
    { prefix, ...logLevel && { logLevel }, logSerializers: serializers })
}

/**
 * The plugin that serves a source to Subsonic apps under `/rest`. It serves the source that is registered below the
 * same prefix.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION, SOURCE_ORIGIN_ERR_NO_SOURCE,
 *   SOURCE_ORIGIN_ERR_ALREADY_REGISTERED at registration
 */
export const subsonic: FastifyPluginAsync<SubsonicOptions> =
  fastifyPlugin(registerSubsonic, { name: 'fastify-source-origin/subsonic', fastify: '^5.12.0' })
