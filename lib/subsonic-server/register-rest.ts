import http from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendError, withErrorHandler } from '../reply/index.ts'
import type { RegisteredSource } from '../request/index.ts'
import type { Registration } from '../routes/index.ts'
import { serverType, type ValidOptions } from './subsonic-options.ts'
import { ratingsOf } from './account/ratings.ts'
import { RestAccounts } from './account/rest-accounts.ts'
import { createCallHandler } from './handle-call.ts'
import { createMediaSender } from './media/media-sender.ts'
import { Form } from './read-form.ts'

const longestForm = 2 * 1024 * 1024

/** Errors of the content type, or a QUERY request without one. Such calls have all their parameters in the URL. */
const isOfType = /^FST_ERR_(?:CTP_(?!BODY_TOO_LARGE$)|ROUTE_MISSING_CONTENT_TYPE$)/

/** Id lists are sent in the URL: Node.js's default header size is too small for a queue. */
const leastHeaderSize = 64 * 1024

/** Creates the inner plugin, which does not affect the parent app's other routes. */
export const registerRest = (
  options: ValidOptions, registered: RegisteredSource, registration: Registration
) => async function subsonicRoutes (inner: FastifyInstance): Promise<void> {
  const accounts = new RestAccounts(options)
  registration.store = options.store
  registration.ratings = ratingsOf(accounts)
  registration.keptPlays = listener => accounts.stateOf(listener).keptPlays()
  const handleCall = createCallHandler(options, registered, createMediaSender(inner, options), accounts)
  if (!inner.hasRoute({ method: 'GET', url: `${inner.prefix}/` })) {
    // Some apps request it before the login. A page that is registered later replaces it.
    registration.answerRoot = (_request: FastifyRequest, reply: FastifyReply) =>
      reply.type('text/plain; charset=utf-8').send(`${serverType}: the Subsonic API is under ${inner.prefix}/rest\n`)
    await inner.register(withErrorHandler(sendError, async root => {
      root.get('/', { schema: { hide: true } }, (request, reply) => registration.answerRoot!(request, reply))
    }))
  }
  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    handleCall(request, reply, methodOf(request), isOfType.test((error as FastifyError).code) ? undefined : error)
  await inner.register(withErrorHandler(answerError, async rest => {
    rest.removeAllContentTypeParsers()
    rest.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer', bodyLimit: longestForm },
      async (_request: FastifyRequest, body: Buffer) => new Form(body))
    // Sent by apps that report their abilities. Invalid JSON is treated as an empty body.
    rest.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: longestForm },
      async (_request: FastifyRequest, body: string) => {
        try {
          return JSON.parse(body)
        } catch {
          return undefined
        }
      })
    // Some apps declare other types without sending a relevant body.
    rest.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    // All HTTP methods, because the parent app logs unmatched requests with their query.
    for (const url of ['/', '/*']) {
      rest.route({
        method: rest.supportedMethods,
        url,
        schema: { hide: true },
        handler: (request, reply) => handleCall(request, reply, methodOf(request))
      })
    }
  }), { prefix: '/rest' })

  inner.addHook('onReady', async () => {
    const { maxHeaderSize = http.maxHeaderSize } = inner.server as { maxHeaderSize?: number | undefined }
    if (maxHeaderSize < leastHeaderSize) {
      const hint = 'Create the server with fastify({ http: { maxHeaderSize: 262144 } }): Subsonic apps send long URLs'
      inner.log.warn({ maxHeaderSize, hint }, 'header limit too small')
    }
  })
}

/** Returns the method in a path: `/rest/ping`, `/rest/ping.view`. */
const methodOf = (request: FastifyRequest): string =>
  String((request.params as Record<string, string | undefined>)['*'] ?? '').replace(/\.view$/, '')
