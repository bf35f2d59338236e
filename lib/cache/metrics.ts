import type { ResponseCache } from '../source/index.ts'
import type { ReadMethod } from '../contract/operations.ts'
import { cacheChannel, type ChannelMessages } from '../tracing/channels.ts'

export interface CacheStats {
  readonly entries: number
  readonly bytes: number
  readonly hits: number
  readonly misses: number
  readonly stale: number
  /** The number of requests that joined the call of another request. */
  readonly shared: number
  /** The number of calls that failed with 429, 500 or above. */
  readonly errors: number
}

/** Counts, messages and warnings of the cache. */
export class CacheMetrics {
  readonly #warned = new Set<string>()
  readonly counts = { hit: 0, miss: 0, stale: 0, shared: 0, error: 0 }
  log: Parameters<ResponseCache['attach']>[0] | undefined

  note (type: ChannelMessages['cache']['type'], operation: ReadMethod): void {
    this.counts[type]++
    if (cacheChannel.hasSubscribers) cacheChannel.publish({ type, operation } satisfies ChannelMessages['cache'])
  }

  /** Logs the first event of each operation. */
  warnOnce (details: { readonly operation?: string, readonly [field: string]: unknown }, event: string): void {
    const key = `${event} ${details.operation}`
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    this.log?.warn(details, event)
  }
}
