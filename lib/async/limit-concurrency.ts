import PQueue from 'p-queue'

interface LimitedRun {
  /** Default: one key for all. */
  key?: string | undefined
  /** Ends the wait, and frees the slot of a function that runs. */
  signal?: AbortSignal | undefined
}

export interface ConcurrencyLimit {
  /**
   * @returns what the function returns
   * @throws what the function throws; the reason of the signal
   */
  <T> (run: () => Promise<T>, options?: LimitedRun): Promise<T>
  /** Whether a further function of the key would have to wait. */
  isFull (key?: string): boolean
}

/** Runs a function for each item, at most `concurrency` at a time. Rejects as soon as one of them does. */
export async function forEachLimited<T> (
  items: readonly T[], concurrency: number, run: (item: T) => Promise<void>
): Promise<void> {
  const limit = limitConcurrency(concurrency)
  await Promise.all(items.map(item => limit(() => run(item))))
}

/** Runs at most `concurrency` functions of a key at a time, the others after them in the order of the calls. */
export function limitConcurrency (concurrency: number): ConcurrencyLimit {
  /** `calls`: those that run and those that wait. */
  const queues = new Map<string, { readonly queue: PQueue, calls: number }>()

  async function limit<T> (run: () => Promise<T>, { key = '', signal }: LimitedRun = {}): Promise<T> {
    const ofKey = queues.get(key) ?? { queue: new PQueue({ concurrency }), calls: 0 }
    queues.set(key, ofKey)
    ofKey.calls++
    try {
      return await ofKey.queue.add(run, { signal })
    } finally {
      if (--ofKey.calls === 0) queues.delete(key)
    }
  }

  return Object.assign(limit, { isFull: (key = '') => (queues.get(key)?.calls ?? 0) >= concurrency })
}
