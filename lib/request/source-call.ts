import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TimedCall } from '../contract/answer-cache.ts'
import { TimeoutError } from '../contract/errors.ts'
import { asError } from '../errors/as-error.ts'
import type { ContextRequest } from './resolve-context.ts'

/** Property of a request that holds its call. It is a symbol, so that no other plugin uses the same name. */
export const sourceCall = Symbol('fastify-source-origin.call')

declare module 'fastify' {
  interface FastifyRequest {
    [sourceCall]: SourceCall | null
  }
}

/**
 * What `resolveContext` gets for one request, and the time limit for it and for the adapter method.
 * The signal is made when it is first read, because most adapters never read it.
 */
export class SourceCall implements ContextRequest, TimedCall {
  readonly request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #timeout: number
  #controller: AbortController | undefined
  #timedOut = false
  #isShared = false

  /** @param timeout milliseconds; 0 = no limit */
  constructor (request: FastifyRequest, reply: FastifyReply, timeout: number) {
    this.request = request
    this.#reply = reply
    this.#timeout = timeout
  }

  get authorization (): string | undefined {
    return this.request.headers.authorization
  }

  get signal (): AbortSignal {
    if (this.#controller === undefined) {
      const controller = this.#controller = new AbortController()
      // Fastify's `request.signal` is aborted as soon as the body of a POST is read, so this follows the response.
      const { raw } = this.#reply
      const hangUp = () => {
        if (!raw.writableFinished && !this.#isShared) controller.abort(new Error('The client hung up'))
      }
      if (this.#timedOut) controller.abort(new TimeoutError())
      else if (raw.destroyed) hangUp()
      else raw.once('close', hangUp)
    }
    return this.#controller.signal
  }

  /**
   * Calls a function of the source within the time limit. Either `onAnswer` or `onError` is called, once, and
   * synchronously if the function returns no promise. An error that `onAnswer` throws goes to `onError`. After the time
   * limit `signal` is aborted, `onError` gets a TimeoutError (504), and an answer is ignored. It takes callbacks
   * because a promise would slow down small answers.
   */
  run<T> (call: () => T | Promise<T>, onAnswer: (value: T) => void, onError: (error: Error) => void): void {
    let answer
    try {
      answer = call()
      if (!isPromise(answer)) return onAnswer(answer)
    } catch (error) {
      return onError(asError(error))
    }

    let ended = false
    const expire = () => {
      ended = true
      onError(this.#expire())
    }
    const timer = this.#timeout === 0 ? undefined : setTimeout(expire, this.#timeout)
    const end = (then: () => void) => {
      if (ended) return
      clearTimeout(timer)
      try {
        then()
      } catch (error) {
        onError(asError(error))
      }
    }
    // `then` of the answer may not be that of a promise.
    Promise.resolve(answer).then(value => end(() => onAnswer(value)), error => end(() => onError(asError(error))))
  }

  /**
   * Calls a function of the source for all requests that ask the same at the same time. From then on the signal is
   * aborted by the time limit only, no longer when this client disconnects.
   */
  share<T> (call: () => T | Promise<T>, onAnswer: (value: T) => void, onError: (error: Error) => void): void {
    this.#isShared = true
    this.run(call, onAnswer, onError)
  }

  #expire (): TimeoutError {
    const error = new TimeoutError(`The source did not answer within ${this.#timeout} ms`)
    this.#timedOut = true
    this.#controller?.abort(error)
    return error
  }
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
