import type { ServerResponse } from 'node:http'
import { TimeoutError } from '../contract/errors.ts'
import { noteReported } from '../errors/reported.ts'
import { asError } from '../errors/as-error.ts'
import { isResponseClosed, isResponseSent, onResponseClose } from './on-response-close.ts'
import { promiseOf } from './promise-of.ts'
import { discard, mostOfError } from './unawaited.ts'

/** What was thrown, of which nothing ends the process: a promise, or one in it. */
function failureOf (thrown: unknown): Error {
  discard(thrown, mostOfError)
  return asError(thrown)
}

/**
 * The time limit and the signal of one request. The signal is made when it is first read, because most adapters never
 * read it.
 */
export class TimedCall {
  readonly #response: ServerResponse
  readonly #timeout: number
  #controller: AbortController | undefined
  #late: TimeoutError | undefined
  #isShared = false
  /** Functions that run. */
  #running = 0

  /** @param timeout milliseconds of each function that is run; 0 = no limit */
  constructor (response: ServerResponse, timeout: number) {
    this.#response = response
    this.#timeout = timeout
  }

  /**
   * Aborted when the client disconnects, or the response has ended while a function runs, unless others may wait for
   * the result; and by the time limit.
   */
  get signal (): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#late !== undefined) this.#controller.abort(this.#late)
      // Fastify's `request.signal` is aborted as soon as the body of a POST is read, so this follows the response.
      else onResponseClose(this.#response, () => this.#hangUp())
    }
    return this.#controller.signal
  }

  /** Whether each function that is run comes to an end. */
  get hasLimit (): boolean {
    return this.#timeout > 0
  }

  /** Whether the client has left or the time limit has passed: nobody may wait for what is started now. */
  get isOver (): boolean {
    return isResponseClosed(this.#response) || this.#late !== undefined
  }

  /** From now on the signal is aborted by the time limit only: others may wait for what a call gives. */
  share (): void {
    this.#isShared = true
  }

  /**
   * Calls a function within the time limit. Either `onResult` or `onError` is called, once, and synchronously if the
   * function returns no promise. An error that `onResult` throws goes to `onError`. After the time limit `signal` is
   * aborted, `onError` gets a TimeoutError (504), and a result is ignored. It takes callbacks because a promise would
   * slow down small answers.
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
    // A hook of the host, or its `handlerTimeout`, may have answered for what still runs.
    if (this.#isShared || (this.#running === 0 && isResponseSent(this.#response))) return
    this.#controller!.abort(noteReported(new Error('The client hung up')))
  }

  #expire (): TimeoutError {
    this.#late = new TimeoutError(`The source did not answer within ${this.#timeout} ms`)
    this.#controller?.abort(this.#late)
    return this.#late
  }
}

/** A function within the time limit of a call, as a promise. */
export const withinTime = <T>(call: Pick<TimedCall, 'run'>, run: () => T | Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => call.run(run, resolve, reject))
