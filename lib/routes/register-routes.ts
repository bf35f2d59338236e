import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { enveloped, ref, wireSchema } from '../../schemas/common.ts'
import { schemas, type ServiceStatus, StatusSchema } from '../../schemas/index.ts'
import { type ResponseCache, compileSerializer, type Serialize, Source } from '../source/index.ts'
import { openApiPath } from '../contract/operations.ts'
import { forbidKeepingByDefault, sendError, sendJson, setCachingHeaders } from '../reply/index.ts'
import {
  compileParameters, createOperationHandler, enterByHook, parseBodies, type RegisteredSource, type ResolveContext,
  traceContext
} from '../request/index.ts'
import { isObject } from '../options/is-object.ts'
import { sdkVersion } from '../text/sdk-version.ts'
import { operationRoutes, redirectRoutes, routeOf, serviceStatusRoute, statusRoute } from './describe-routes.ts'
import { guardPaths } from './guard-paths.ts'
import { sendStatus } from './send-status.ts'
import { serveDevelopment } from './serve-development.ts'

/** The validated options of the plugin, with defaults. */
export interface RouteOptions {
  resolveContext: ResolveContext
  validateResponses: boolean
  adapterTimeout: number
  exposeOpenApi: boolean
  inHostDocument: boolean
  cache: ResponseCache | undefined
  /** If `true`, authors may read the log lines through the development route. */
  development: boolean
}

/**
 * Creates the inner plugin, which does not affect other routes of the app.
 *
 * @param registration the object to which the source is added
 */
export const registerRoutes = (
  options: RouteOptions, registration: { source?: RegisteredSource }
) => async function sourceRoutes (inner: FastifyInstance): Promise<void> {
  const resolveContext = traceContext(options.resolveContext)
  const source = new Source({ cache: options.cache, validateResponses: options.validateResponses, log: inner.log })
  const registered = registration.source = { source, resolveContext, adapterTimeout: options.adapterTimeout }
  inner.addHook('onClose', () => source.close())

  // Schemas for other parts, such as headers, come from the app's onRoute hooks and are not validated here.
  inner.setValidatorCompiler(({ schema, httpPart }) => httpPart === 'querystring' || httpPart === 'body'
    ? compileParameters(schema as unknown as TObject, httpPart)
    : value => ({ value }))
  // Responses of the source are serialized before they are sent, so these are responses of the app's hooks.
  inner.setSerializerCompiler(() => JSON.stringify)
  parseBodies(inner)
  if (options.inHostDocument) for (const schema of schemas) inner.addSchema(wireSchema<TObject>(schema))
  inner.addHook('onRoute', route => { route.schema = schemaForHost(route.schema, inner.prefix, options) })

  // The outer handler responds if a hook of the app also fails for the response of the inner one.
  inner.setErrorHandler(sendError)
  await inner.register(async function publicRoutes (open) {
    open.setErrorHandler(sendError)
    registerPublicRoutes(open, options)
  })
  await inner.register(async function guardedRoutes (guarded) {
    guarded.addHook('onSend', setCachingHeaders)
    guardPaths(guarded, enterByHook(registered))
    const writeStatus = compileSerializer(enveloped(ref(StatusSchema)), {
      operation: 'status', validateResponses: source.validateResponses, drifts: source.drifts
    })
    guarded.route({ ...routeOf(statusRoute), handler: sendStatus(writeStatus) })
    if (options.development) serveDevelopment(guarded, source)
    let added: unknown
    let parameters: FastifySchema
    // The app's hooks have already run, so this restores parameters that they removed.
    guarded.addHook('onRoute', route => {
      added = route.handler
      Object.assign(route, { attachValidation: true, schema: { ...route.schema, ...parameters } })
    })
    for (const { operation, route } of operationRoutes) {
      const { querystring, body } = route.schema
      parameters = { ...querystring !== undefined && { querystring }, ...body !== undefined && { body } }
      const own = createOperationHandler(source, operation.adapterMethod)
      guarded.route({
        ...routeOf(route),
        config: { sourceOperation: operation.adapterMethod },
        serializerCompiler: ({ httpStatus }) => httpStatus === '200'
          ? proveEnvelope(source.operation(operation.adapterMethod).serialize)
          : JSON.stringify,
        handler: own
      })
      own.isWrapped = added !== own
    }
  })
}

/** Serializes a response of the app's hook unchanged, unless it has the form of an adapter response. */
const proveEnvelope = (serialize: Serialize) => (payload: unknown): string => {
  const isEnvelope = isObject(payload) && payload.code === 200 && 'data' in payload
  return isEnvelope ? serialize(payload) : JSON.stringify(payload)
}

/**
 * Returns the schema of a route for the app's own document. It is hidden by default, because the app may have other
 * schemas.
 */
function schemaForHost (
  schema: FastifySchema | undefined, prefix: string, { inHostDocument }: RouteOptions
): FastifySchema {
  if (!inHostDocument || schema?.operationId === undefined) return { ...schema, hide: true }
  const name = prefix.split('/').filter(Boolean).join('_')
  return name === '' ? schema : { ...schema, operationId: `${name}_${schema.operationId}` }
}

function registerPublicRoutes (inner: FastifyInstance, { exposeOpenApi }: RouteOptions): void {
  // Health checks call the route every few seconds.
  const isDebugged = ['trace', 'debug'].includes(inner.log.level)
  inner.route({
    ...routeOf(serviceStatusRoute),
    config: { shedLoad: false },
    ...!isDebugged && { logLevel: 'warn' },
    onSend: forbidKeepingByDefault,
    handler: (_request, reply) =>
      sendJson(reply, JSON.stringify({ status: 'online', version: sdkVersion } satisfies ServiceStatus))
  })
  for (const { route, target } of redirectRoutes) {
    inner.route({
      ...routeOf(route),
      onSend: forbidKeepingByDefault,
      handler: (request, reply) => reply.redirect(moved(request.url, target), 308)
    })
  }
  if (!exposeOpenApi) return
  let document: Promise<string> | undefined
  const own = { exposeHeadRoute: true, onSend: forbidKeepingByDefault }
  inner.get(openApiPath, own, async (_request, reply) => {
    // A failed document is not cached, so that the next request tries again.
    document ??= writeDocument(inner.prefix.replace(/\/$/, '')).catch(error => {
      document = undefined
      throw error
    })
    return sendJson(reply, await document)
  })
}

/** Writes the document. Its generator is imported at the first request. */
async function writeDocument (prefix: string): Promise<string> {
  const { openApiDocument } = await import('./open-api-document.ts')
  return JSON.stringify(await openApiDocument({ prefix }))
}

/**
 * Returns the URL of a redirect: the last segment of the target, relative to the requested path, because a proxy may
 * have removed a prefix.
 */
function moved (url: string, target: string): string {
  const query = url.search(/[?#]/)
  const end = query < 0 ? url.length : query
  let up = ''
  while (url[end - 1 - up.length / 3] === '/') up += '../'
  return up + target.slice(target.lastIndexOf('/') + 1) + url.slice(end)
}
