import { Type, type TObject, type TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { ErrorResponseSchema, schemas, ServiceStatusSchema, StatusSchema, wireSchema } from '../schemas/index.ts'
import { createOperationHandler } from './call-adapter.ts'
import type { CheckedOptions } from './check-options.ts'
import { Deadlines } from './deadlines.ts'
import { guardPaths } from './guard-paths.ts'
import { createDriftLog } from './log-drift.ts'
import { operations, redirects, sdkPaths, type AdapterMethod } from './operations.ts'
import { compileParameters } from './read-parameters.ts'
import { createContextHook } from './resolve-source-context.ts'
import { sdkVersion } from './sdk-version.ts'
import { sendError } from './send-error.ts'
import { sendJson } from './send-json.ts'
import { schemasOf } from './source-adapter.ts'
import { createStatusHandler } from './send-status.ts'

const refTo = (schema: TSchema) => Type.Ref(schema.$id!)
const errorResponses = { '4xx': refTo(ErrorResponseSchema), '5xx': refTo(ErrorResponseSchema) }
const enveloped = (data: TSchema) =>
  Type.Object({ code: Type.Literal(200), data }, { description: 'Success', additionalProperties: false })

/** The inner plugin: nothing of it touches the host's other routes. */
export const registerRoutes = (options: CheckedOptions) => async function sourceRoutes (inner: FastifyInstance): Promise<void> {
  // Ours are the query and the body; a host's onRoute hook may add schemas for headers.
  inner.setValidatorCompiler(({ schema, httpPart }) => httpPart === 'querystring' || httpPart === 'body'
    ? compileParameters(schema as unknown as TObject, httpPart)
    : value => ({ value }))
  // Every body is JSON text by the time it is sent; the response schemas of the routes describe it.
  inner.setSerializerCompiler(() => JSON.stringify)
  inner.setErrorHandler(sendError)
  inner.removeAllContentTypeParsers()
  inner.addContentTypeParser('application/json', { parseAs: 'string' }, inner.getDefaultJsonParser('error', 'error'))
  for (const schema of schemas) inner.addSchema(wireSchema<TObject>(schema))

  registerPublicRoutes(inner, options)
  await inner.register(async function guardedRoutes (guarded) {
    const deadlines = new Deadlines(options.adapterTimeout)
    guarded.addHook('onClose', async () => deadlines.release())
    guardPaths(guarded, createContextHook(options, deadlines))
    registerOperations(guarded, options)
  })
}

function registerPublicRoutes (inner: FastifyInstance, options: CheckedOptions): void {
  const serviceStatus = JSON.stringify({ status: 'online', version: sdkVersion })
  inner.get(sdkPaths.serviceStatus, {
    exposeHeadRoute: true,
    schema: { operationId: 'serviceStatus', summary: 'Whether the service is up', tags: ['status'], security: [], response: { 200: refTo(ServiceStatusSchema) } }
  }, (_request, reply) => sendJson(reply, serviceStatus))

  for (const { path, to } of redirects) {
    const target = pathOf(to)
    inner.get(path, {
      exposeHeadRoute: true,
      schema: { operationId: `${to}Redirect`, summary: `Moved to ${target}`, deprecated: true, tags: ['track'], security: [], response: { 308: Type.Null({ description: 'Moved' }) } }
    }, (request, reply) => reply.redirect(moved(request.url, target), 308))
  }

  if (options.exposeOpenApi) {
    let document: Promise<string> | undefined
    inner.get(sdkPaths.openApi, { exposeHeadRoute: true, schema: { hide: true } }, async (_request, reply) => {
      document ??= describeRoutes(inner.prefix.replace(/\/$/, ''))
      return sendJson(reply, await document)
    })
  }
}

/** The description is made when it is asked for: who does not ask does not wait for it. */
async function describeRoutes (prefix: string): Promise<string> {
  const { openApiDocument } = await import('./open-api-document.ts')
  return JSON.stringify(await openApiDocument({ prefix }))
}

const pathOf = (method: AdapterMethod) => operations.find(({ adapterMethod }) => adapterMethod === method)!.path

/** The URL with the target instead of as many segments. What is before them is the prefix as this request spells it (`/:account`). */
function moved (url: string, target: string): string {
  const [, path, query] = /^(?:[a-z]+:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(url)!
  const segments = (path: string) => path.split('/').filter(segment => segment !== '')
  const prefix = segments(path!).slice(0, -segments(target).length)
  return prefix.map(segment => `/${segment}`).join('') + target + query
}

function registerOperations (guarded: FastifyInstance, options: CheckedOptions): void {
  const drifts = createDriftLog()
  guarded.addHook('onClose', async () => drifts.report(guarded.log))
  guarded.get(sdkPaths.status, {
    exposeHeadRoute: true,
    schema: {
      operationId: 'status',
      summary: 'What the source offers to this caller',
      tags: ['status'],
      response: { 200: enveloped(refTo(StatusSchema)), ...errorResponses }
    }
  }, createStatusHandler(options, drifts))

  for (const operation of operations) {
    const { summary, parameters, data } = schemasOf(operation.adapterMethod)
    const isGet = operation.method === 'GET'
    guarded.route({
      method: operation.method,
      url: operation.path,
      exposeHeadRoute: isGet,
      attachValidation: true,
      config: { sourceOperation: operation.adapterMethod },
      schema: {
        operationId: operation.adapterMethod,
        summary,
        tags: [operation.tag],
        [isGet ? 'querystring' : 'body']: parameters,
        response: { 200: enveloped(data), ...errorResponses }
      },
      handler: createOperationHandler(operation, options, drifts)
    })
  }
}
