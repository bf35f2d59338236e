import type { FastifyReply, FastifyRequest } from 'fastify'
import { TimedCall } from '../async/timed-call.ts'
import { hideSecret, secretsOf, setPartialHeader } from '../reply/index.ts'
import type { Caller, Log } from '../source/index.ts'
import type { ContextRequest } from './resolve-context.ts'

/** The property of a request that contains its call. It is a symbol, so that no other plugin uses the same name. */
export const sourceCall = Symbol('fastify-source-origin.call')

/**
 * A request with its call. The types of Fastify do not include the property, because it is internal to this package.
 */
type WithCall = FastifyRequest & { [sourceCall]?: CurrentCall | null }

/** Returns the call of a request; `undefined` before the hook of the source. */
export const callOf = (request: WithCall): CurrentCall | null | undefined => request[sourceCall]

/** Begins the call of a request. */
export function beginCall (request: WithCall, reply: FastifyReply, timeout: number): CurrentCall {
  const call = new CurrentCall(request, reply, timeout)
  request[sourceCall] = call
  return call
}

/** The call of one request: the argument of `resolveContext` and the caller of the source. */
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

  /** Removes the secret of a login from errors too. */
  hide (secret: string | undefined): void {
    hideSecret(this.request, secret)
  }

  /**
   * @param authorization of a login, instead of the `Authorization` header, which a custom `resolveContext` may read,
   * for example through @fastify/jwt
   */
  logIn (authorization: string): void {
    this.hide(authorization)
    this.request.headers.authorization = authorization
  }

  /** Marks all further log lines of the request. */
  noteContextFailed (): void {
    this.request.log = this.#reply.log = this.request.log.child({ failed: 'resolveContext' })
  }

  tellPartial (missing: readonly string[]): void { setPartialHeader(this.#reply, missing) }

  /** Adds the name to all further log lines of the request. */
  nameAccount (accountName: string | undefined): void {
    if (accountName === undefined || this.#isNamed) return
    this.#isNamed = true
    this.request.log = this.#reply.log = this.request.log.child({ accountName })
  }
}
