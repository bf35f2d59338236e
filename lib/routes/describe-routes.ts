import { Type, type TSchema } from '@sinclair/typebox'
import type { FastifySchema, HTTPMethods } from 'fastify'
import { enveloped, ref } from '../../schemas/common.ts'
import { ErrorResponseSchema, ServiceStatusSchema, StatusSchema } from '../../schemas/index.ts'
import {
  operationOf, operations, redirects, serviceStatusPath, statusPath, type Operation
} from '../contract/operations.ts'
import { schemasOf } from '../contract/schemas-of.ts'

/** A route, for Fastify and for the OpenAPI document. */
export interface RouteDescription {
  readonly method: HTTPMethods
  readonly url: string
  readonly exposeHeadRoute: boolean
  /**
   * Disables `@fastify/response-validation` of an app: responses are validated already, and it does not have the
   * schemas.
   */
  readonly responseValidation: false
  readonly schema: FastifySchema
}

/** Returns a copy of a route for its registration, because `onRoute` hooks of apps may change it. */
export const routeOf = ({ schema, ...route }: RouteDescription): RouteDescription =>
  ({ ...route, schema: { ...schema, response: { ...schema.response as object } } })

/** Descriptions of the errors of routes, by status (docs/reference/contract.md, Errors). */
export const errorDescriptions: Readonly<Record<number, string>> = Object.freeze({
  400: 'Parameters or body break the rules; the message names the parameter',
  401: 'The token is missing or wrong',
  404: 'Path or item not found',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'The source cannot do this with this item, for example play it in this region',
  429: 'Too many requests; Retry-After says when to come back, where the source knows',
  500: 'Something unforeseen failed',
  501: 'The source does not offer this operation',
  502: 'The upstream of the source failed',
  504: 'The source did not answer in time'
})

function errorResponses (statuses: readonly number[]): Record<number, TSchema> {
  const error = ref(ErrorResponseSchema)
  return Object.fromEntries(statuses.map(status => [status, { ...error, description: errorDescriptions[status]! }]))
}

const getRoute = (url: string, schema: FastifySchema): RouteDescription =>
  ({ method: 'GET', url, exposeHeadRoute: true, responseValidation: false, schema })

export const serviceStatusRoute = getRoute(serviceStatusPath, {
  operationId: 'serviceStatus',
  summary: 'Tell whether the service is up',
  description: 'Needs no token, for health checks.',
  tags: ['status'],
  security: [],
  response: { 200: { ...ref(ServiceStatusSchema), description: 'The service is up' } }
})

/** The redirects with their target paths. */
export const redirectRoutes: readonly { route: RouteDescription, target: string }[] = redirects.map(({ path, to }) => {
  const { path: target, tag } = operationOf(to)
  const route = getRoute(path, {
    operationId: `${to}Redirect`,
    summary: `Moved to ${target}`,
    description: `The old path of ${to}. The query string is kept.`,
    deprecated: true,
    tags: [tag],
    response: {
      308: Type.Null({
        description: `Moved to ${target}`,
        headers: { Location: Type.String({ description: 'The new path, with the query string' }) }
      })
    }
  })
  return { route, target }
})

export const statusRoute = getRoute(statusPath, {
  operationId: 'status',
  summary: 'Tell what the source offers to this caller',
  description: 'Answers the capabilities of the source, the qualities and the orders of playlists that it offers.',
  tags: ['status'],
  response: { 200: enveloped(ref(StatusSchema)), ...errorResponses([401, 429, 500, 502, 504]) }
})

function describeOperation (operation: Operation): RouteDescription {
  const { method, path: url, adapterMethod: operationId, parameters: names, tag } = operation
  const { summary, description, parameters, data } = schemasOf(operationId)
  const isGet = method === 'GET'
  const ofParameters = names.length > 0 ? [400] : []
  const ofBody = isGet ? [] : [413, 415]
  const statuses = [...ofParameters, 401, 404, ...ofBody, 422, 429, 500, 501, 502, 504]
  return {
    method,
    url,
    exposeHeadRoute: isGet,
    responseValidation: false,
    schema: {
      operationId,
      summary,
      description,
      tags: [tag],
      ...isGet
        ? { querystring: parameters }
        : { body: { ...parameters, description: `A JSON object with ${names.join(', ')}` } },
      response: { 200: enveloped(data), ...errorResponses(statuses) }
    }
  }
}

export const operationRoutes: readonly { operation: Operation, route: RouteDescription }[] =
  operations.map(operation => ({ operation, route: describeOperation(operation) }))

const routesOf = (rows: readonly { route: RouteDescription }[]) => rows.map(({ route }) => route)

/** Every route of a source except the OpenAPI document. */
export const allRoutes: readonly RouteDescription[] =
  [serviceStatusRoute, ...routesOf(redirectRoutes), statusRoute, ...routesOf(operationRoutes)]
