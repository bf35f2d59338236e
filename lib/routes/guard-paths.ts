import type { FastifyError, FastifyInstance, preHandlerHookHandler } from 'fastify'
import { NotFoundError } from '../contract/errors.ts'
import { sendError } from '../reply/index.ts'
import { refusalBeforeHooks } from '../request/index.ts'

const v1 = '/v1'

/** Paths with a route for each method. */
export const guardedPaths = [v1, `${v1}/*`]

/**
 * The same paths in a form for which the app has no not-found handler. Otherwise Fastify would throw an error outside
 * of the start.
 */
const unknownPrefixes = [`${v1}/:path`, '/:v1(^v1$)']

async function unknownPath (): Promise<never> {
  throw new NotFoundError('Path not found')
}

/**
 * Runs the hook for everything under `/v1`, including unknown paths and methods (docs/reference/contract.md, Order of
 * checks).
 */
export function guardPaths (guarded: FastifyInstance, hook: preHandlerHookHandler): void {
  guarded.addHook('preHandler', hook)

  guarded.setErrorHandler(async (error: FastifyError, request, reply) => {
    const refusal = await refusalBeforeHooks(error, request, async () => {
      await new Promise<void>((resolve, reject) => {
        hook.call(guarded, request, reply, error => error === undefined ? resolve() : reject(error))
      })
      if (request.routeOptions.config.sourceOperation === undefined) await unknownPath()
    })
    return sendError(refusal, request, reply)
  })

  // These routes follow the app's router options (case, slashes). The not-found handlers handle methods that the router
  // does not support.
  for (const url of guardedPaths) {
    guarded.route({ method: guarded.supportedMethods, url, handler: unknownPath })
  }
  for (const prefix of unknownPrefixes) {
    guarded.register(async function unknownMethods (unknown) {
      unknown.setNotFoundHandler(unknownPath)
    }, { prefix })
  }
}
