import type { FastifyInstance } from 'fastify'

type ErrorHandler = Parameters<FastifyInstance['setErrorHandler']>[0]

/**
 * Makes a plugin of routes whose errors are all answered by one handler: also those of a host's `onSend` hook that
 * fails for the answer to an error too. Fastify calls the handler of the plugin outside then, and the host's would send
 * them.
 *
 * @param handler sends by `sendForError`
 */
export const withErrorHandler = (
  handler: ErrorHandler, routes: (app: FastifyInstance) => Promise<void>
) => async function errorHandler (app: FastifyInstance): Promise<void> {
  app.setErrorHandler(handler)
  await app.register(async function handledRoutes (inner) {
    inner.setErrorHandler(handler)
    await routes(inner)
  })
}
