import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { enveloped, ref, wireSchema } from '../../schemas/common.ts'
import { schemas, type ServiceStatus, StatusSchema } from '../../schemas/index.ts'
import { type AnswerCache, compileSerializer, type Serialize, Source } from '../source/index.ts'
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

/** The options of the plugin, checked, with their defaults. */
export interface RouteOptions {
  resolveContext: ResolveContext
  validateResponses: boolean
  adapterTimeout: number
  exposeOpenApi: boolean
  inHostDocument: boolean
  cache: AnswerCache | undefined
  /** Whether authors may read what was logged. */
  development: boolean
}

/**
 * Makes the inner plugin: nothing of it touches the host's other routes.
 *
 * @param registration gets the source
 */
export const registerRoutes = (
  options: RouteOptions, registration: { source?: RegisteredSource }
) => async function sourceRoutes (inner: FastifyInstance): Promise<void> {
  const resolveContext = traceContext(options.resolveContext)
  const source = new Source({ cache: options.cache, validateResponses: options.validateResponses, log: inner.log })
  const registered = registration.source = { source, resolveContext, adapterTimeout: options.adapterTimeout }
  inner.addHook('onClose', () => source.close())

  // Schemas for other parts, for example headers, come from the host's onRoute hooks and are not ours to check.
  inner.setValidatorCompiler(({ schema, httpPart }) => httpPart === 'querystring' || httpPart === 'body'
    ? compileParameters(schema as unknown as TObject, httpPart)
    : value => ({ value }))
  // Ours are written before they are sent, so these are answers of the host's hooks.
  inner.setSerializerCompiler(() => JSON.stringify)
  parseBodies(inner)
  if (options.inHostDocument) for (const schema of schemas) inner.addSchema(wireSchema<TObject>(schema))
  inner.addHook('onRoute', route => { route.schema = schemaForHost(route.schema, inner.prefix, options) })

  // The second one answers where a hook of the host fails for the answer of the first one too.
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
    // Hooks of the host have run by then, so this restores the parameters that they removed.
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

/** An answer of a host's hook goes out as it is, unless it stands for the answer of the adapter. */
const proveEnvelope = (serialize: Serialize) => (payload: unknown): string => {
  const isEnvelope = isObject(payload) && payload.code === 200 && 'data' in payload
  return isEnvelope ? serialize(payload) : JSON.stringify(payload)
}

/** What a host's own document is told of a route: nothing unless asked for, since it may know other schemas only. */
function schemaForHost (
  schema: FastifySchema | undefined, prefix: string, { inHostDocument }: RouteOptions
): FastifySchema {
  if (!inHostDocument || schema?.operationId === undefined) return { ...schema, hide: true }
  const name = prefix.split('/').filter(Boolean).join('_')
  return name === '' ? schema : { ...schema, operationId: `${name}_${schema.operationId}` }
}

function registerPublicRoutes (inner: FastifyInstance, { exposeOpenApi }: RouteOptions): void {
  // Probes ask every few seconds.
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
    // One that failed is not kept: the next request may have more luck.
    document ??= writeDocument(inner.prefix.replace(/\/$/, '')).catch(error => {
      document = undefined
      throw error
    })
    return sendJson(reply, await document)
  })
}

/** What makes the document is loaded when the document is first asked for. */
async function writeDocument (prefix: string): Promise<string> {
  const { openApiDocument } = await import('./open-api-document.ts')
  return JSON.stringify(await openApiDocument({ prefix }))
}

/**
 * The URL of a redirect: the last segment of the target, relative to the path that was asked. A proxy may have taken
 * off what is before it.
 */
function moved (url: string, target: string): string {
  const query = url.search(/[?#]/)
  const end = query < 0 ? url.length : query
  let up = ''
  while (url[end - 1 - up.length / 3] === '/') up += '../'
  return up + target.slice(target.lastIndexOf('/') + 1) + url.slice(end)
}
