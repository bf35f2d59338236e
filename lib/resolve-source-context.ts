import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CheckedOptions } from './check-options.ts'
import type { Deadlines } from './deadlines.ts'
import { UnauthorizedError } from './errors.ts'
import type { SourceContext } from './source-adapter.ts'
import { SourceCall } from './source-call.ts'
import { createAdapterWarnings } from './warn-of-adapter.ts'

/** The preHandler hook of every `/v1` route: finds the context of the request or refuses it with 401. */
export function createContextHook ({ resolveContext }: CheckedOptions, deadlines: Deadlines) {
  const warn = createAdapterWarnings()

  return function resolveSourceContext (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const call = request.sourceCall = new SourceCall(request, reply, deadlines)
    call.within<unknown>(() => resolveContext(call), context => {
      if (context === null) throw new UnauthorizedError()
      if (!isContext(context)) throw new TypeError('resolveContext must give null or an object with an adapter, and lists as qualityMap and playlistSortOptions if any')
      request.sourceContext = context
      if (context.accountName !== undefined) {
        request.log = reply.log = request.log.child({ accountName: context.accountName })
      }
      warn(context.adapter, request.log)
      done()
    }, done)
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isListOrNone = (value: unknown) => value === undefined || value === null || Array.isArray(value)

function isContext (value: unknown): value is SourceContext {
  if (!isObject(value)) return false
  const { adapter, qualityMap, playlistSortOptions } = value as Partial<SourceContext>
  return isObject(adapter) && isListOrNone(qualityMap) && isListOrNone(playlistSortOptions)
}
