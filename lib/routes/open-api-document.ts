import { Type, type TObject } from '@sinclair/typebox'
import type { FastifySchema } from 'fastify'
import { enveloped, ref, schemaName, wireSchema } from '../../schemas/common.ts'
import { ErrorResponseSchema, schemas } from '../../schemas/index.ts'
import { sdkVersion } from '../text/sdk-version.ts'
import { redirects, serviceStatusPath, statusPath } from '../contract/operations.ts'
import { schemasOf } from '../contract/schemas-of.ts'
import { allRoutes, errorDescriptions, type RouteDescription } from './describe-routes.ts'

const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } }
/** All errors, including errors of the app's hooks and of services that the source depends on. */
const allErrors: Readonly<Record<string, string>> = {
  ...errorDescriptions,
  503: 'The source is overloaded, or a service that it needs is unavailable; retry after Retry-After',
  default: 'Another error, for example of a proxy in front of the source'
}
const errorResponses = Object.fromEntries(Object.entries(allErrors).map(([status, description]) =>
  [`Error${status}`, { description, content: errorContent }]))

/** The tags with their descriptions. */
const tags = Object.entries({
  status: 'Whether the service is up, and what the source offers to this caller',
  playlist: 'Playlists of the source and of the account',
  toplist: 'Charts',
  track: 'Tracks, their audio and their lyrics',
  search: 'Searches and suggestions',
  artist: 'Artists, their tracks and albums',
  album: 'Albums and their tracks',
  user: 'The account: its profile, playlists and favourites'
}).map(([name, description]) => ({ name, description }))

/** The response after each redirect, by path. */
const followed = new Map(redirects.map(({ path, to }) =>
  [path, { 200: enveloped(schemasOf(to).data) }]))

/**
 * Adds responses of others to a route: of caches, hooks of the app and proxies. Only the document contains them,
 * because a route would use them to serialize the responses of hooks.
 */
function documented ({ method, url, schema }: RouteDescription): FastifySchema {
  const error = (status: string) => ({ ...ref(ErrorResponseSchema), description: allErrors[status]! })
  const isKept = method === 'GET' && !followed.has(url) && url !== serviceStatusPath && url !== statusPath
  return {
    ...schema,
    response: {
      ...schema.response as object,
      ...followed.get(url),
      ...isKept && { 304: Type.Null({ description: 'The cached response of the client is current (If-None-Match)' }) },
      503: error('503'),
      default: error('default')
    }
  }
}

// The routes are only described and never called.
const neverCalled = Function.prototype as () => void

/** An OpenAPI 3.1 document, as plain data. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly info: { readonly title: string, readonly version: string }
  readonly paths: Readonly<Record<string, Record<string, object>>>
  readonly components: Readonly<Record<string, object>>
}

/**
 * Returns the OpenAPI 3.1 description of a source, based on the descriptions of its routes.
 *
 * @param options `prefix`: path prefix of every route, none by default
 */
export async function openApiDocument (
  { prefix = '' }: { prefix?: string | undefined } = {}
): Promise<OpenApiDocument> {
  // Imported dynamically, because most processes never need the document.
  const { default: fastify } = await import('fastify')
  const { default: swagger } = await import('@fastify/swagger')
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
      tags,
      // The default. Public routes have `security: []`.
      security: [{ token: [] }],
      components: {
        responses: errorResponses,
        securitySchemes: {
          token: {
            type: 'apiKey', in: 'header', name: 'Authorization', description: 'The token, as the source was given it'
          }
        }
      }
    },
    refResolver: { buildLocalReference: schema => schemaName(schema as Parameters<typeof schemaName>[0]) }
  })
  // The routes never get a request, so nothing has to be compiled.
  app.setValidatorCompiler(() => Boolean)
  app.setSerializerCompiler(() => String)
  for (const schema of schemas) app.addSchema(wireSchema<TObject>(schema))
  for (const route of allRoutes) {
    app.route({ method: route.method, url: prefix + route.url, schema: documented(route), handler: neverCalled })
  }
  await app.ready()
  try {
    // The paths already contain the prefix.
    return { ...shareErrorResponses(app.swagger() as object as OpenApiDocument), servers: [{ url: '/' }] }
  } finally {
    await app.close()
  }
}

/** Replaces the error responses of each route by references to the shared ones. */
function shareErrorResponses (document: OpenApiDocument): OpenApiDocument {
  for (const path of Object.values(document.paths)) {
    for (const { responses } of Object.values(path) as { responses: Record<string, object> }[]) {
      for (const status of Object.keys(responses)) {
        if (status in allErrors) responses[status] = { $ref: `#/components/responses/Error${status}` }
      }
    }
  }
  return document
}
