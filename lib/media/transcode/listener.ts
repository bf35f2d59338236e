import { elapsed } from '../../async/elapsed.ts'

/** Milliseconds without a read after which a client may be disconnected to free a slot. */
export const idleAfter = { ms: 10_000 }

/** A client that receives a transcoding. */
export class Listener {
  /** The number of bytes that the client has read. */
  taken = 0
  readonly #end: () => Promise<void>
  readonly #waits: boolean
  readonly #joined = elapsed()
  #begun: number | undefined
  #closed: Promise<void> | undefined
  #last = this.#joined

  /**
   * @param end closes the connection
   * @param waits whether the client receives nothing before the end of the run. It then counts as playing at the speed
   *   of playback
   */
  constructor (end: () => Promise<void>, waits: boolean) {
    this.#end = end
    this.#waits = waits
  }

  take (bytes: number): void {
    this.#last = elapsed()
    this.#begun ??= this.#last
    this.taken += bytes
  }

  /**
   * @returns the maximum number of seconds played. A client that reads more slowly than it plays, such as a paused one,
   *   has played less
   */
  heard (bytesPerSecond: number): number {
    if (this.#waits) return (elapsed() - this.#joined) / 1000
    if (this.#begun === undefined) return 0
    return Math.min(this.taken / bytesPerSecond, (elapsed() - this.#begun) / 1000)
  }

  /** Milliseconds since the client last read a byte; 0 before its first byte. */
  get idle (): number { return this.#begun === undefined ? 0 : elapsed() - this.#last }

  /** Closes the connection once. @returns a promise that resolves when it is closed */
  close (): Promise<void> {
    this.#closed ??= this.#end()
    return this.#closed
  }
}
