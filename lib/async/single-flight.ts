import { withTimeout } from './with-timeout.ts'

/** A call that has not ended. */
interface InFlight {
  readonly controller: AbortController
  readonly result: Promise<unknown>
  callers: number
}

/**
 * Calls of one key at the same time are one call.
 *
 * A caller whose signal is aborted stops waiting. The call goes on for the others, and its signal is aborted when no
 * caller is left. A caller without a signal waits until the end. A time limit is a matter of the call: `withTimeout`.
 */
export class SingleFlight {
  readonly #inFlight = new Map<string, InFlight>()

  /** Number of calls that have not ended. */
  get size (): number { return this.#inFlight.size }

  /**
   * @param run is called unless a call of the key is in flight; its type must be the same for a key
   * @throws what `run` throws; the reason of the signal
   */
  async join<T> (key: string, signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal?.throwIfAborted()
    const call = this.#inFlight.get(key) ?? this.#start(key, run)
    call.callers++
    try {
      return await withTimeout(() => call.result as Promise<T>, { signal })
    } finally {
      if (--call.callers === 0 && this.#inFlight.get(key) === call) {
        this.#inFlight.delete(key)
        call.controller.abort()
      }
    }
  }

  #start (key: string, run: (signal: AbortSignal) => Promise<unknown>): InFlight {
    const controller = new AbortController()
    const result = (async () => run(controller.signal))().finally(() => {
      if (this.#inFlight.get(key) === call) this.#inFlight.delete(key)
    })
    const call: InFlight = { controller, result, callers: 0 }
    this.#inFlight.set(key, call)
    return call
  }
}
