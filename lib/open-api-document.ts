import { schemaName } from '../schemas/index.ts'
import { sdkVersion } from './sdk-version.ts'
import type { ResolveContext } from './source-adapter.ts'
import { sourceOrigin } from './source-origin.ts'

// No request comes: the routes are only described.
const neverAsked = Function.prototype as ResolveContext

/**
 * The OpenAPI 3.1 description of a source origin, made from the same routes that are served.
 *
 * @param options `prefix`: path in front of every route, none by default
 */
export async function openApiDocument ({ prefix = '' }: { prefix?: string } = {}) {
  // Who does not ask for the description does not load what makes it.
  const [{ default: fastify }, { default: swagger }] = await Promise.all([import('fastify'), import('@fastify/swagger')])
  const app = fastify()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Source origin',
        description: 'One music source for client apps.',
        version: sdkVersion,
        license: { name: 'MIT', identifier: 'MIT' }
      },
      // Routes that need no token say so; a host's own document keeps the host's own scheme.
      security: [{ token: [] }],
      components: {
        securitySchemes: {
          token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The token, as the source was given it' }
        }
      }
    },
    refResolver: { buildLocalReference: schema => schemaName(schema as Parameters<typeof schemaName>[0]) }
  })
  await app.register(sourceOrigin, { resolveContext: neverAsked, prefix, exposeOpenApi: false })
  await app.ready()
  try {
    return app.swagger()
  } finally {
    await app.close()
  }
}
