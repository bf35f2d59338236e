import type { ServerResponse } from 'node:http'
import { TimeoutError } from '../contract/errors.ts'
import { noteReported } from '../errors/reported.ts'
import { asError } from '../errors/as-error.ts'
import { isResponseClosed, isResponseSent, onResponseClose } from './on-response-close.ts'
import { promiseOf } from './promise-of.ts'
import { discard, mostOfError } from './unawaited.ts'

/** Returns a thrown value as an error. Rejected promises in it must not crash the process. */
function failureOf (thrown: unknown): Error {
  discard(thrown, mostOfError)
  return asError(thrown)
}

/**
 * The timeout and the signal of one request. The signal is created at its first use, because most adapters never use
 * it.
 */
export class TimedCall {
  readonly #response: ServerResponse
  readonly #timeout: number
  #controller: AbortController | undefined
  #late: TimeoutError | undefined
  #isShared = false
  /** The number of running functions. */
  #running = 0

  /** @param timeout of each function in milliseconds; 0 = no limit */
  constructor (response: ServerResponse, timeout: number) {
    this.#response = response
    this.#timeout = timeout
  }

  /**
   * Aborted after the timeout. Unless the call is shared, it is also aborted when the client disconnects, or when the
   * response has ended while a function runs.
   */
  get signal (): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#late !== undefined) this.#controller.abort(this.#late)
      // Fastify's `request.signal` is aborted as soon as the body of a POST is read, so this signal follows the
      // response.
      else onResponseClose(this.#response, () => this.#hangUp())
    }
    return this.#controller.signal
  }

  /** If `true`, each function has a timeout. */
  get hasLimit (): boolean {
    return this.#timeout > 0
  }

  /**
   * If `true`, the client has disconnected or the timeout has passed, so no other request may join a call started now.
   */
  get isOver (): boolean {
    return isResponseClosed(this.#response) || this.#late !== undefined
  }

  /**
   * Marks the call as shared: from now on only the timeout aborts the signal, because other requests may wait for the
   * result.
   */
  share (): void {
    this.#isShared = true
  }

  /**
   * Calls a function with the timeout. Either `onResult` or `onError` is called once, and synchronously if the function
   * does not return a promise. An error thrown by `onResult` is passed to `onError`. After the timeout, `signal` is
   * aborted, `onError` receives a TimeoutError (504), and the result is ignored. It takes callbacks because a promise
   * would slow down small responses.
   */
  run<T> (call: () => T | Promise<T>, onResult: (value: T) => void, onError: (error: Error) => void): void {
    let promise: Promise<T> | undefined
    try {
      const result = call()
      promise = promiseOf(result)
      if (promise === undefined) return onResult(result as T)
    } catch (error) {
      return onError(failureOf(error))
    }

    this.#running++
    let ended = false
    const expire = () => {
      ended = true
      onError(this.#expire())
    }
    const timer = this.#timeout === 0 ? undefined : setTimeout(expire, this.#timeout)
    promise.then(value => {
      this.#running--
      if (ended) return discard(value)
      clearTimeout(timer)
      try {
        onResult(value)
      } catch (error) {
        onError(failureOf(error))
      }
    }, thrown => {
      this.#running--
      const error = failureOf(thrown)
      if (ended) return
      clearTimeout(timer)
      onError(error)
    })
  }

  #hangUp (): void {
    // A hook of the app, or its `handlerTimeout`, may have responded while functions still run.
    if (this.#isShared || (this.#running === 0 && isResponseSent(this.#response))) return
    this.#controller!.abort(noteReported(new Error('The client hung up')))
  }

  #expire (): TimeoutError {
    this.#late = new TimeoutError(`The source did not answer within ${this.#timeout} ms`)
    this.#controller?.abort(this.#late)
    return this.#late
  }
}

/** Runs a function with the timeout of a call and returns a promise. */
export const withinTime = <T>(call: Pick<TimedCall, 'run'>, run: () => T | Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => call.run(run, resolve, reject))
