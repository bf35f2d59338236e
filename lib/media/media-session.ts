import { setTimeout } from 'node:timers/promises'
import { askUpstream, Failure, type Answer, type UpstreamSettings } from './ask-upstream.ts'
import type { MediaLocation } from './media-kind.ts'

/** Failures in a row, without a byte in between, after which a session gives up. */
const mostFailures = 3
/** Milliseconds before the last try: an upstream that starts again is back by then. */
const lastPause = 1000

/** Finds the location; another than the one that was refused. */
type Locate = (refused: MediaLocation | undefined) => Promise<MediaLocation>

/** The requests to the upstream that one request of a client takes. Failures are repaired as long as it goes on. */
export class MediaSession {
  readonly signal: AbortSignal
  /** How often the location was asked for. */
  resolutions = 0
  bytes = 0
  readonly #settings: UpstreamSettings
  readonly #locate: Locate
  #location: MediaLocation | undefined
  #refused: MediaLocation | undefined
  #failures = 0
  /** Before the next try. */
  #pause = 0

  constructor (settings: UpstreamSettings, signal: AbortSignal, locate: Locate) {
    this.signal = signal
    this.#settings = settings
    this.#locate = locate
  }

  get location (): MediaLocation | undefined { return this.#location }

  /** @throws what `repair` throws, what the author's `resolve` throws, or the reason of the signal */
  async ask (headers: Record<string, string>): Promise<Answer> {
    while (true) {
      this.signal.throwIfAborted()
      if (this.#pause > 0) await setTimeout(this.#pause, undefined, { signal: this.signal })
      if (this.#location === undefined) {
        this.resolutions++
        this.#location = await this.#locate(this.#refused)
      }
      try {
        return await askUpstream(this.#settings, this.#location, headers, this.signal)
      } catch (error) {
        this.repair(error)
      }
    }
  }

  /** Some bytes have come. */
  received (bytes: number): void {
    this.bytes += bytes
    this.#failures = 0
  }

  /**
   * Prepares for another try.
   *
   * @throws the error, if another try cannot help or three have failed
   */
  repair (error: unknown): void {
    if (!(error instanceof Failure)) throw error
    if (++this.#failures === mostFailures) throw error.answer
    // A connection may break for any reason. If it does so twice in a row the URL is suspected.
    this.#refused = error.refused || this.#failures > 1 ? this.#location : undefined
    this.#location = undefined
    // For another URL nothing is to be waited for.
    this.#pause = !error.refused && this.#failures === mostFailures - 1 ? lastPause : 0
  }
}
