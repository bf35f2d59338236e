import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFoundError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { addVary, sendError } from '../reply/index.ts'
import {
  beginCall, BrokenBody, compileParameters, CurrentCall, enter, refusalBeforeHooks, type RegisteredSource
} from '../request/index.ts'
import { SourceSession } from '../source/index.ts'
import type { OwnAnswers } from './page-responses.ts'
import { ownParameters, type OwnName, type OwnParameters } from './page-parameters.ts'

/** An authorised request to one of the page's routes. */
interface OwnRequest<N extends OwnName> {
  readonly context: RequestContext
  readonly call: CurrentCall
  /** The source session of the account. */
  readonly session: SourceSession
  readonly parameters: OwnParameters<N>
}

type Answer<N extends OwnName> = OwnAnswers[N] | Promise<OwnAnswers[N]>

/**
 * Adds one of the page's routes. Responses are for one account, and never cached.
 *
 * @param isVisibleTo returns `false` for contexts that get a 404. Default: visible to all
 * @param bodyLimit the maximum size of the body in bytes. Default: the limit of the parent app
 */
export type OwnRoute = <N extends OwnName>(
  name: N, answer: (request: OwnRequest<N>) => Answer<N>, isVisibleTo?: (context: RequestContext) => boolean,
  bodyLimit?: number
) => void

/** @returns a function that reads the parameters of a request as `/v1` does. @throws BadRequestError */
export function ownReader<N extends OwnName> (name: N): (request: FastifyRequest) => OwnParameters<N> {
  const isQuery = name.startsWith('GET')
  const schema = ownParameters[name]
  // A route without parameters needs no body.
  if (Object.keys(schema.properties).length === 0) {
    return ({ body }) => {
      if (body instanceof BrokenBody) throw body.error
      return {} as OwnParameters<N>
    }
  }
  const read = compileParameters(schema, isQuery ? 'querystring' : undefined)
  return ({ query, body }) => {
    const outcome = read(isQuery ? query : body)
    if ('error' in outcome) throw outcome.error
    return outcome.value as OwnParameters<N>
  }
}

/** @param path of the page, below the prefix */
export const ownRoutes = (app: FastifyInstance, path: string, registered: RegisteredSource): OwnRoute =>
  (name, answer, isVisibleTo = () => true, bodyLimit) => {
    const read = ownReader(name)
    const enterVisible = async (request: FastifyRequest, reply: FastifyReply) => {
      addVary(reply, 'authorization').header('cache-control', 'no-store')
      const call = beginCall(request, reply, registered.adapterTimeout)
      const context = await enter(registered, call)
      if (!isVisibleTo(context)) throw new NotFoundError()
      return { call, context }
    }
    const entered = new WeakMap<FastifyRequest, Awaited<ReturnType<typeof enterVisible>>>()
    const [method, below] = name.split(' ') as ['GET' | 'POST', string]
    app.route({
      method,
      url: `${path}page/${below}`,
      schema: { hide: true },
      // The server reads a long body only if the account may send it.
      ...bodyLimit !== undefined && {
        bodyLimit,
        async onRequest (request, reply) { entered.set(request, await enterVisible(request, reply)) }
      },
      async handler (request, reply) {
        const { call, context } = entered.get(request) ?? await enterVisible(request, reply)
        const session = new SourceSession(
          { source: registered.source, call, context, resolve: () => enter(registered, call) }
        )
        return { code: 200, data: await answer({ context, call, session, parameters: read(request) }) }
      },
      async errorHandler (error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
        const refusal = await refusalBeforeHooks(error, request, () =>
          enter(registered, new CurrentCall(request, reply, registered.adapterTimeout)))
        return sendError(refusal, request, reply)
      }
    })
  }
