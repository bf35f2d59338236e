import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { showsId } from '../reply/index.ts'

const header = 'x-request-id'

async function register (app: FastifyInstance): Promise<void> {
  app.setGenReqId(({ headers: { [header]: given } }) =>
    typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID())
  app.decorateRequest(showsId, process.env.NODE_ENV !== 'production')
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(header, request.id)
    done()
  })
}

/**
 * Gives each request an id, which is in every log line of it: its `X-Request-Id` of up to 64 letters, digits, `.`, `_`,
 * `:` and `-`, or a new one. The answer has it too, and outside production errors of `/v1` from 500 on name it.
 *
 * @see docs/guide/own-server.md, Request ids
 */
export const requestIds: FastifyPluginAsync =
  fastifyPlugin(register, { name: 'fastify-source-origin/request-ids', fastify: '^5.12.0' })
