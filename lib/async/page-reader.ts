export interface Page<T> { readonly items: readonly T[], readonly hasMore: boolean }

/** Requests a page of a list; returns `undefined` if the list does not exist. */
export type AskPage<T> = (offset: number, limit: number) => Promise<Page<T> | undefined>

/** The number of pages without new items after which a list ends, whatever its source says. */
const mostFruitless = 10

const idOf = (item: unknown) => (item as { readonly id?: unknown } | null | undefined)?.id

/**
 * Reads a list page by page. A page may have fewer items than requested because the source returns smaller pages, or
 * because it leaves items out. The next page decides: it begins after the received items. If it repeats most of them,
 * the source leaves items out, and the page after it begins at `offset + limit`.
 */
export class PageReader<T> {
  readonly #ask: AskPage<T>
  readonly #most: number
  readonly #known = new Set<unknown>()
  #next: number
  #isShort = false
  #leavesOut = false
  #fruitless = 0

  /**
   * @param most the maximum number of items of a page
   * @param offset the position of the first item
   */
  constructor (ask: AskPage<T>, most: number, offset = 0) {
    this.#ask = ask
    this.#most = most
    this.#next = offset
  }

  /** If `true`, the source leaves items out of its pages, so that positions are not item counts. */
  get leavesOut (): boolean { return this.#leavesOut }

  /**
   * Reads the next page.
   *
   * @param count the number of wanted items
   * @returns the new items; `undefined` if the list does not exist
   */
  async read (count: number): Promise<Page<T> | undefined> {
    const limit = this.#fruitless > 0 ? this.#most : Math.min(count, this.#most)
    const page = await this.#ask(this.#next, limit)
    if (page === undefined) return undefined
    const { items, hasMore } = page
    const fresh = items.filter(item => idOf(item) === undefined || !this.#known.has(idOf(item)))
    const repeats = items.length - fresh.length
    const isShort = this.#isShort
    for (const item of fresh) this.#known.add(idOf(item))
    if (items.length === 0 ? hasMore : isShort && repeats > 0) this.#leavesOut = true
    const isJump = items.length === 0 || (isShort && repeats > fresh.length)
    this.#next += isJump ? Math.max(limit, items.length) : items.length
    this.#fruitless = fresh.length > 0 ? 0 : this.#fruitless + 1
    this.#isShort ||= items.length < limit
    // A source may return its first page forever.
    const isOver = this.#fruitless === mostFruitless || (fresh.length === 0 && !this.#isShort)
    // A list without short pages may contain an item twice.
    return { items: isShort || fresh.length === 0 ? fresh : items, hasMore: hasMore && !isOver }
  }
}
