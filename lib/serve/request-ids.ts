import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { showsId } from '../reply/index.ts'
import { validateMembers, optional } from '../options/validate-members.ts'
import { aBoolean } from '../options/rules.ts'

export interface RequestIdsOptions {
  /** Whether errors of `/v1` from 500 on name the id. Default: `process.env.NODE_ENV !== 'production'`. */
  inErrors?: boolean | undefined
}

const header = 'x-request-id'

async function register (app: FastifyInstance, options: RequestIdsOptions): Promise<void> {
  validateMembers(options, optional({ inErrors: aBoolean }))
  const { inErrors = process.env.NODE_ENV !== 'production' } = options
  app.setGenReqId(({ headers: { [header]: given } }) =>
    typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID())
  app.decorateRequest(showsId, inErrors)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(header, request.id)
    done()
  })
}

/**
 * Gives each request an id, which is in every log line of it: its `X-Request-Id` of up to 64 letters, digits, `.`, `_`,
 * `:` and `-`, or a new one. The answer has it too.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION at registration: they name the option
 * @see docs/operations/deployment.md, Request ids
 */
export const requestIds: FastifyPluginAsync<RequestIdsOptions> =
  fastifyPlugin(register, { name: 'fastify-source-origin/request-ids', fastify: '^5.12.0' })
