import { TimeoutError } from '../contract/errors.ts'

export interface TimeoutOptions {
  /** The timeout of the function in milliseconds; 0 = no limit. Default: 0. */
  timeout?: number | undefined
  /** A signal that aborts the function too. */
  signal?: AbortSignal | undefined
  /** Creates the error after the timeout. Default: a `TimeoutError`. */
  error?: (() => unknown) | undefined
  /** If `true`, the function ends soon after its signal is aborted, so its result is awaited. Default: false. */
  isWaitedFor?: boolean | undefined
}

/**
 * Runs a function with its own signal, which is aborted after the timeout and when the outer signal is aborted. After
 * that the function is not awaited and its result is ignored, unless `isWaitedFor` is set.
 *
 * @returns the result of the function
 * @throws the error of the function; the error of the timeout; the reason of the outer signal
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
