import type { FastifyInstance } from 'fastify'
import { longestId } from '../../schemas/common.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { CurrentCall } from '../request/index.ts'
import { resolveRequest, type RegisteredSource } from '../routes/index.ts'
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
export const ownRoutes = (app: FastifyInstance, path: string, source: RegisteredSource): OwnRoute =>
  (method, name, answer) => app.route({
    method,
    url: `${path}page/${name}`,
    schema: { hide: true },
    async handler (request, reply) {
      reply.headers({ 'cache-control': 'no-store', vary: 'authorization' })
      const { context, call } = await resolveRequest(source, request, reply)
      const resolve = async () => (await resolveRequest(source, request, reply)).context
      const asker = new Asker({ source: source.source, call, context, resolve })
      const query = new URLSearchParams(request.url.split('?')[1])
      return { code: 200, data: await answer({ context, call, asker, query, body: request.body }) }
    }
  })
