import type { FastifyReply, FastifyRequest } from 'fastify'
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
  #controller: AbortController | undefined
  #timedOut = false

  constructor (request: FastifyRequest, reply: FastifyReply) {
    this.request = request
    this.#reply = reply
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
   * @param run the call
   * @param timeout milliseconds; 0 = no limit
   * @throws TimeoutError (504), with `signal` aborted
   */
  async within<T> (run: () => T | Promise<T>, timeout: number): Promise<T> {
    const answer = run()
    if (timeout === 0 || !isPromise(answer)) return answer
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const error = new TimeoutError(`The source did not answer within ${timeout} ms`)
        reject(error)
        this.#timedOut = true
        this.#controller?.abort(error)
      }, timeout)
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      clearTimeout(timer)
    }
  }
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
