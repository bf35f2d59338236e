import { elapsed } from '../async/elapsed.ts'
import type { Listing } from './listing.ts'

/**
 * Times in milliseconds: between two looks for changes (`look`), the age at which an unchanged library is read again at
 * night and by day, and until a second read may confirm a suspicious read (`confirm`). Tests change them.
 */
export const pauses = { look: 60_000, night: 12 * 3_600_000, day: 24 * 3_600_000, confirm: 3_600_000 }

/** Finds reads that would lose a library: half of the tracks are missing, or most ids have other titles. */
export class Suspicion {
  #first: { readonly at: number, readonly tracks: number } | undefined

  /** Whether a suspicious read was less than an hour ago. */
  get isEarly (): boolean { return this.#first !== undefined && elapsed() - this.#first.at < pauses.confirm }

  /**
   * Compares a new listing with the listing before. Call it only if `isEarly` is false.
   *
   * @returns the reason why the new listing must not replace the old listing yet; `undefined` if it may
   */
  refuse (before: Listing | undefined, now: Listing): string | undefined {
    const reason = before && reasonFor(before, now)
    if (reason === undefined) {
      this.#first = undefined
      return undefined
    }
    const tracks = now.index.count('tracks')
    const first = this.#first
    const agrees = first !== undefined && Math.abs(tracks - first.tracks) <= first.tracks / 10
    this.#first = agrees ? undefined : { at: elapsed(), tracks }
    return agrees ? undefined : reason
  }
}

function reasonFor (before: Listing, now: Listing): string | undefined {
  const [had, has] = [before.index.count('tracks'), now.index.count('tracks')]
  if (has < had / 2) return `it has ${has} tracks instead of ${had}`
  let [common, changed] = [0, 0]
  for (const [row, id] of before.index.allIds('tracks').entries()) {
    const other = now.index.rowOf('tracks', id)
    if (other === undefined) continue
    common++
    if (before.titles[row] !== now.titles[other]) changed++
  }
  return changed > common / 2 ? `${changed} of its ids have other titles` : undefined
}
