import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { AdapterMethod } from '../contract/operations.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    sourceOperation?: AdapterMethod
  }
}

/** Property of requests whose failures are kept for their author. It is a symbol, so that no other plugin uses it. */
export const developmentLog = Symbol('fastify-source-origin.developmentLog')

/** Failures that are kept: the latest. */
const mostFailures = 100
/** Lines of each stack. */
const mostLines = 5

const requestId = 'x-request-id'

/** What the check and the page show beside a failure in development: the log line of the request. */
export class DevelopmentLog {
  readonly #failures = new LRUCache<string, string>({ max: mostFailures })
  readonly #mistakes: Set<string>

  /** @param mistakes of the adapter, for the check */
  constructor (mistakes: Set<string>) {
    this.#mistakes = mistakes
  }

  /** @param error as it is logged: without secrets */
  note (error: Error, request: FastifyRequest, reply: FastifyReply): void {
    // The id leads from the answer to the line, also where the host has no ids of its own in answers.
    if (!reply.hasHeader(requestId)) reply.header(requestId, encodeURIComponent(request.id))
    this.#failures.set(keyOf(String(reply.getHeader(requestId)), request), describe(error))
  }

  /**
   * Warns where an upstream does not have a path that has an id of the request in it as it is.
   *
   * @param error as it is logged
   */
  noteMissing ({ cause }: Error, { query, routeOptions, log }: FastifyRequest): void {
    const asked = (cause as Error | undefined)?.message
    if (asked === undefined || !Object.values(query as object).some(value => isUnencoded(value, asked))) return
    const hint = `${routeOptions.config.sourceOperation}: the upstream was asked for a path with an id that is not ` +
      'encoded, and has a / ? or # in it: the template tag "path" of fastify-source-origin/upstream encodes it'
    if (this.#mistakes.has(hint)) return
    this.#mistakes.add(hint)
    log.warn(hint)
  }

  /** The error of a failed request of the same caller, with its causes. */
  failureOf (id: string, caller: FastifyRequest): string | undefined {
    return this.#failures.peek(keyOf(id, caller))
  }
}

/** Ids can be guessed, so what failed for one account is not shown to another. */
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
