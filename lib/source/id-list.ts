/** Ids of a list of which parts may still come. Nobody may change it. */
export class IdList {
  /** Those that have come. */
  readonly ids: readonly string[]
  /** All of them. */
  readonly whole: Promise<readonly string[]>
  readonly #waiting = new Set<{ readonly count: number, readonly resolve: () => void }>()

  constructor (parts: AsyncIterable<readonly string[]>) {
    const ids: string[] = []
    this.ids = ids
    this.whole = this.#read(parts, ids)
    // Who waits for them gets the error.
    this.whole.catch(() => {})
  }

  /** Waits until it has so many, or all that there are. */
  async first (count: number): Promise<void> {
    if (this.ids.length >= count) return
    await Promise.race([this.whole, new Promise<void>(resolve => this.#waiting.add({ count, resolve }))])
  }

  async #read (parts: AsyncIterable<readonly string[]>, ids: string[]): Promise<readonly string[]> {
    for await (const part of parts) {
      for (const id of part) ids.push(id)
      for (const waiting of this.#waiting) {
        if (waiting.count > ids.length) continue
        this.#waiting.delete(waiting)
        waiting.resolve()
      }
    }
    return ids
  }
}
