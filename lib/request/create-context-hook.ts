import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Source } from '../source/index.ts'
import type { ResolveContext } from './resolve-context.ts'
import { CurrentCall, sourceCall } from './current-call.ts'

/**
 * Makes the preHandler hook of every `/v1` route: it finds the context of the request or refuses the request with 401.
 *
 * @param timeout milliseconds that `resolveContext`, and later the adapter, may take; 0 = no limit
 */
export function createContextHook (source: Source, resolveContext: ResolveContext, timeout: number) {
  return function findContext (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const call = request[sourceCall] = new CurrentCall(request, reply, timeout)
    call.run<unknown>(() => resolveContext(call), given => {
      const context = request.sourceContext = source.contextOf(given)
      if (context.accountName !== undefined) {
        request.log = reply.log = request.log.child({ accountName: context.accountName })
      }
      done()
    }, done)
  }
}
