import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { showsId } from '../reply/index.ts'

async function register (app: FastifyInstance): Promise<void> {
  app.decorateRequest(showsId, process.env.NODE_ENV !== 'production')
  app.addHook('onRequest', (request, reply, done) => {
    // The app may create ids with characters that are invalid in headers.
    reply.header('x-request-id', encodeURI(request.id))
    done()
  })
}

/**
 * Sends the id of each request, which is also in its log lines, as the `X-Request-Id` of its response. Outside
 * production, errors of `/v1` from 500 on contain it.
 *
 * @see docs/guide/own-server.md, Request ids
 */
export const requestIds: FastifyPluginAsync =
  fastifyPlugin(register, { name: 'fastify-source-origin/request-ids', fastify: '^5.12.0' })
