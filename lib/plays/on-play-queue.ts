import { limitConcurrency } from '../async/limit-concurrency.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { SourceError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { PlayEvent } from '../contract/source-extras.ts'
import { loggable } from '../errors/loggable.ts'

/** The account and the app of a play. */
export interface Listener {
  /** The key of the account, or of the authorization without one. */
  readonly key: string
  readonly context: Pick<RequestContext, 'account' | 'adapter' | 'sharesPlaying'>
  /** The display name of the account. */
  readonly username: string
  readonly client: string
  readonly log: { warn (details: object, message: string): void }
  /** Secrets to redact from log lines. */
  readonly secrets: readonly string[]
}

/** The timeout of one call of `onPlay` in milliseconds. */
const timeout = 30_000
/** The time in milliseconds for which closing waits for calls. */
const closeTimeout = 8000
/** The maximum number of queued events. Events of counted plays have a higher limit. */
const mostWaiting = { counted: 10_000, other: 1000 }

/** Calls `onPlay` of adapters in the background, sequentially for each listener. */
export class OnPlayQueue {
  readonly #limit = limitConcurrency({ ofKey: 1 })
  readonly #waiting = new Set<Promise<unknown>>()
  #isFull = false

  /** Queues a call of `onPlay`. @returns the error of the call, or of a full queue; `undefined` after success */
  async tell ({ key, context: { adapter }, log, secrets }: Listener, event: PlayEvent): Promise<unknown> {
    if (typeof adapter.onPlay !== 'function') return undefined
    if (this.#waiting.size >= mostWaiting[event.counted ? 'counted' : 'other']) {
      if (!this.#isFull) log.warn({ waiting: this.#waiting.size }, 'play queue full')
      this.#isFull = true
      return new SourceError(503, 'Too many plays are being kept', { retryAfterSeconds: 5 })
    }
    const telling = this.#limit(() => withTimeout(async () => { await adapter.onPlay!(event) }, { timeout }), { key })
      .catch((error: unknown) => {
        log.warn({ err: loggable(error, secrets) }, 'play callback failed')
        return error
      })
      .finally(() => {
        this.#waiting.delete(telling)
        if (this.#waiting.size === 0) this.#isFull = false
      })
    this.#waiting.add(telling)
    return telling
  }

  /** Waits for the remaining calls. */
  async close (): Promise<void> {
    await withTimeout(() => Promise.all(this.#waiting), { timeout: closeTimeout }).catch(() => {})
  }
}
