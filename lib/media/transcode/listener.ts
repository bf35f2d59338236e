import { elapsed } from '../../async/elapsed.ts'

/** Milliseconds without a byte taken after which a client may be closed for others. */
export const idleAfter = { ms: 10_000 }

/** A client that gets a transcoding. */
export class Listener {
  /** Bytes that were taken. */
  taken = 0
  readonly #end: () => Promise<void>
  readonly #waits: boolean
  readonly #joined = elapsed()
  #begun: number | undefined
  #closed: Promise<void> | undefined
  #last = this.#joined

  /**
   * @param end closes the connection
   * @param waits whether the client gets nothing before the end of the run: it counts as hearing what is made
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

  /** @returns seconds, at most: a client that reads more slowly than it plays, such as a paused one, has heard less */
  heard (bytesPerSecond: number): number {
    if (this.#waits) return (elapsed() - this.#joined) / 1000
    if (this.#begun === undefined) return 0
    return Math.min(this.taken / bytesPerSecond, (elapsed() - this.#begun) / 1000)
  }

  /** Milliseconds since the client took a byte; 0 before its first byte. */
  get idle (): number { return this.#begun === undefined ? 0 : elapsed() - this.#last }

  /** Closes the connection, once. @returns when it is closed */
  close (): Promise<void> {
    this.#closed ??= this.#end()
    return this.#closed
  }
}
