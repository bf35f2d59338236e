import type { FastifyInstance } from 'fastify'
import { lacksPackage } from '../errors/lacks-package.ts'
import { openApiDocument } from '../index.ts'

/** Swagger UI works with it; its default policy would redirect a plain http page to https. */
const policy = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self' data:",
  "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
].join('; ')

/**
 * Registers the API reference, with a form that calls this source.
 *
 * @throws SOURCE_ORIGIN_ERR_MISSING_PACKAGE if its optional package is not installed
 */
export async function registerDocs (app: FastifyInstance, path: string): Promise<void> {
  const { default: swaggerUi } =
    await import('@fastify/swagger-ui').catch(lacksPackage('@fastify/swagger-ui', 'docs'))
  const { default: swagger } = await import('@fastify/swagger')
  // Created on the first request: that takes as long as registering a source.
  let document: Awaited<ReturnType<typeof openApiDocument>> | undefined
  await app.register(async function documentRoutes (docs) {
    // Without the slash, Swagger UI uses absolute paths, which fail behind a proxy that strips a prefix.
    docs.addHook('onRequest', async ({ url }, reply) => {
      if (url.endsWith('/docs')) return reply.redirect('./docs/', 308)
      document ??= await openApiDocument({ prefix: app.prefix })
    })
    // The parent app may have its own description; this one describes the source.
    if (!docs.hasDecorator('swagger')) await docs.register(swagger)
    await docs.register(swaggerUi, {
      routePrefix: `${path}docs`,
      indexPrefix: app.prefix,
      staticCSP: policy,
      transformSpecification: () => ({ ...document }),
      transformSpecificationClone: false,
      // Without the top bar, which has a logo with an inline style and an address field.
      uiConfig: {
        layout: 'BaseLayout', tryItOutEnabled: true, displayRequestDuration: true, persistAuthorization: true
      }
    })
  })
}
