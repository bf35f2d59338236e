import { allSettled } from './gather.ts'
import type { PagedList } from './paged-list.ts'

/**
 * A merged list that can be read from any position: first the exact matches, then the first item of each list, the
 * second of each, and so on. Lists that have ended are skipped.
 */
export class MergedPages<T> {
  readonly #sources: readonly PagedList<T>[]

  /** @param sources opened sources */
  constructor (sources: readonly PagedList<T>[]) {
    this.#sources = sources
  }

  /** Returns items from a position. Fewer items are returned if all lists end. */
  async read (offset: number, count: number): Promise<T[]> {
    const exact = this.#sources.flatMap(({ exact }) => exact).sort((a, b) => a.place - b.place).map(({ item }) => item)
    const first = exact.slice(offset, offset + count)
    if (first.length === count) return first
    return [...first, ...await this.#readRest(Math.max(0, offset - exact.length), count - first.length)]
  }

  async #readRest (offset: number, count: number): Promise<T[]> {
    const start = await this.#startOf(offset, count)
    const found: T[] = []
    if (start === undefined) return found
    let { turn, skip } = start
    for (;;) {
      const going = this.#sources.filter(({ restLength = Infinity }) => restLength > turn)
      if (going.length === 0) return found
      const turns = Math.ceil((count + skip - found.length) / going.length)
      const parts = await allSettled(going.map(source => source.rest(turn, turns)))
      for (let at = 0; at < turns; at++) {
        for (const part of parts) {
          if (at >= part.length) continue
          if (skip > 0) skip--
          else found.push(part[at]!)
          if (found.length === count) return found
        }
      }
      turn += turns
    }
  }

  /**
   * Finds the round that contains a position, and the number of items before it in that round. A list of unknown length
   * counts as endless until a read shows that it ended before that round; then its length is searched.
   *
   * @returns `undefined` if all lists end before the position
   */
  async #startOf (offset: number, count: number): Promise<{ turn: number, skip: number } | undefined> {
    for (;;) {
      const start = turnOf(offset, this.#sources.map(({ restLength }) => restLength ?? Infinity))
      if (start === undefined || start.turn === 0) return start
      const { turn, going } = start
      const open = this.#sources.filter(({ restLength }) => restLength === undefined)
      await allSettled(open.map(async source => {
        const items = await source.rest(turn, Math.ceil((count + going) / going))
        if (items.length === 0 && source.restLength === undefined) await source.findLength(turn)
      }))
      if (open.every(({ restLength = Infinity }) => restLength >= turn)) return start
    }
  }
}

/** @param lengths the lengths of the lists; `going` is the number of lists in the round */
function turnOf (
  offset: number, lengths: readonly number[]
): { turn: number, skip: number, going: number } | undefined {
  const sorted = [...lengths].sort((a, b) => a - b)
  let [turn, left] = [0, offset]
  for (const [index, length] of sorted.entries()) {
    const going = sorted.length - index
    const items = (length - turn) * going
    if (left < items) return { turn: turn + Math.floor(left / going), skip: left % going, going }
    left -= items
    turn = length
  }
  return undefined
}
