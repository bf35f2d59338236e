import { LRUCache } from 'lru-cache'
import { handled } from '../async/handled.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { RateLimitedError, TimeoutError, UnauthorizedError } from '../contract/errors.ts'
import { validateMembers, type Rules } from '../options/validate-members.ts'
import { aFunction, wholeNumber } from '../options/member-rules.ts'

/** A page of an upstream. `next` is the cursor of the next page. Without it, or with an empty string, the list ends. */
export interface CursorPage<T> { items: T[], next?: string | null | undefined }

/** A page of the contract (docs/reference/contract.md, Schemas). */
export interface OffsetPage<T> { items: T[], offset: number, limit: number, hasMore: boolean }

/** The cursors of a list by their offset. */
export type Cursors = Map<number, string | undefined>

export interface CursorPagerOptions<T> {
  /** Requests the page at a cursor from the upstream; `undefined` is the start. */
  fetch: (cursor: string | undefined) => Promise<CursorPage<T>>
  /**
   * The cursors of this list, which the pager updates. Reuse the map to continue from an earlier call. Default: a new
   * map.
   */
  cursors?: Cursors | undefined
}

export interface CursorPager<T> {
  /** @throws the error of `fetch` */
  (offset: number, limit: number): Promise<OffsetPage<T>>
  /**
   * Returns the complete list, or its first items.
   *
   * @param limit maximum number of items
   * @throws the error of `fetch`
   */
  all (limit: number): Promise<T[]>
}

/** The maximum number of pages per call. The result then has `hasMore: false`. */
const mostPages = 50
/** The maximum number of pages per call of `all`. */
const mostPagesOfAll = 1000
/** The maximum number of cached cursors of a list. */
const mostKnown = 1000
const mostLists = 1000

const rules: Rules = {
  fetch: aFunction,
  cursors: { must: 'a Map', holds: value => value instanceof Map, optional: true }
}
const pageRules: Rules = { offset: wholeNumber(0), limit: wholeNumber(1) }

/**
 * Creates pages by offset and limit from a list that its upstream pages by cursor. A call starts at the nearest cached
 * cursor at or before the offset. If the upstream rejects that cursor, the call starts again from the beginning, once.
 * A repeated cursor ends the list.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option; so do
 * its calls
 */
export function cursorPager<T> (options: CursorPagerOptions<T>): CursorPager<T> {
  validateMembers(options, rules)
  const { fetch, cursors = new Map() } = options

  async function collect (offset: number, limit: number, most: number): Promise<OffsetPage<T>> {
    validateMembers({ offset, limit }, pageRules)
    let position = Math.max(0, ...[...cursors.keys()].filter(start => start <= offset))
    let cursor = cursors.get(position)
    const items: T[] = []
    const seen = new Set([cursor])
    let isRestarted = false
    for (let asked = 0; asked < most; asked++) {
      let page: CursorPage<T>
      try {
        page = await fetch(cursor)
      } catch (error) {
        if (asked > 0 || cursor === undefined || !mayBeRefusal(error)) throw error
        isRestarted = true
        position = 0
        cursor = undefined
        seen.clear()
        continue
      }
      if (!Array.isArray(page?.items)) {
        throw invalidOption('fetch', 'a function that gives { items, next }, items a list')
      }
      // Cursors are cleared only now: if the start fails too, the cursor was not the cause.
      if (isRestarted) cursors.clear()
      isRestarted = false
      const end = offset + limit
      items.push(...page.items.slice(Math.max(0, offset - position), Math.max(0, end - position)))
      position += page.items.length
      cursor = page.next || undefined
      if (cursor !== undefined && seen.has(cursor)) {
        warnOfRepeatedCursor()
        cursor = undefined
      }
      if (cursor === undefined) return { items, offset, limit, hasMore: position > end }
      seen.add(cursor)
      keep(cursors, position, cursor)
      if (position >= end) return { items, offset, limit, hasMore: true }
    }
    return { items, offset, limit, hasMore: false }
  }

  return Object.assign((offset: number, limit: number) => handled(collect(offset, limit, mostPages)), {
    all: (limit: number) => handled(collect(0, limit, mostPagesOfAll)).then(({ items }) => items)
  })
}

export interface CursorStore {
  /**
   * Returns the cursors of one list, for `known`. The key must contain the account and everything else that the list
   * depends on.
   */
  of (key: string): Cursors
}

/** Creates a store for the cursors of 1,000 lists between requests. The least recently used list is dropped first. */
export function createCursorStore (): CursorStore {
  const lists = new LRUCache<string, Cursors>({ max: mostLists })
  return {
    of (key) {
      const known: Cursors = lists.get(key) ?? new Map()
      lists.set(key, known)
      return known
    }
  }
}

function keep (known: Cursors, position: number, cursor: string): void {
  known.set(position, cursor)
  if (known.size > mostKnown) known.delete(known.keys().next().value!)
}

let isWarned = false

function warnOfRepeatedCursor (): void {
  if (isWarned) return
  isWarned = true
  process.emitWarning('An upstream gave a cursor of a list again: the list ends there', {
    type: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_REPEATED_CURSOR'
  })
}

/** Returns whether an error may be caused by an expired cursor. */
const mayBeRefusal = (error: unknown) =>
  ![UnauthorizedError, RateLimitedError, TimeoutError].some(kind => error instanceof kind)
