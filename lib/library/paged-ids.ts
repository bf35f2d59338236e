import { IdList } from '../async/id-list.ts'

/** The part of a list that an app asks for. */
export interface Page { readonly size: number, readonly offset: number }

/** Asks for the ids of a list. */
export type MakeIds = () => Promise<readonly string[] | IdList>

/** Ids of a list as it was at its first page, so that the next ones repeat and lose nothing. */
export class PagedIds {
  /** When it has all its ids, if somebody asks for so many. */
  readonly ended: Promise<unknown>
  readonly #made: Promise<readonly string[] | IdList>
  #ids: readonly string[] = []
  /** Whether others have the same list. */
  #isShared = true
  /** Where the ids begin that no page was made of yet. */
  #unused: number

  /**
   * @param make its ids; pages that are asked for meanwhile wait for them
   * @param before the list that it takes the place of: an app may have asked for its second page first
   */
  constructor (make: MakeIds, before?: PagedIds) {
    this.#unused = before === undefined ? 0 : before.#unused
    this.#made = make().then(list => {
      this.#ids = list instanceof IdList ? list.ids : list
      return list
    })
    this.ended = this.#made.then(list => list instanceof IdList ? list.ended : undefined)
  }

  /** How many have come. */
  get length (): number { return this.#ids.length }

  /** How many there are; `undefined` where that is known at the end only. */
  async total (): Promise<number | undefined> {
    const list = await this.#made
    if (list instanceof IdList) {
      if (list.isOnDemand) return list.isWhole ? this.length : list.total
      await list.whole
    }
    return this.length
  }

  /**
   * A page of what is shown. The next that no page was made of comes in the place of what is gone: many apps take a
   * page that is short for the last one. All others stay where they are, since apps ask for several pages at once.
   *
   * @param read what is shown of some, `undefined` for what is gone
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
      // The others of a list in parts take the places of what is gone.
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
    // Where too few are unused, the last ones of the list come twice.
    const from = Math.max(end, Math.min(this.#unused, ids.length - missing))
    const page = [...left, ...ids.splice(from, missing)]
    page.forEach((id, index) => { ids[offset + index] = id })
    // Where too few came after the page, the list ends with it.
    ids.splice(offset + page.length, asked.length - page.length)
  }
}
