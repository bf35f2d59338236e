export interface Page<T> { readonly items: readonly T[], readonly hasMore: boolean }

/** Asks for a page of a list. */
export type AskPage<T> = (offset: number, limit: number) => Promise<Page<T>>

/** Items that a source has given one after the other, from a place on. */
interface Chunk<T> { readonly from: number, readonly items: T[] }

/**
 * The list of one source, of which any part can be read, however few items its pages have. Some of its first items may
 * come before all others: those that match exactly.
 */
export class PagedSource<T> {
  readonly #ask: AskPage<T>
  readonly #most: number
  readonly #chunks: Chunk<T>[] = [{ from: 0, items: [] }]
  #length: number | undefined
  /** Places of what comes first, all among the first ones. */
  #exact: readonly number[] = []

  /**
   * @param ask asks the source
   * @param most items of a page at most
   */
  constructor (ask: AskPage<T>, most: number) {
    this.#ask = ask
    this.#most = most
  }

  /**
   * Reads the first items, so that what matches exactly is known.
   *
   * @param head how many are looked at
   */
  async open (count: number, head: number, isExact: (item: T) => boolean): Promise<void> {
    const first = await this.#read(0, Math.max(count, head))
    this.#exact = first.slice(0, head).flatMap((item, place) => isExact(item) ? [place] : [])
  }

  /** What matches exactly, with its place in the list of the source. */
  get exact (): readonly { readonly place: number, readonly item: T }[] {
    return this.#exact.map(place => ({ place, item: this.#chunks[0]!.items[place]! }))
  }

  /** How many there are besides what matches exactly; `undefined` while that is not known. */
  get restLength (): number | undefined {
    return this.#length === undefined ? undefined : this.#length - this.#exact.length
  }

  /** So many of the others, fewer where the list ends. */
  async rest (from: number, count: number): Promise<readonly T[]> {
    const isExact = new Set(this.#exact)
    const last = (this.#exact.at(-1) ?? -1) + 1
    const before = Array.from({ length: last }, (_empty, place) => place).filter(place => !isExact.has(place))
    const { items } = this.#chunks[0]!
    const found = before.slice(from, from + count).map(place => items[place]!)
    if (found.length === count) return found
    const place = Math.max(from, before.length) + this.#exact.length
    return [...found, ...await this.#read(place, count - found.length)]
  }

  /** Finds out where the list ends. @param most how many there are at most, besides what matches exactly */
  async findLength (most: number): Promise<void> {
    let [least, end] = [0, most + this.#exact.length]
    for (const { from, items } of this.#chunks) if (items.length > 0) least = Math.max(least, from + items.length)
    let isShort = false
    while (this.#length === undefined && least < end) {
      const place = end - least <= this.#most && !isShort ? least : Math.floor((least + end) / 2)
      const { items, hasMore } = await this.#page(place, this.#most)
      isShort = true
      if (items.length === 0) end = place
      else if (hasMore) least = place + items.length
      else this.#length = place + items.length
    }
    this.#length ??= least
  }

  async #read (from: number, count: number): Promise<readonly T[]> {
    const chunk = this.#chunkAt(from)
    const end = Math.min(from + count, this.#length ?? Infinity)
    while (chunk.from + chunk.items.length < end && chunk.from + chunk.items.length < (this.#length ?? Infinity)) {
      const next = chunk.from + chunk.items.length
      const { items, hasMore } = await this.#page(next, Math.min(this.#most, end - next))
      chunk.items.push(...items)
      if (hasMore && items.length > 0) continue
      // Beyond the end nothing is known but that the list has ended before.
      if (items.length === 0 && next > 0 && chunk.items.length === 0) break
      this.#length = next + items.length
    }
    return chunk.items.slice(from - chunk.from, end - chunk.from)
  }

  #chunkAt (from: number): Chunk<T> {
    const known = this.#chunks.find(chunk => chunk.from <= from && from <= chunk.from + chunk.items.length)
    if (known !== undefined) return known
    const chunk: Chunk<T> = { from, items: [] }
    this.#chunks.push(chunk)
    return chunk
  }

  async #page (offset: number, limit: number): Promise<Page<T>> {
    const { items, hasMore } = await this.#ask(offset, limit)
    return { items: items.slice(0, limit), hasMore }
  }
}
