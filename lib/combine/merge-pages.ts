import { allSettled } from './gather.ts'
import type { PagedSource } from './paged-source.ts'

/**
 * A list of several lists, of which any part can be read: first what matches exactly, then the first of each, the
 * second of each, and so on. A list that has ended leaves its turn to the others.
 */
export class MergedPages<T> {
  readonly #sources: readonly PagedSource<T>[]

  /** @param sources that are open */
  constructor (sources: readonly PagedSource<T>[]) {
    this.#sources = sources
  }

  /** So many items from a place on, fewer where all lists end. */
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
   * The turn that has the item at a place, and how many of that turn come before it. A list whose length is not known
   * counts as endless, until it is seen not to have that turn; then its end is looked for.
   *
   * @returns `undefined` where all lists have ended before
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

/** @param lengths of the lists that take turns; `going` is how many have the turn */
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
