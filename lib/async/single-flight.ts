import { withTimeout } from './with-timeout.ts'

interface InFlightCall<T> { readonly result: Promise<T>, readonly controller: AbortController, waiting: number }

/**
 * Deduplicates concurrent calls with the same key. Each caller waits with its own signal. The signal of the call is
 * aborted when no caller waits any more, and after the timeout.
 */
export class SingleFlight<T> {
  readonly #timeout: number
  readonly #calls = new Map<string, InFlightCall<T>>()

  /** @param timeout of a call in milliseconds, then a `TimeoutError`; 0 = no limit */
  constructor (timeout = 0) {
    this.#timeout = timeout
  }

  /**
   * Starts a call or joins a running one.
   *
   * @param key the same for identical calls
   * @param signal ends the wait of this caller
   * @throws the error of `run`; TimeoutError; the reason of the signal
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
