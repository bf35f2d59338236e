import type { FastifyError, FastifyInstance, preHandlerHookHandler } from 'fastify'
import { NotFoundError } from './errors.ts'
import type { AdapterMethod } from './operations.ts'
import { sendError } from './send-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    sourceOperation?: AdapterMethod
  }
}

const v1 = '/v1'

async function unknownPath (): Promise<never> {
  throw new NotFoundError('There is no such path')
}

/**
 * Puts everything under `/v1` behind the hook, unknown paths and methods too (protocol.md, Order of checks).
 */
export function guardPaths (guarded: FastifyInstance, hook: preHandlerHookHandler): void {
  guarded.addHook('preHandler', hook)

  guarded.setErrorHandler(async (error: FastifyError, request, reply) => {
    let refusal: unknown = error
    // Fastify reads the body before the hook runs: who is not authorised must not learn what is wrong with it.
    if (request.sourceCall === null && /^FST_ERR_(CTP|ROUTE)_/.test(String(error?.code))) {
      try {
        await new Promise<void>((resolve, reject) => hook.call(guarded, request, reply, error => error === undefined ? resolve() : reject(error)))
        if (request.routeOptions.config.sourceOperation === undefined) await unknownPath()
      } catch (thrown) {
        refusal = thrown
      }
    }
    return sendError(refusal, request, reply)
  })

  // Routes follow the host's router options (case, slashes); the not-found handler has the methods that the router does not know.
  for (const url of [v1, `${v1}/*`]) {
    guarded.route({ method: guarded.supportedMethods, url, schema: { hide: true }, handler: unknownPath })
  }
  guarded.register(async function unknownMethods (unknown) {
    unknown.setNotFoundHandler(unknownPath)
  }, { prefix: v1 })
}
