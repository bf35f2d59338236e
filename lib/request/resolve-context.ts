import type { FastifyRequest } from 'fastify'
import type { SourceContext } from '../contract/source-context.ts'
import { secretsIn } from '../errors/without-secrets.ts'
import { secretsOf } from '../reply/index.ts'
import { channels, type ChannelMessages } from '../tracing/channels.ts'
import { trace } from '../tracing/trace.ts'

/** The argument of `resolveContext`. */
export interface ContextRequest {
  /** The unchanged `Authorization` header; `undefined` without one. */
  readonly authorization: string | undefined
  readonly request: FastifyRequest
  /** Aborted when the client disconnects or the time limit has passed. */
  readonly signal: AbortSignal
}

/** No context: the caller is not authorised. */
type Rejection = null | undefined | false

/**
 * Finds the context of a request, or rejects it (401). Runs once for every `/v1` request except the redirects.
 *
 * @see docs/reference/contract.md, Context
 */
export type ResolveContext = (request: ContextRequest) => SourceContext | Rejection | Promise<SourceContext | Rejection>

/** Wraps the function so that its calls are published on the diagnostics channel of contexts. */
export const traceContext = (resolveContext: ResolveContext): ResolveContext => call => {
  if (!channels.context.hasSubscribers) return resolveContext(call)
  const { authorization, request, signal } = call
  const message: ChannelMessages['context'] = {}
  return trace(channels.context, message, () => resolveContext(call), {
    secrets: [...secretsIn(authorization), ...secretsOf(request)],
    signal,
    onResult (context) {
      if (context) message.account = context.account
      else message.status = 401
    }
  })
}
