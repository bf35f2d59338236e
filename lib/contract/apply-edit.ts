import { BadRequestError } from './errors.ts'
import type { PlaylistEdit } from './source-extras.ts'

/** The result of an edit of a playlist's tracks. */
export interface AppliedEdit {
  /** The ids of all tracks after the edit, in order. */
  readonly tracks: readonly string[]
  /** The positions of removed tracks before the edit, from 0. A moved track is removed and added again at the end. */
  readonly removed: readonly number[]
  /** The ids of the tracks to append, in order, after the removal. */
  readonly added: readonly string[]
}

/**
 * Computes how an edit changes the tracks of a playlist, for a custom `editPlaylist`. As many tracks as possible stay
 * at their position. A track occurs once, unless it is stored more often. The source must check that the tracks exist.
 *
 * @param before ids of its tracks as they are stored
 * @throws BadRequestError for a position outside the list
 * @see docs/reference/adapter.md, Changes of several things
 */
export function applyEdit (
  before: readonly string[],
  { tracks: wanted, base, remove = [], add = [] }: Pick<PlaylistEdit, 'tracks' | 'base' | 'remove' | 'add'>
): AppliedEdit {
  const outside = remove.find(place => !(place in before))
  if (outside !== undefined) throw new BadRequestError(`This playlist has no track at the place ${outside}`)
  const gone = new Set(remove)
  const stored = before.filter((_id, place) => !gone.has(place))
  const order = wanted && base ? mergeOrder(stored, wanted, new Set(base)) : wanted
  /** The allowed count by id: the stored count for stored tracks, 1 for new tracks, 0 for removed tracks. */
  const left = new Map(before.map(id => [id, 0]))
  for (const id of stored) left.set(id, left.get(id)! + 1)
  const kept = (order ?? stored).filter(id => {
    const count = left.get(id) ?? 1
    left.set(id, count - 1)
    return count > 0
  })
  const there = new Set(kept)
  const tracks = [...kept, ...[...new Set(add)].filter(id => !there.has(id))]
  let stays = 0
  const removed = [...before.keys()].filter(place => before[place] !== tracks[stays] || !++stays)
  return { tracks, removed, added: tracks.slice(stays) }
}

/** Applies an order that was computed for an older state of the list to the current list. */
function mergeOrder (now: readonly string[], wanted: readonly string[], seen: ReadonlySet<string>): readonly string[] {
  const there = new Set(now)
  const order = wanted.filter(id => there.has(id) || !seen.has(id))
  const placed = new Set(order)
  /** Tracks that others have added, by the preceding track; `undefined` = at the start. */
  const come = new Map<string | undefined, string[]>()
  let behind: string | undefined
  for (const id of now) {
    if (placed.has(id)) behind = id
    else if (!seen.has(id)) {
      const ids = come.get(behind) ?? []
      come.set(behind, ids)
      ids.push(id)
    }
  }
  const after = (id: string | undefined) => {
    const ids = come.get(id) ?? []
    come.delete(id)
    return ids
  }
  return [...after(undefined), ...order.flatMap(id => [id, ...after(id)])]
}
