/** Ids of a list of which parts may still come. Nobody may change it. */
export class IdList {
  /** Those that have come. */
  readonly ids: readonly string[]
  /** Whether parts are read only as far as somebody asks, else one after the other. */
  readonly isOnDemand: boolean
  /** How many there are in all, where that is known before the last ones have come. */
  readonly total: number | undefined
  /** All of them. One that is read on demand ends only when somebody asks for all. */
  readonly ended: Promise<readonly string[]>
  isWhole = false
  /** Roughly. */
  bytes = 100
  readonly #waiting = new Set<{ readonly count: number, readonly resolve: () => void }>()
  /** How many have been asked for. */
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
    // Who waits for them gets the error.
    this.ended.catch(() => {})
  }

  /** All of them. */
  get whole (): Promise<readonly string[]> {
    this.#want(Infinity)
    return this.ended
  }

  /** Waits until it has so many, or all that there are. */
  async first (count: number): Promise<void> {
    if (this.ids.length >= count) return
    this.#want(count)
    await Promise.race([this.ended, new Promise<void>(resolve => this.#waiting.add({ count, resolve }))])
  }

  /** Reads no further than the part that is being read. */
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
