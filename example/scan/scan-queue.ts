/** Runs one scan at a time. Scans requested meanwhile are merged into one, which starts after the running one. */
export class ScanQueue {
  readonly #run: (folders?: ReadonlySet<string>) => Promise<void>
  #last: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined
  #left = 0
  /** Paths of folders for the waiting scan; `undefined` = all folders. */
  #wanted: Set<string> | undefined = new Set()

  /** @param run must not throw */
  constructor (run: (folders?: ReadonlySet<string>) => Promise<void>) {
    this.#run = run
  }

  /** Resolves when the last requested scan has ended. */
  get last (): Promise<void> { return this.#last }

  /** Whether a scan is running or waiting. */
  get isBusy (): boolean { return this.#left > 0 }

  /** @param folders paths of folders that may have changed. Default: all */
  add (folders?: ReadonlySet<string>): Promise<void> {
    // A scan that has not started will include all changes so far.
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
