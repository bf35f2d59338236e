import type { FastifyRequest } from 'fastify'
import type { SourceContext } from '../contract/source-context.ts'

/** What `resolveContext` gets. */
export interface ContextRequest {
  /** The `Authorization` header as it came, `undefined` without one. */
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
