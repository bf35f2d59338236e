/** A list of ids of which further parts may still arrive. It must not be changed. */
export class IdList {
  /** The ids that have arrived. */
  readonly ids: readonly string[]
  /** If `true`, parts are read only when needed. Otherwise all parts are read one after the other. */
  readonly isOnDemand: boolean
  /** The total number of ids, if it is available before the last part arrives. */
  readonly total: number | undefined
  /** All ids. A list on demand is read to its end only after a call of `whole`. */
  readonly ended: Promise<readonly string[]>
  isWhole = false
  /** An estimate of the size in bytes. */
  bytes = 100
  readonly #waiting = new Set<{ readonly count: number, readonly resolve: () => void }>()
  /** The number of requested ids. */
  #wanted: number
  #isEnded = false
  #goOn = () => {}

  constructor (parts: AsyncIterable<readonly string[]>, isOnDemand = false, total?: number) {
    const ids: string[] = []
    this.ids = ids
    this.isOnDemand = isOnDemand
    this.total = total
    this.#wanted = isOnDemand ? 0 : Infinity
    this.ended = this.#read(parts, ids)
    // The callers that wait for the ids receive the error.
    this.ended.catch(() => {})
  }

  /** Reads and returns all ids. */
  get whole (): Promise<readonly string[]> {
    this.#want(Infinity)
    return this.ended
  }

  /** Waits until a number of ids, or all ids, have arrived. */
  async first (count: number): Promise<void> {
    if (this.ids.length >= count) return
    this.#want(count)
    await Promise.race([this.ended, new Promise<void>(resolve => this.#waiting.add({ count, resolve }))])
  }

  /** Stops reading after the current part. */
  end (): void {
    this.#isEnded = true
    this.#goOn()
  }

  #want (count: number): void {
    this.#wanted = Math.max(this.#wanted, count)
    this.#goOn()
  }

  async #read (parts: AsyncIterable<readonly string[]>, ids: string[]): Promise<readonly string[]> {
    for await (const part of parts) {
      for (const id of part) {
        ids.push(id)
        this.bytes += id.length + 8
      }
      for (const waiting of this.#waiting) {
        if (waiting.count > ids.length) continue
        this.#waiting.delete(waiting)
        waiting.resolve()
      }
      if (ids.length >= this.#wanted) await new Promise<void>(resolve => { this.#goOn = resolve })
      if (this.#isEnded) break
    }
    this.isWhole = true
    return ids
  }
}
