import type { FastifyInstance } from 'fastify'
import { lacksPackage } from '../errors/lacks-package.ts'
import { openApiDocument } from '../index.ts'

/** Swagger UI works under it; its own policy would send a plain http page to https. */
const policy = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self' data:",
  "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
].join('; ')

/**
 * The API reference, with a form that asks this very source.
 *
 * @throws SOURCE_ORIGIN_ERR_MISSING_PACKAGE when its package, which is optional, is not installed
 */
export async function registerDocs (app: FastifyInstance, path: string): Promise<void> {
  const { default: swaggerUi } =
    await import('@fastify/swagger-ui').catch(lacksPackage('@fastify/swagger-ui', 'docs'))
  const { default: swagger } = await import('@fastify/swagger')
  // Made when somebody reads it: that takes as long as to register a source.
  let document: Awaited<ReturnType<typeof openApiDocument>> | undefined
  await app.register(async function documentRoutes (docs) {
    // Without the slash, Swagger UI uses absolute paths, which fail behind a proxy that strips a prefix.
    docs.addHook('onRequest', async ({ url }, reply) => {
      if (url.endsWith('/docs')) return reply.redirect('./docs/', 308)
      document ??= await openApiDocument({ prefix: app.prefix })
    })
    // The host may have a description of its own; this one is of the source.
    if (!docs.hasDecorator('swagger')) await docs.register(swagger)
    await docs.register(swaggerUi, {
      routePrefix: `${path}docs`,
      indexPrefix: app.prefix,
      staticCSP: policy,
      transformSpecification: () => ({ ...document }),
      transformSpecificationClone: false,
      // Without the bar at the top, which has a logo with an inline style and an address to type.
      uiConfig: {
        layout: 'BaseLayout', tryItOutEnabled: true, displayRequestDuration: true, persistAuthorization: true
      }
    })
  })
}
