import type { FastifyReply, FastifyRequest } from 'fastify'
import { TimedCall } from '../async/timed-call.ts'
import { secretsOf } from '../reply/index.ts'
import type { Caller, Log } from '../source/index.ts'
import type { ContextRequest } from './resolve-context.ts'

/** Property of a request that holds its call. It is a symbol, so that no other plugin uses the same name. */
export const sourceCall = Symbol('fastify-source-origin.call')

declare module 'fastify' {
  interface FastifyRequest {
    [sourceCall]: CurrentCall | null
  }
}

const none: readonly string[] = []

/** What `resolveContext` gets for one request, and who then asks the source. */
export class CurrentCall extends TimedCall implements ContextRequest, Caller {
  readonly request: FastifyRequest
  #secrets: readonly string[] = none

  /** @param timeout milliseconds; 0 = no limit */
  constructor (request: FastifyRequest, reply: FastifyReply, timeout: number) {
    super(reply.raw, timeout)
    this.request = request
  }

  get authorization (): string | undefined {
    return this.request.headers.authorization
  }

  get log (): Log {
    return this.request.log
  }

  get secrets (): readonly string[] {
    return [...secretsOf(this.request), ...this.#secrets]
  }

  /** What no error may tell either: of a login that is no `Authorization` header. */
  addSecrets (secrets: readonly string[]): void {
    this.#secrets = [...this.#secrets, ...secrets]
  }
}
