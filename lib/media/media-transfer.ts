import { elapsed } from '../async/elapsed.ts'
import { sleep } from '../async/sleep.ts'
import { SourceError } from '../contract/errors.ts'
import { askUpstream, Failure, type MediaAnswer, type UpstreamSettings } from './ask-upstream.ts'
import type { MediaLocation } from './media-kind.ts'

/** Failures in a row, without a byte in between, after which a transfer that has sent nothing gives up. */
const mostFailures = 3
/** Milliseconds before its last try: an upstream that starts again is back by then. */
const lastPause = 1000
/** Milliseconds between the tries in the middle of media, while the player plays what it has. */
const pause = 500

/** Finds the location; another than the one that was refused. */
export type Locate = (refused: MediaLocation | undefined) => Promise<MediaLocation>

/** The requests to the upstream that one request of a client takes. Failures are repaired as long as it goes on. */
export class MediaTransfer {
  readonly signal: AbortSignal
  /** How often the location was asked for. */
  resolutions = 0
  bytes = 0
  readonly #settings: UpstreamSettings
  readonly #locate: Locate
  readonly #headers: Record<string, string>
  #location: MediaLocation | undefined
  #refused: MediaLocation | undefined
  #failures = 0
  /** Before the next try. */
  #pause = 0
  /** When the first of the failures in a row was. */
  #brokenAt = 0

  /** @param headers for the origin of the location, over those of the location */
  constructor (
    settings: UpstreamSettings, signal: AbortSignal, locate: Locate, headers: Record<string, string>
  ) {
    this.signal = signal
    this.#settings = settings
    this.#locate = locate
    this.#headers = headers
  }

  get location (): MediaLocation | undefined { return this.#location }

  /** @throws what `repair` throws, what the author's `resolve` throws, or the reason of the signal */
  async ask (headers: Record<string, string>): Promise<MediaAnswer> {
    while (true) {
      this.signal.throwIfAborted()
      if (this.#pause > 0) await sleep(this.#pause, this.signal)
      try {
        if (this.#location === undefined) {
          this.resolutions++
          this.#location = await this.#locate(this.#refused).catch(error => { throw this.#locateFailure(error) })
        }
        const { url, headers: needed } = this.#location
        const location = { url, headers: { ...needed, ...this.#headers } }
        return await askUpstream(this.#settings, location, headers, this.signal)
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
   * Prepares for another try. After the first byte there are more of them, as long as the client reads: its player has
   * something left to play.
   *
   * @throws the error, if another try cannot help, or three have failed; after the first byte only when they have
   * failed for as long as a wait for a byte may take
   */
  repair (error: unknown): void {
    if (!(error instanceof Failure)) throw error
    const isBegun = this.bytes > 0 && !error.refused
    if (++this.#failures === 1) this.#brokenAt = elapsed()
    const mayGoOn = isBegun && elapsed() - this.#brokenAt < this.#settings.timeout
    if (this.#failures >= mostFailures && !mayGoOn) throw error.answer
    // A connection may break for any reason. If it does so twice in a row the URL is suspected.
    this.#refused = error.refused || this.#failures > 1 ? this.#location : undefined
    this.#location = undefined
    // For another URL nothing is to be waited for.
    this.#pause = error.refused || this.#failures === 1 ? 0 : isBegun ? pause : lastPause
  }

  /** An upstream that is away does not tell the location either: in the middle of media that may pass. */
  #locateFailure (error: unknown): unknown {
    const mayPass = error instanceof SourceError && (error.status >= 500 || error.status === 429)
    return mayPass && this.bytes > 0 ? new Failure(error, false) : error
  }
}
