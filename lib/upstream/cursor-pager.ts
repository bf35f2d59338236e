import { RateLimitedError, TimeoutError, UnauthorizedError } from '../contract/errors.ts'

/** A page of an upstream. `next` is the cursor of the next page; without it, or with an empty one, the list ends. */
export interface CursorPage<T> { items: T[], next?: string | null | undefined }

/** A page of the contract (docs/reference/contract.md, Schemas). */
export interface OffsetPage<T> { items: T[], offset: number, limit: number, hasMore: boolean }

export interface CursorPagerOptions<T> {
  /** Asks the upstream for the page at a cursor; `undefined` is the start. */
  fetch: (cursor: string | undefined) => Promise<CursorPage<T>>
  /** The cursors of this list by their offset; it is changed. Keep it to go on where a call was. Default: a new one. */
  known?: Map<number, string | undefined> | undefined
}

/** Pages that one call asks for; then it ends with `hasMore: false`. */
const mostPages = 50

/**
 * Makes pages by offset and limit of a list that its upstream pages by cursor. A call starts at the nearest known
 * cursor at or before the offset. If the upstream refuses that cursor, the call starts again from the beginning, once.
 *
 * @throws what `fetch` throws
 */
export function cursorPager<T> ({ fetch, known = new Map() }: CursorPagerOptions<T>) {
  return async (offset: number, limit: number): Promise<OffsetPage<T>> => {
    let position = Math.max(0, ...[...known.keys()].filter(start => start <= offset))
    let cursor = known.get(position)
    const items: T[] = []
    let isRestarted = false
    for (let asked = 0; asked < mostPages; asked++) {
      let page: CursorPage<T>
      try {
        page = await fetch(cursor)
      } catch (error) {
        if (asked > 0 || cursor === undefined || !mayBeRefusal(error)) throw error
        isRestarted = true
        position = 0
        cursor = undefined
        continue
      }
      // Only now: if the start fails too, it was not the cursor.
      if (isRestarted) known.clear()
      isRestarted = false
      const end = offset + limit
      items.push(...page.items.slice(Math.max(0, offset - position), Math.max(0, end - position)))
      position += page.items.length
      cursor = page.next || undefined
      if (cursor === undefined) return { items, offset, limit, hasMore: position > end }
      known.set(position, cursor)
      if (position >= end) return { items, offset, limit, hasMore: true }
    }
    return { items, offset, limit, hasMore: false }
  }
}

/** Errors that do not mean that a cursor is too old; any other may. */
const mayBeRefusal = (error: unknown) =>
  ![UnauthorizedError, RateLimitedError, TimeoutError].some(kind => error instanceof kind)
