import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deadlines } from './deadlines.ts'
import { TimeoutError } from './errors.ts'
import { asError } from './send-error.ts'
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
   * Runs a call against the clock: `pass` or `fail` is called once, at once if the call returns no promise. What `pass` throws goes
   * to `fail`, as does TimeoutError (504), with `signal` aborted; what comes after that is ignored. Callbacks and no promise, which
   * would cost a small answer several percent.
   */
  within<T> (run: () => T | Promise<T>, pass: (value: T) => void, fail: (error: Error) => void): void {
    let answer
    try {
      answer = run()
      if (!isPromise(answer)) return pass(answer)
    } catch (error) {
      return fail(asError(error))
    }
    const deadlines = this.#deadlines
    const deadline = deadlines.start(() => {
      const error = new TimeoutError(`The source did not answer within ${deadlines.timeout} ms`)
      this.#timedOut = true
      this.#controller?.abort(error)
      fail(error)
    })
    // A thenable that is no promise becomes one.
    Promise.resolve(answer).then(value => {
      if (!deadlines.end(deadline)) return
      try {
        pass(value)
      } catch (error) {
        fail(asError(error))
      }
    }, error => {
      if (deadlines.end(deadline)) fail(asError(error))
    })
  }
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
