import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deadlines } from './deadlines.ts'
import { TimeoutError } from './errors.ts'
import type { ContextRequest } from './source-adapter.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The signal and the clock of a `/v1` request. */
    sourceCall: SourceCall | null
  }
}

/**
 * What `resolveContext` gets for one request, and the clock that both it and the adapter method run against.
 * The signal is made when somebody reads it: most adapters never do.
 */
export class SourceCall implements ContextRequest {
  readonly request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #deadlines: Deadlines
  #controller: AbortController | undefined
  #timedOut = false

  constructor (request: FastifyRequest, reply: FastifyReply, deadlines: Deadlines) {
    this.request = request
    this.#reply = reply
    this.#deadlines = deadlines
  }

  get authorization (): string | undefined {
    return this.request.headers.authorization
  }

  get signal (): AbortSignal {
    if (this.#controller === undefined) {
      const controller = this.#controller = new AbortController()
      // `request.signal` of Fastify is aborted as soon as the body of a POST is read, so the response tells.
      const { raw } = this.#reply
      const hangUp = () => { if (!raw.writableFinished) controller.abort(new Error('The client hung up')) }
      if (this.#timedOut) controller.abort(new TimeoutError())
      else if (raw.destroyed) hangUp()
      else raw.once('close', hangUp)
    }
    return this.#controller.signal
  }

  /**
   * Runs a call against the clock. What comes after the time-out is ignored, a rejection too.
   *
   * @returns what the call returns, or a promise of it that keeps the time
   * @throws TimeoutError (504), with `signal` aborted
   */
  within<T> (run: () => T | Promise<T>): T | Promise<T> {
    const answer = run()
    const deadlines = this.#deadlines
    if (deadlines.timeout === 0 || !isPromise(answer)) return answer
    return new Promise((resolve, reject) => {
      const deadline = deadlines.start(() => {
        const error = new TimeoutError(`The source did not answer within ${deadlines.timeout} ms`)
        reject(error)
        this.#timedOut = true
        this.#controller?.abort(error)
      })
      const settle = <A>(pass: (outcome: A) => void) => (outcome: A) => {
        deadlines.end(deadline)
        pass(outcome)
      }
      // A thenable that is no promise becomes one.
      Promise.resolve(answer).then(settle<T>(resolve), settle(reject))
    })
  }
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
