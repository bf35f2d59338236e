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

/** Errors of the content type, or none of QUERY: such calls have all that counts in their URL. */
const isOfType = /^FST_ERR_(?:CTP_(?!BODY_TOO_LARGE$)|ROUTE_MISSING_CONTENT_TYPE$)/

/** Lists of ids come in the URL: what Node reads of it by default is not enough for a queue. */
const leastHeaderSize = 64 * 1024

/** The inner plugin: nothing of it touches the host's other routes. */
export const registerRest = (
  options: ValidOptions, registered: RegisteredSource, registration: Registration
) => async function subsonicRoutes (inner: FastifyInstance): Promise<void> {
  const accounts = new RestAccounts(options)
  registration.ratings = ratingsOf(accounts)
  registration.keptPlays = listener => accounts.stateOf(listener).keptPlays()
  const handleCall = createCallHandler(options, registered, createMediaSender(inner, options), accounts)
  if (!inner.hasRoute({ method: 'GET', url: `${inner.prefix}/` })) {
    // Some apps ask it before they log in. A page that is registered later takes its place.
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
    // Of an app that tells what it plays. What is no JSON is as nothing.
    rest.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: longestForm },
      async (_request: FastifyRequest, body: string) => {
        try {
          return JSON.parse(body)
        } catch {
          return undefined
        }
      })
    // Some apps declare other types without sending anything that counts.
    rest.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    // All methods of HTTP: what has no route is logged by the host, with its query.
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
      const advice = 'create the server with fastify({ http: { maxHeaderSize: 262144 } })'
      inner.log.warn(`Subsonic apps send long URLs: ${advice}`)
    }
  })
}

/** The method that a path names: `/rest/ping`, `/rest/ping.view`. */
const methodOf = (request: FastifyRequest): string =>
  String((request.params as Record<string, string | undefined>)['*'] ?? '').replace(/\.view$/, '')
