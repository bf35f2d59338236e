import { PageReader, type Page } from '../async/page-reader.ts'

/** Asks for a page of a list. */
type AskPage<T> = (offset: number, limit: number) => Promise<Page<T>>

/** Items that a source has given one after the other, from a place on. */
interface Chunk<T> {
  readonly from: number
  readonly items: T[]
  readonly reader: PageReader<T>
}

/**
 * The list of one source, of which any part can be read, however few items its pages have. Some of its first items may
 * come before all others: those that match exactly.
 */
export class PagedSource<T> {
  readonly #ask: AskPage<T>
  readonly #most: number
  readonly #chunks: Chunk<T>[] = []
  #length: number | undefined
  /** Whether the source leaves items out of its first pages. Places are then found by reading from the start. */
  #leavesOut = false
  /** Places of what comes first, all among the first ones. */
  #exact: readonly number[] = []

  /**
   * @param ask asks the source
   * @param most items of a page at most
   */
  constructor (ask: AskPage<T>, most: number) {
    this.#ask = ask
    this.#most = most
    this.#addChunk(0)
  }

  /**
   * Reads the first items, so that what matches exactly is known.
   *
   * @param head how many are looked at
   */
  async open (count: number, head: number, isExact: (item: T) => boolean): Promise<void> {
    const first = await this.#read(0, Math.max(count, head))
    this.#leavesOut = this.#chunks[0]!.reader.leavesOut
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
      // Beyond the end nothing is known but that the list has ended before.
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
