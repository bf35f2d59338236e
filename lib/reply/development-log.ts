import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { AdapterMethod } from '../contract/operations.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    sourceOperation?: AdapterMethod
  }
}

/**
 * The property of requests that contains the log of failures for the author. It is a symbol, so that no other plugin
 * uses it.
 */
export const developmentLog = Symbol('fastify-source-origin.developmentLog')

/** The number of failures that are stored, the latest ones. */
const mostFailures = 100
/** The number of lines of each stack. */
const mostLines = 5

const requestId = 'x-request-id'

/** The log lines that the check and the page show for failed requests in development. */
export class DevelopmentLog {
  readonly #failures = new LRUCache<string, string>({ max: mostFailures })
  readonly #mistakes: Set<string>

  /** @param mistakes of the adapter, for the check */
  constructor (mistakes: Set<string>) {
    this.#mistakes = mistakes
  }

  /** @param error the logged form, without secrets */
  note (error: Error, request: FastifyRequest, reply: FastifyReply): void {
    // The id connects the response with the log line, even if the app sends no request ids.
    if (!reply.hasHeader(requestId)) reply.header(requestId, encodeURIComponent(request.id))
    this.#failures.set(keyOf(String(reply.getHeader(requestId)), request), describe(error))
  }

  /**
   * Logs a warning if the path of a 404 from the upstream contains an unencoded id of the request.
   *
   * @param error the logged form
   */
  noteMissing ({ cause }: Error, { query, routeOptions, log }: FastifyRequest): void {
    const asked = (cause as Error | undefined)?.message
    if (asked === undefined || !Object.values(query as object).some(value => isUnencoded(value, asked))) return
    const operation = routeOptions.config.sourceOperation
    const hint = `${operation}: the upstream was asked for a path with an id that is not ` +
      'encoded, and has a / ? or # in it: the template tag "path" of fastify-source-origin/upstream encodes it'
    if (this.#mistakes.has(hint)) return
    this.#mistakes.add(hint)
    log.warn({ operation, hint }, 'upstream path not encoded')
  }

  /** Returns the error of a failed request of the same caller, with its causes. */
  failureOf (id: string, caller: FastifyRequest): string | undefined {
    return this.#failures.peek(keyOf(id, caller))
  }
}

/**
 * Returns the key of a failure. It contains the authorization, because ids can be guessed and other accounts must not
 * see the failure.
 */
const keyOf = (id: string, { headers }: FastifyRequest): string => `${id} ${headers.authorization}`

/** @param asked method, host, path and status of a request to the upstream: `GET music.example/songs/a/b: 404` */
function isUnencoded (id: string, asked: string): boolean {
  if (!/[/?#]/.test(id)) return false
  const { pathname } = new URL(`http://upstream/${id}`)
  return asked.includes(`${pathname}:`) || asked.includes(`${pathname}/`)
}

const describe = ({ stack, cause }: Error): string => [
  ...String(stack).split('\n').slice(0, mostLines),
  ...cause instanceof Error ? [`caused by ${describe(cause)}`] : []
].join('\n')
