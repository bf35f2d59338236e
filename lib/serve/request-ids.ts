import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { showsId } from '../reply/index.ts'

async function register (app: FastifyInstance): Promise<void> {
  app.decorateRequest(showsId, process.env.NODE_ENV !== 'production')
  app.addHook('onRequest', (request, reply, done) => {
    // A host may make ids that no header can carry.
    reply.header('x-request-id', encodeURI(request.id))
    done()
  })
}

/**
 * Sends the id of each request, as Fastify has it in every log line, as the `X-Request-Id` of its answer. Outside
 * production errors of `/v1` from 500 on name it.
 *
 * @see docs/guide/own-server.md, Request ids
 */
export const requestIds: FastifyPluginAsync =
  fastifyPlugin(register, { name: 'fastify-source-origin/request-ids', fastify: '^5.12.0' })
