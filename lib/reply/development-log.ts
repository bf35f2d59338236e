import type { FastifyReply, FastifyRequest } from 'fastify'

/** Property of requests whose failures are kept for their author. It is a symbol, so that no other plugin uses it. */
export const developmentLog = Symbol('fastify-source-origin.developmentLog')

declare module 'fastify' {
  interface FastifyRequest {
    [developmentLog]?: DevelopmentLog
  }
}

/** Failures that are kept, and lines of each error's stack. */
const mostFailures = 100
const mostLines = 5

const requestId = 'x-request-id'

/** What the check and the page show beside a failure in development: the log line of the request. */
export class DevelopmentLog {
  readonly #failures = new Map<string, string>()

  /** @param error as it is logged: without secrets */
  note (error: Error, { id }: FastifyRequest, reply: FastifyReply): void {
    // The id leads from the answer to the line, also where the host has no ids of its own in answers.
    if (!reply.hasHeader(requestId)) reply.header(requestId, encodeURIComponent(id))
    this.#failures.set(String(reply.getHeader(requestId)), describe(error))
    if (this.#failures.size > mostFailures) this.#failures.delete([...this.#failures.keys()][0]!)
  }

  /** The error of a request that failed, with its causes. */
  failureOf (id: string): string | undefined {
    return this.#failures.get(id)
  }
}

const describe = ({ stack, cause }: Error): string => [
  ...String(stack).split('\n').slice(0, mostLines),
  ...cause instanceof Error ? [`caused by ${describe(cause)}`] : []
].join('\n')
