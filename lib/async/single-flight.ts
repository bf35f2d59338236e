import { withTimeout } from './with-timeout.ts'

interface InFlightCall<T> { readonly result: Promise<T>, readonly controller: AbortController, waiting: number }

/**
 * Makes one call of equal calls at the same time. Each caller waits with a signal of its own; the signal of the call is
 * aborted when nobody waits for it any more, and by the time limit.
 */
export class SingleFlight<T> {
  readonly #timeout: number
  readonly #calls = new Map<string, InFlightCall<T>>()

  /** @param timeout milliseconds that a call may take, then a `TimeoutError`; 0 = no limit */
  constructor (timeout = 0) {
    this.#timeout = timeout
  }

  /**
   * @param key equal for equal calls
   * @param signal ends the wait of this caller
   * @throws what `run` throws; TimeoutError; the reason of the signal
   */
  async do (key: string, run: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const call = this.#calls.get(key) ?? this.#start(key, run)
    call.waiting++
    try {
      return await withTimeout(() => call.result, { signal })
    } finally {
      if (--call.waiting === 0 && this.#calls.get(key) === call) {
        this.#calls.delete(key)
        call.controller.abort()
      }
    }
  }

  #start (key: string, run: (signal: AbortSignal) => Promise<T>): InFlightCall<T> {
    const controller = new AbortController()
    const result = withTimeout(({ signal }) => run(signal), { timeout: this.#timeout, signal: controller.signal })
    const call = { result, controller, waiting: 0 }
    this.#calls.set(key, call)
    result.catch(() => {}).finally(() => {
      if (this.#calls.get(key) === call) this.#calls.delete(key)
    })
    return call
  }
}
