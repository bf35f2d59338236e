/** Runs one scan at a time. Those that are asked for meanwhile are one, which begins when the running one has ended. */
export class ScanQueue {
  readonly #run: (folders?: ReadonlySet<string>) => Promise<void>
  #last: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined
  #left = 0
  /** Paths of folders that the waiting scan looks at; all of them when it is `undefined`. */
  #wanted: Set<string> | undefined = new Set()

  /** @param run must not throw */
  constructor (run: (folders?: ReadonlySet<string>) => Promise<void>) {
    this.#run = run
  }

  /** Settles when the last scan that was asked for has ended. */
  get last (): Promise<void> { return this.#last }

  /** Whether a scan runs or waits. */
  get isBusy (): boolean { return this.#left > 0 }

  /** @param folders paths of those in which something may have changed; all without them */
  add (folders?: ReadonlySet<string>): Promise<void> {
    // One that has not begun will see what changed until now.
    this.#wanted = folders && this.#wanted && new Set([...this.#wanted, ...folders])
    this.#waiting ??= this.#begin()
    this.#last = this.#waiting
    return this.#last
  }

  async #begin (): Promise<void> {
    this.#left++
    await this.#last
    const only = this.#wanted
    this.#waiting = undefined
    this.#wanted = new Set()
    await this.#run(only)
    this.#left--
  }
}
