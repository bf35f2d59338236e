import type { FastifyInstance } from 'fastify'
import { routeTaken } from '../errors/author-errors.ts'
import { openApiPath } from '../contract/operations.ts'
import { allRoutes } from './describe-routes.ts'
import { guardedPaths } from './guard-paths.ts'

interface OwnRoute { readonly method: string, readonly url: string }

const textOf = ({ method, url }: OwnRoute) => `${method} ${url}`

/** Returns the routes of a source, with their prefix. */
function ownRoutes (host: FastifyInstance, path: string, exposeOpenApi: boolean): OwnRoute[] {
  return [
    ...allRoutes.map(({ method, url }) => ({ method: String(method), url: path + url })),
    ...guardedPaths.flatMap(url => host.supportedMethods.map(method => ({ method, url: path + url }))),
    ...exposeOpenApi ? [{ method: 'GET', url: path + openApiPath }] : []
  ]
}

/**
 * Throws if the app already has a route of the source. Fastify's own error does not contain a remedy.
 *
 * @param path prefix of the source's routes
 * @throws SOURCE_ORIGIN_ERR_ROUTE_TAKEN
 */
export function refuseTaken (host: FastifyInstance, path: string, exposeOpenApi: boolean): void {
  const taken = ownRoutes(host, path, exposeOpenApi).find(route => host.hasRoute(route))
  if (taken !== undefined) throw routeTaken(textOf(taken))
}

/** Throws if the app registers a route of the source later. Routes with constraints (host, version) do not conflict. */
export function keepRoutes (host: FastifyInstance, path: string, exposeOpenApi: boolean): void {
  const own = new Set(ownRoutes(host, path, exposeOpenApi).map(textOf))
  host.addHook('onRoute', ({ method, url, constraints }) => {
    const taken = [method].flat().map(method => textOf({ method, url })).find(route => own.has(route))
    if (constraints === undefined && taken !== undefined) throw routeTaken(taken)
  })
}
