import { IdList } from '../async/id-list.ts'

/** The requested part of a list. */
export interface Page { readonly size: number, readonly offset: number }

/** Requests the ids of a list. */
export type MakeIds = () => Promise<readonly string[] | IdList>

/** The ids of a list as they were at its first page, so that pages neither repeat nor lose items. */
export class PagedIds {
  /** Resolves when all ids have been read, if a page required it. */
  readonly ended: Promise<unknown>
  readonly #made: Promise<readonly string[] | IdList>
  #ids: readonly string[] = []
  /** Whether the id array is shared with other lists. */
  #isShared = true
  /** The index of the first id that no page has used. */
  #unused: number

  /**
   * @param make returns the ids; pages requested meanwhile wait for them
   * @param before the list that it replaces: an app may have requested its second page first
   */
  constructor (make: MakeIds, before?: PagedIds) {
    this.#unused = before === undefined ? 0 : before.#unused
    this.#made = make().then(list => {
      this.#ids = list instanceof IdList ? list.ids : list
      return list
    })
    this.ended = this.#made.then(list => list instanceof IdList ? list.ended : undefined)
  }

  /** The number of ids read so far. */
  get length (): number { return this.#ids.length }

  /** Returns the number of all ids; `undefined` if it is known at the end only. */
  async total (): Promise<number | undefined> {
    const list = await this.#made
    if (list instanceof IdList) {
      if (list.isOnDemand) return list.isWhole ? this.length : list.total
      await list.whole
    }
    return this.length
  }

  /**
   * Returns a page of items. Deleted items are replaced by the next unused ones, since many apps take a short page for
   * the last one. All other ids stay in place, since apps request several pages concurrently.
   *
   * @param read returns the items of ids, `undefined` for deleted ones
   */
  async page<T> (
    { size, offset }: Page, read: (ids: readonly string[]) => Promise<readonly (T | undefined)[]>
  ): Promise<T[]> {
    const end = offset + size
    this.#unused = Math.max(this.#unused, end)
    const list = await this.#made
    if (list instanceof IdList) await list.first(end)
    for (;;) {
      const asked = this.#ids.slice(offset, end)
      const shown = await read(asked)
      if (!shown.includes(undefined)) return shown as T[]
      // Later ids of a partially read list replace the deleted ones.
      if (list instanceof IdList) await list.whole
      this.#replace(new Set(asked.filter((_id, index) => shown[index] === undefined)), offset, end)
    }
  }

  #replace (gone: ReadonlySet<string>, offset: number, end: number): void {
    const ids = this.#isShared ? [...this.#ids] : this.#ids as string[]
    this.#isShared = false
    this.#ids = ids
    const asked = ids.slice(offset, end)
    const left = asked.filter(id => !gone.has(id))
    const missing = asked.length - left.length
    // If too few ids are unused, the last ids of the list occur twice.
    const from = Math.max(end, Math.min(this.#unused, ids.length - missing))
    const page = [...left, ...ids.splice(from, missing)]
    page.forEach((id, index) => { ids[offset + index] = id })
    // If too few ids follow the page, the list ends with it.
    ids.splice(offset + page.length, asked.length - page.length)
  }
}
