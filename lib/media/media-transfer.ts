import { elapsed } from '../async/elapsed.ts'
import { sleep } from '../async/sleep.ts'
import { SourceError } from '../contract/errors.ts'
import { askUpstream, Failure, type MediaAnswer, type UpstreamSettings } from './ask-upstream.ts'
import type { Rejected } from './locations.ts'
import type { MediaLocation } from './media-kind.ts'

/**
 * The number of consecutive failures, without a byte in between, after which a transfer that has sent nothing fails.
 */
const mostFailures = 3
/** Milliseconds before the last attempt, enough time for an upstream to restart. */
const lastPause = 1000
/** Milliseconds between attempts after the first byte, while the player plays its buffer. */
const pause = 500

/** Finds the location. It must differ from the rejected one. */
export type Locate = (refused: Rejected | undefined) => Promise<MediaLocation>

/** The upstream requests for one client request. Failures are repaired by retries. */
export class MediaTransfer {
  readonly signal: AbortSignal
  /** The number of times that the location was requested. */
  resolutions = 0
  bytes = 0
  readonly #settings: UpstreamSettings
  readonly #locate: Locate
  readonly #headers: Record<string, string>
  #location: MediaLocation | undefined
  #refused: Rejected | undefined
  #failures = 0
  /** Milliseconds to wait before the next attempt. */
  #pause = 0
  /** The time of the first consecutive failure. */
  #brokenAt = 0

  /** @param headers sent to the origin of the location; they override the headers of the location */
  constructor (
    settings: UpstreamSettings, signal: AbortSignal, locate: Locate, headers: Record<string, string>
  ) {
    this.signal = signal
    this.#settings = settings
    this.#locate = locate
    this.#headers = headers
  }

  get location (): MediaLocation | undefined { return this.#location }

  /** @throws errors of `repair` and of the author's `resolve`, or the reason of the signal */
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

  /** Records received bytes and resets the failure count. */
  received (bytes: number): void {
    this.bytes += bytes
    this.#failures = 0
  }

  /**
   * Prepares another attempt. After the first byte more attempts are made while the client reads, since its player
   * still has a buffer.
   *
   * @throws the error if another attempt cannot help, or after three failures; after the first byte only if the
   *   failures have lasted for as long as the timeout of one byte
   */
  repair (error: unknown): void {
    if (!(error instanceof Failure)) throw error
    const isBegun = this.bytes > 0 && !error.refused
    if (++this.#failures === 1) this.#brokenAt = elapsed()
    const mayGoOn = isBegun && elapsed() - this.#brokenAt < this.#settings.timeout
    if (this.#failures >= mostFailures && !mayGoOn) throw error.answer
    // A connection may break for any reason. After two consecutive failures the URL is suspected.
    const isSuspect = error.refused || this.#failures > 1
    this.#refused = isSuspect ? { location: this.#location, status: error.status } : undefined
    this.#location = undefined
    // With another URL the next attempt need not wait.
    this.#pause = error.refused || this.#failures === 1 ? 0 : isBegun ? pause : lastPause
  }

  /**
   * Converts a failure to locate the media. An unreachable upstream often cannot locate it either, so after the first
   * byte the failure may be retried.
   */
  #locateFailure (error: unknown): unknown {
    const mayPass = error instanceof SourceError && (error.status >= 500 || error.status === 429)
    return mayPass && this.bytes > 0 ? new Failure(error, false) : error
  }
}
