import type { FastifyInstance } from 'fastify'

type ErrorHandler = Parameters<FastifyInstance['setErrorHandler']>[0]

/**
 * Creates a plugin of routes with an error handler that is registered twice. If an `onSend` hook of the app also fails
 * for the response to an error, Fastify calls the outer handler. Without it, the handler of the app would send the
 * message.
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
