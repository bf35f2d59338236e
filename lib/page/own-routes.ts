import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { longestId } from '../../schemas/common.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { addVary, sendError } from '../reply/index.ts'
import { CurrentCall, enter, isBeforeHooks, type RegisteredSource } from '../request/index.ts'
import { Asker } from '../source/index.ts'

export const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= longestId

/** A request to one of the page's own routes, of whoever the source lets in. */
interface OwnRequest {
  readonly context: RequestContext
  readonly call: CurrentCall
  /** The source as they may ask it. */
  readonly asker: Asker
  readonly query: URLSearchParams
  readonly body: unknown
}

/** Adds a route below `page/`, for what `/v1` has no operation for. Its answers are for one caller, and never kept. */
export type OwnRoute = (method: 'GET' | 'POST', name: string, answer: (request: OwnRequest) => unknown) => void

/** @param path of the page, below the prefix */
export const ownRoutes = (app: FastifyInstance, path: string, registered: RegisteredSource): OwnRoute =>
  (method, name, answer) => app.route({
    method,
    url: `${path}page/${name}`,
    schema: { hide: true },
    async handler (request, reply) {
      addVary(reply, 'authorization').header('cache-control', 'no-store')
      const call = new CurrentCall(request, reply, registered.adapterTimeout)
      const context = await enter(registered, call)
      const asker = new Asker({ source: registered.source, call, context, resolve: () => enter(registered, call) })
      const query = new URLSearchParams(request.url.split('?')[1])
      return { code: 200, data: await answer({ context, call, asker, query, body: request.body }) }
    },
    async errorHandler (error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
      if (!isBeforeHooks(error)) return sendError(error, request, reply)
      const entered = enter(registered, new CurrentCall(request, reply, registered.adapterTimeout))
      return sendError(await entered.then(() => error, refusal => refusal), request, reply)
    }
  })
