import type { FastifyReply, FastifyRequest } from 'fastify'
import { TimedCall } from '../async/timed-call.ts'
import { hideSecret, secretsOf, tellPartial } from '../reply/index.ts'
import type { Caller, Log } from '../source/index.ts'
import type { ContextRequest } from './resolve-context.ts'

/** Property of a request that holds its call. It is a symbol, so that no other plugin uses the same name. */
export const sourceCall = Symbol('fastify-source-origin.call')

/** The types of Fastify do not have it: it is for this package alone. */
type WithCall = FastifyRequest & { [sourceCall]?: CurrentCall | null }

/** The call of a request; none before the hook of the source. */
export const callOf = (request: WithCall): CurrentCall | null | undefined => request[sourceCall]

/** Begins the call of a request. */
export function beginCall (request: WithCall, reply: FastifyReply, timeout: number): CurrentCall {
  const call = new CurrentCall(request, reply, timeout)
  request[sourceCall] = call
  return call
}

/** What `resolveContext` gets for one request, and who then asks the source. */
export class CurrentCall extends TimedCall implements ContextRequest, Caller {
  readonly request: FastifyRequest
  readonly #reply: FastifyReply
  #isNamed = false

  /** @param timeout milliseconds; 0 = no limit */
  constructor (request: FastifyRequest, reply: FastifyReply, timeout: number) {
    super(reply.raw, timeout)
    this.request = request
    this.#reply = reply
  }

  get authorization (): string | undefined {
    return this.request.headers.authorization
  }

  get log (): Log {
    return this.request.log
  }

  get secrets (): readonly string[] {
    return secretsOf(this.request)
  }

  /** Keeps the secret of a login out of errors too. */
  hide (secret: string | undefined): void {
    hideSecret(this.request, secret)
  }

  /**
   * @param authorization of a login, in the place of the `Authorization` header, which an own `resolveContext` may
   * read, as plugins such as @fastify/jwt do
   */
  logIn (authorization: string): void {
    this.hide(authorization)
    this.request.headers.authorization = authorization
  }

  /** From now on every line that is logged of the request says so. */
  noteContextFailed (): void {
    this.request.log = this.#reply.log = this.request.log.child({ failed: 'resolveContext' })
  }

  tellPartial (missing: readonly string[]): void { tellPartial(this.#reply, missing) }

  /** From now on every line that is logged of the request has the name. */
  nameAccount (accountName: string | undefined): void {
    if (accountName === undefined || this.#isNamed) return
    this.#isNamed = true
    this.request.log = this.#reply.log = this.request.log.child({ accountName })
  }
}
