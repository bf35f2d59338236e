import type { FastifyInstance } from 'fastify'
import { routeTaken } from '../errors/author-errors.ts'
import { allRoutes } from './describe-routes.ts'

/**
 * Refuses routes of the host where those of a source will be. Fastify's own error does not say what to do.
 *
 * @param path in front of the source's routes
 * @throws SOURCE_ORIGIN_ERR_ROUTE_TAKEN
 */
export function refuseTaken (host: FastifyInstance, path: string): void {
  const taken = allRoutes.find(({ method, url }) => host.hasRoute({ method, url: path + url }))
  if (taken !== undefined) throw routeTaken(`${String(taken.method)} ${path}${taken.url}`)
}

/** Does the same with those that come later. One for certain hosts or versions only is beside ours. */
export function keepRoutes (host: FastifyInstance, path: string): void {
  const own = new Set(allRoutes.map(({ method, url }) => `${String(method)} ${path}${url}`))
  host.addHook('onRoute', ({ method, url, constraints }) => {
    const route = `${String(method)} ${url}`
    if (constraints === undefined && own.has(route)) throw routeTaken(route)
  })
}
