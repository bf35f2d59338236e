import type { AnswerCache } from '../source/answer-cache.ts'
import type { ReadMethod } from '../contract/operations.ts'
import { cacheChannel, type ChannelMessages } from '../tracing/channels.ts'
import type { CacheEvent, SourceCacheOptions } from './source-cache-options.ts'

export interface CacheStats {
  readonly entries: number
  readonly bytes: number
  readonly hits: number
  readonly misses: number
  readonly stale: number
  /** Requests that waited for the call of another one. */
  readonly shared: number
  /** Calls that failed with 429, 500 or above. */
  readonly errors: number
}

/** Counts, events and warnings of the cache. */
export class CacheMetrics {
  readonly #onEvent: SourceCacheOptions['onEvent']
  readonly #warned = new Set<string>()
  readonly counts = { hit: 0, miss: 0, stale: 0, shared: 0, error: 0 }
  log: Parameters<AnswerCache['attach']>[0] | undefined

  constructor (onEvent: SourceCacheOptions['onEvent']) {
    this.#onEvent = onEvent
  }

  note (type: CacheEvent['type'], operation: ReadMethod): void {
    this.counts[type]++
    if (cacheChannel.hasSubscribers) cacheChannel.publish({ type, operation } satisfies ChannelMessages['cache'])
    try {
      const result: unknown = this.#onEvent?.({ type, operation })
      // A rejection that nobody handles would end the process.
      if (result instanceof Promise) result.catch(error => this.#warnOfEvent(error))
    } catch (error) {
      this.#warnOfEvent(error)
    }
  }

  #warnOfEvent (error: unknown): void {
    this.warnOnce('onEvent', `The option onEvent threw: ${(error as Error)?.message}`)
  }

  /** @param key of the warnings of which one is enough */
  warnOnce (key: string, message: string): void {
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    this.log?.warn(message)
  }
}
