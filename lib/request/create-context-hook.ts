import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidContext } from '../errors/author-errors.ts'
import { UnauthorizedError } from '../contract/errors.ts'
import { isObject } from '../options/is-object.ts'
import type { SourceContext } from '../contract/source-context.ts'
import { ResolvedContext } from './resolved-context.ts'
import type { ResolveContext } from './resolve-context.ts'
import { SourceCall, sourceCall } from './source-call.ts'
import { createAdapterWarnings } from './warn-of-adapter.ts'

/**
 * Makes the preHandler hook of every `/v1` route: it finds the context of the request or refuses the request with 401.
 *
 * @param timeout milliseconds that `resolveContext`, and later the adapter, may take; 0 = no limit
 */
export function createContextHook (resolveContext: ResolveContext, timeout: number) {
  const warn = createAdapterWarnings()

  return function findContext (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const call = request[sourceCall] = new SourceCall(request, reply, timeout)
    call.run<unknown>(() => resolveContext(call), given => {
      if (given === null || given === undefined || given === false) throw new UnauthorizedError()
      const context = request.sourceContext = new ResolvedContext(checkContext(given))
      if (context.accountName !== undefined) {
        request.log = reply.log = request.log.child({ accountName: context.accountName })
      }
      warn(context.adapter, request.log)
      done()
    }, done)
  }
}

const isNone = (value: unknown) => value === undefined || value === null
const isListOrNone = (value: unknown) => isNone(value) || Array.isArray(value)

/** @throws SOURCE_ORIGIN_ERR_INVALID_CONTEXT */
function checkContext (given: unknown): SourceContext {
  const { adapter, qualityMap, playlistSortOptions, account, variant } = Object(given) as Partial<SourceContext>
  if (!isObject(adapter)) throw invalidContext('resolveContext must give an object with an adapter, or null')
  if (!isListOrNone(qualityMap)) throw invalidContext('qualityMap of the context must be a list')
  if (!isListOrNone(playlistSortOptions)) throw invalidContext('playlistSortOptions of the context must be a list')
  if (!isNone(account) && (typeof account !== 'string' || account === '')) {
    throw invalidContext('account of the context must be a string that is not empty')
  }
  if (!isNone(variant) && typeof variant !== 'string') throw invalidContext('variant of the context must be a string')
  return given as SourceContext
}
