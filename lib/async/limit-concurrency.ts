/** The maximum numbers of concurrent calls. */
export interface ConcurrencyLimits {
  /** The maximum number of concurrent calls per key. Default: unlimited. */
  readonly ofKey?: number | undefined
  /** The maximum number of concurrent calls in total, with or without a key. Default: unlimited. */
  readonly inAll?: number | undefined
}

export interface LimitedRun {
  /** The key of the call. Default: none, so that only the total limit applies. */
  readonly key?: string | undefined
  /** Ends the wait. A call that has begun holds its slot until its end, even if it is not awaited any more. */
  readonly signal?: AbortSignal | undefined
  /** If `true`, calls without this option run first, even if they come later. Default: false. */
  readonly isBackground?: boolean | undefined
}

export interface ConcurrencyLimit {
  /**
   * Runs a function within the limits.
   *
   * @returns the result of the function
   * @throws the error of the function; the reason of the signal
   */
  <T> (run: () => T | Promise<T>, options?: LimitedRun): Promise<T>
  /** Returns whether a further call with the key would have to wait. */
  isFull (key?: string): boolean
}

/** Runs a function for each item, at most `concurrency` at a time. Rejects as soon as one call rejects. */
export async function forEachLimited<T> (
  items: readonly T[], concurrency: number, run: (item: T) => Promise<void>
): Promise<void> {
  const limit = limitConcurrency({ inAll: concurrency })
  await Promise.all(items.map(item => limit(() => run(item))))
}

/**
 * Creates a limit of concurrent calls, per key and in total. Further calls wait in order. A call that waits for its key
 * does not occupy a slot of the total limit.
 */
export function limitConcurrency ({ ofKey = Infinity, inAll = Infinity }: ConcurrencyLimits): ConcurrencyLimit {
  const all = new Places(inAll)
  const keys = new Map<string, Places>()

  async function limit<T> (run: () => T | Promise<T>, { key, ...wait }: LimitedRun = {}): Promise<T> {
    if (key === undefined || ofKey === Infinity) return all.run(run, wait)
    const places = keys.get(key) ?? new Places(ofKey)
    keys.set(key, places)
    try {
      return await places.run(() => all.run(run, wait), wait)
    } finally {
      if (places.isUnused) keys.delete(key)
    }
  }

  return Object.assign(limit, {
    isFull: (key?: string) => all.isFull || (key !== undefined && keys.get(key)?.isFull === true)
  })
}

class Places {
  readonly #most: number
  #taken = 0
  /** The queues of waiting calls; the second one is for background calls. */
  readonly #lines = [new Set<() => void>(), new Set<() => void>()] as const

  constructor (most: number) {
    this.#most = most
  }

  get isFull (): boolean { return this.#taken >= this.#most }

  get isUnused (): boolean { return this.#taken === 0 }

  async run<T> (run: () => T | Promise<T>, wait: Omit<LimitedRun, 'key'>): Promise<T> {
    wait.signal?.throwIfAborted()
    if (this.isFull) await this.#wait(wait)
    else this.#taken++
    try {
      return await run()
    } finally {
      this.#leave()
    }
  }

  #wait ({ signal, isBackground = false }: Omit<LimitedRun, 'key'>): Promise<void> {
    const line = this.#lines[isBackground ? 1 : 0]
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        line.delete(begin)
        reject(signal!.reason)
      }
      line.add(begin)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Passes the slot directly to the next waiting call, so that no other call takes it. */
  #leave (): void {
    for (const line of this.#lines) {
      const [begin] = line
      if (begin === undefined) continue
      line.delete(begin)
      return begin()
    }
    this.#taken--
  }
}
