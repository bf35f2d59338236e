import { limitConcurrency } from '../async/limit-concurrency.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { SourceError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { PlayEvent } from '../contract/source-extras.ts'
import { loggable } from '../errors/loggable.ts'

/** Whose play it is, and with which app. */
export interface Listener {
  /** Of the account, or of who is behind an authorization where there is none. */
  readonly key: string
  readonly context: Pick<RequestContext, 'account' | 'adapter' | 'sharesPlaying'>
  /** What people read as the account. */
  readonly username: string
  readonly client: string
  readonly log: { warn (details: object, message: string): void }
  /** What no log may tell. */
  readonly secrets: readonly string[]
}

/** Milliseconds that one call of `onPlay` may take. */
const timeout = 30_000
/** Milliseconds that closing waits for calls. */
const closeTimeout = 8000
/** Events that wait at most: those by which something is heard are kept for longer. */
const mostWaiting = { heard: 10_000, other: 1000 }

/** Calls `onPlay` of adapters, one call of a listener after the other, and nobody waits for it. */
export class OnPlayQueue {
  readonly #limit = limitConcurrency({ ofKey: 1 })
  readonly #waiting = new Set<Promise<unknown>>()
  #isFull = false

  /** @returns resolves when the adapter was told, or is not told: with why not */
  async tell ({ key, context: { adapter }, log, secrets }: Listener, event: PlayEvent): Promise<unknown> {
    if (typeof adapter.onPlay !== 'function') return undefined
    if (this.#waiting.size >= mostWaiting[event.heard ? 'heard' : 'other']) {
      if (!this.#isFull) log.warn({ waiting: this.#waiting.size }, 'onPlay is too slow: plays are left out')
      this.#isFull = true
      return new SourceError(503, 'Too many plays are being kept', { retryAfter: 5 })
    }
    const telling = this.#limit(() => withTimeout(async () => { await adapter.onPlay!(event) }, { timeout }), { key })
      .catch((error: unknown) => {
        log.warn({ err: loggable(error, secrets) }, 'onPlay failed')
        return error
      })
      .finally(() => {
        this.#waiting.delete(telling)
        if (this.#waiting.size === 0) this.#isFull = false
      })
    this.#waiting.add(telling)
    return telling
  }

  /** Waits for the calls that are left. */
  async close (): Promise<void> {
    await withTimeout(() => Promise.all(this.#waiting), { timeout: closeTimeout }).catch(() => {})
  }
}
