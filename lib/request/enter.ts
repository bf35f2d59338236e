import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { UnauthorizedError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { Source } from '../source/index.ts'
import { isFailure } from '../errors/is-failure.ts'
import { readError } from '../errors/read-error.ts'
import { beginCall, callOf, type CurrentCall } from './current-call.ts'
import type { ResolveContext } from './resolve-context.ts'

/** A source as the plugins of its host find it. */
export interface RegisteredSource {
  readonly source: Source
  readonly resolveContext: ResolveContext
  /** Milliseconds that `resolveContext` and each call of the adapter may take; 0 = no limit. */
  readonly adapterTimeout: number
}

/**
 * The one way into a source: finds the context of a call, and names its account in the log. Either function is called,
 * once, and synchronously where `resolveContext` gives no promise; an error is an UnauthorizedError, a TimeoutError or
 * what `resolveContext` throws.
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
 * The context of a call, for protocols that can wait.
 *
 * @throws UnauthorizedError; TimeoutError; what `resolveContext` throws
 */
export const enter = (registered: RegisteredSource, call: CurrentCall): Promise<RequestContext> =>
  new Promise((resolve, reject) => find(registered, call, resolve, reject))

/** The preHandler hook of every `/v1` route, which refuses a request with 401. A promise would slow it down. */
export const enterByHook = (registered: RegisteredSource) =>
  function findContext (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const call = beginCall(request, reply, registered.adapterTimeout)
    find(registered, call, context => {
      request.sourceContext = context
      done()
    }, done)
  }

/** Errors of the request that Fastify finds before it runs the hooks after the body, a body that is too large one. */
const beforeHooks = /^FST_ERR_(CTP|ROUTE)_/

/**
 * Returns the error that a request is refused with. A caller without authorisation does not learn what is wrong with a
 * body. What `resolveContext` needs of the host's hooks is not there, so its unknown errors are a 401.
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
