import { TimeoutError } from '../contract/errors.ts'

export interface TimeoutOptions {
  /** Milliseconds that the function may take; 0 = no limit. Default: 0. */
  timeout?: number | undefined
  /** Ends the function too. */
  signal?: AbortSignal | undefined
  /** Makes the error after the time limit. Default: a `TimeoutError`. */
  error?: (() => unknown) | undefined
  /** The function ends soon after its signal is aborted, so it is waited for: its result counts. Default: false. */
  isWaitedFor?: boolean | undefined
}

/**
 * Runs a function with a signal of its own, which is aborted after the time limit and when the outer signal is.
 * A function that goes on after that is not waited for, and its result is ignored, unless the options say otherwise.
 *
 * @returns what the function returns
 * @throws what the function throws; the error of the time limit; the reason of the outer signal
 */
export function withTimeout<T> (
  run: (controller: AbortController) => T | PromiseLike<T>,
  { timeout = 0, signal, error = timeoutError, isWaitedFor = false }: TimeoutOptions
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const controller = new AbortController()
    controller.signal.addEventListener('abort', () => {
      end()
      if (!isWaitedFor) reject(controller.signal.reason)
    })
    const follow = () => controller.abort(signal!.reason)
    signal?.addEventListener('abort', follow)
    const timer = timeout === 0 ? undefined : setTimeout(() => controller.abort(error()), Math.ceil(timeout))
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', follow)
    }
    new Promise<T>(resolve => resolve(run(controller))).finally(end).then(resolve, error =>
      reject(controller.signal.aborted ? controller.signal.reason : error))
  })
}

const timeoutError = () => new TimeoutError()
