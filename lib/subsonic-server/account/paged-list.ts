/** The part of a list that an app asks for. */
export interface Page { readonly size: number, readonly offset: number }

interface Item { readonly id: string }

/** A list as it was at its first page, so that the next ones repeat and lose nothing. */
export class PagedList<L extends Item> {
  /** When it has its items. */
  readonly made: Promise<void>
  #items: L[] = []
  /** Where the items begin that no page was made of yet. */
  #unused: number

  /**
   * @param make its items; pages that are asked for meanwhile wait for them
   * @param before the list that it takes the place of: an app may have asked for its second page first
   */
  constructor (make: () => Promise<readonly L[]>, before?: PagedList<L>) {
    this.#unused = before === undefined ? 0 : before.#unused
    this.made = make().then(items => { this.#items = [...items] })
  }

  get items (): readonly L[] { return this.#items }

  /**
   * A page of what is shown of the items. The next that no page was made of comes in the place of what is gone: many
   * apps take a page that is short for the last one. All others stay where they are, since apps ask for several pages
   * at once.
   *
   * @param read what is shown of some, without those that are gone
   */
  async page<T extends Item> (
    { size, offset }: Page, read: (items: readonly L[]) => Promise<readonly T[]>
  ): Promise<readonly T[]> {
    const end = offset + size
    this.#unused = Math.max(this.#unused, end)
    await this.made
    for (;;) {
      const asked = this.#items.slice(offset, end)
      const shown = await read(asked)
      if (shown.length === asked.length) return shown
      const gone = new Set(asked.map(({ id }) => id))
      for (const { id } of shown) gone.delete(id)
      this.#replace(gone, offset, end)
    }
  }

  #replace (gone: ReadonlySet<string>, offset: number, end: number): void {
    const items = this.#items
    const asked = items.slice(offset, end)
    const left = asked.filter(({ id }) => !gone.has(id))
    const missing = asked.length - left.length
    // Where too few are unused, the last ones of the list come twice.
    const from = Math.max(end, Math.min(this.#unused, items.length - missing))
    const page = [...left, ...items.splice(from, missing)]
    page.forEach((item, index) => { items[offset + index] = item })
    // Where too few came after the page, the list ends with it.
    items.splice(offset + page.length, asked.length - page.length)
  }
}
