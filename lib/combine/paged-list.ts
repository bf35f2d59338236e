import { PageReader, type Page } from '../async/page-reader.ts'

/** Requests a page of a list. */
type AskPage<T> = (offset: number, limit: number) => Promise<Page<T>>

/** Consecutive items of a source, starting at a position. */
interface Chunk<T> {
  readonly from: number
  readonly items: T[]
  readonly reader: PageReader<T>
}

/**
 * The list of one source, readable at any position with any page size. Exact matches among its first items can be moved
 * to the front.
 */
export class PagedList<T> {
  readonly #ask: AskPage<T>
  readonly #most: number
  readonly #chunks: Chunk<T>[] = []
  #length: number | undefined
  /** Whether the source omits items from its first pages. Positions are then found by reading from the start. */
  #leavesOut = false
  /** Positions of the exact matches, all among the first items. */
  #exact: readonly number[] = []

  /**
   * @param ask requests a page
   * @param most the maximum number of items on a page
   */
  constructor (ask: AskPage<T>, most: number) {
    this.#ask = ask
    this.#most = most
    this.#addChunk(0)
  }

  /**
   * Reads the first items, and finds the exact matches among them.
   *
   * @param head the number of items to search
   */
  async open (count: number, head: number, isExact: (item: T) => boolean): Promise<void> {
    const first = await this.#read(0, Math.max(count, head))
    this.#leavesOut = this.#chunks[0]!.reader.leavesOut
    this.#exact = first.slice(0, head).flatMap((item, place) => isExact(item) ? [place] : [])
  }

  /** The exact matches, with their positions in the list of the source. */
  get exact (): readonly { readonly place: number, readonly item: T }[] {
    return this.#exact.map(place => ({ place, item: this.#chunks[0]!.items[place]! }))
  }

  /** The number of items that are not exact matches; `undefined` while it is unknown. */
  get restLength (): number | undefined {
    return this.#length === undefined ? undefined : this.#length - this.#exact.length
  }

  /** Returns items that are not exact matches, fewer if the list ends. */
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

  /** Finds the length of the list. @param most the maximum number of items that are not exact matches */
  async findLength (most: number): Promise<void> {
    let [least, end] = [0, most + this.#exact.length]
    for (const { from, items } of this.#chunks) if (items.length > 0) least = Math.max(least, from + items.length)
    let isShort = false
    while (this.#length === undefined && least < end) {
      const place = end - least <= this.#most && !isShort ? least : Math.floor((least + end) / 2)
      const { items, hasMore } = await this.#ask(place, this.#most)
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
    const missing = () => Math.min(end, this.#length ?? Infinity) - chunk.from - chunk.items.length
    while (missing() > 0) {
      const page = (await chunk.reader.read(missing()))!
      for (const item of page.items) chunk.items.push(item)
      if (page.hasMore) continue
      // An empty page proves only that the list ended before it.
      if (chunk.items.length === 0 && chunk.from > 0) break
      this.#length = chunk.from + chunk.items.length
    }
    return chunk.items.slice(from - chunk.from, end - chunk.from)
  }

  #chunkAt (from: number): Chunk<T> {
    if (this.#leavesOut) return this.#chunks[0]!
    const known = this.#chunks.find(chunk => chunk.from <= from && from <= chunk.from + chunk.items.length)
    return known ?? this.#addChunk(from)
  }

  #addChunk (from: number): Chunk<T> {
    const chunk = { from, items: [], reader: new PageReader(this.#ask, this.#most, from) }
    this.#chunks.push(chunk)
    return chunk
  }
}
