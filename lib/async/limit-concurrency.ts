/** How many functions run at a time. */
export interface ConcurrencyLimits {
  /** Of each key. Default: no limit. */
  readonly ofKey?: number | undefined
  /** Of all keys, and of those without one. Default: no limit. */
  readonly inAll?: number | undefined
}

export interface LimitedRun {
  /** Default: none, so that only the limit of all holds. */
  readonly key?: string | undefined
  /** Ends the wait. What has begun keeps its place until it has ended, whoever waits for it. */
  readonly signal?: AbortSignal | undefined
  /** Whether those without this come first, however late. Default: false. */
  readonly isBackground?: boolean | undefined
}

export interface ConcurrencyLimit {
  /**
   * @returns what the function returns
   * @throws what the function throws; the reason of the signal
   */
  <T> (run: () => T | Promise<T>, options?: LimitedRun): Promise<T>
  /** Whether a further function of the key would have to wait. */
  isFull (key?: string): boolean
}

/** Runs a function for each item, at most `concurrency` at a time. Rejects as soon as one of them does. */
export async function forEachLimited<T> (
  items: readonly T[], concurrency: number, run: (item: T) => Promise<void>
): Promise<void> {
  const limit = limitConcurrency({ inAll: concurrency })
  await Promise.all(items.map(item => limit(() => run(item))))
}

/**
 * Limits how many functions run at a time: so many of a key, and so many in all. The others wait in the order of the
 * calls, and take no place of all while they wait for one of their key.
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
  /** Who waits, in their order; those in the background are the second ones. */
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

  /** Whoever is next has the place at once: nobody comes between. */
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
