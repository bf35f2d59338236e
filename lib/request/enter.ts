import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { UnauthorizedError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { Source } from '../source/index.ts'
import { isFailure } from '../errors/is-failure.ts'
import { readError } from '../errors/read-error.ts'
import { beginCall, callOf, type CurrentCall } from './current-call.ts'
import type { ResolveContext } from './resolve-context.ts'

/** A source in the form that the plugins of its app use. */
export interface RegisteredSource {
  readonly source: Source
  readonly resolveContext: ResolveContext
  /** The timeout of `resolveContext` and of each call of the adapter in milliseconds; 0 = no limit. */
  readonly adapterTimeout: number
}

/**
 * Finds the context of a call and adds its account to the log. All calls of a source come through here. Exactly one of
 * the callbacks is called, synchronously if `resolveContext` does not return a promise. The error is an
 * UnauthorizedError, a TimeoutError or the error of `resolveContext`.
 */
function find (
  { source, resolveContext }: RegisteredSource, call: CurrentCall,
  onContext: (context: RequestContext) => void, onError: (error: Error) => void
): void {
  call.run<unknown>(() => resolveContext(call), given => {
    const context = source.contextOf(given)
    call.nameAccount(context.accountName)
    onContext(context)
  }, error => {
    if (isFailure(readError(error, []).status ?? 500)) call.noteContextFailed()
    onError(error)
  })
}

/**
 * Returns the context of a call, for protocols that can await it.
 *
 * @throws UnauthorizedError; TimeoutError; the error of `resolveContext`
 */
export const enter = (registered: RegisteredSource, call: CurrentCall): Promise<RequestContext> =>
  new Promise((resolve, reject) => find(registered, call, resolve, reject))

/** Creates the preHandler hook of every `/v1` route, which rejects a request with 401. A promise would slow it down. */
export const enterByHook = (registered: RegisteredSource) =>
  function findContext (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const call = beginCall(request, reply, registered.adapterTimeout)
    find(registered, call, context => {
      request.sourceContext = context
      done()
    }, done)
  }

/** Errors that Fastify detects before it runs the hooks after the body, such as an oversized body. */
const beforeHooks = /^FST_ERR_(CTP|ROUTE)_/

/**
 * Returns the error with which a request is rejected. An unauthorised caller does not learn the problem of a body. The
 * app's hooks have not run, so an unknown error of `resolveContext`, which may depend on them, becomes a 401.
 *
 * @param enter runs `resolveContext`
 */
export async function refusalBeforeHooks (
  error: FastifyError, request: FastifyRequest, enter: () => Promise<unknown>
): Promise<unknown> {
  if (callOf(request) || !beforeHooks.test(String(error?.code))) return error
  try {
    await enter()
    return error
  } catch (thrown) {
    return readError(thrown, []).status === undefined ? new UnauthorizedError() : thrown
  }
}
