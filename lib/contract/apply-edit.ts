import { BadRequestError } from './errors.ts'
import type { PlaylistEdit } from './source-extras.ts'

/** What an edit makes of the tracks of a playlist. */
export interface AppliedEdit {
  /** Ids of all the tracks that it has afterwards, in their order. */
  readonly tracks: readonly string[]
  /** Places before the edit of tracks that go; 0 = the first. What moves goes, and comes again at the end. */
  readonly removed: readonly number[]
  /** Ids of tracks that come at the end, in their order, after the others went. */
  readonly added: readonly string[]
}

/**
 * What becomes of the tracks of a playlist by an edit: for an `editPlaylist` of your own. As much as can stay where it
 * is stays, and a track is there once, unless it is stored more often. Whether there are such tracks is for the source
 * to know.
 *
 * @param before ids of its tracks as they are stored
 * @throws BadRequestError for a place that the list does not have
 * @see docs/guide/adapter.md, Changes of several things
 */
export function applyEdit (
  before: readonly string[],
  { tracks: wanted, seen, remove = [], add = [] }: Pick<PlaylistEdit, 'tracks' | 'seen' | 'remove' | 'add'>
): AppliedEdit {
  const outside = remove.find(place => !(place in before))
  if (outside !== undefined) throw new BadRequestError(`This playlist has no track at the place ${outside}`)
  const gone = new Set(remove)
  const stored = before.filter((_id, place) => !gone.has(place))
  const order = wanted && seen ? mergeOrder(stored, wanted, new Set(seen)) : wanted
  /** How often each may come: as often as it is stored, one that is new once, and none that went. */
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

/** Applies an order that was worked out on an older state of the list to the list as it is now. */
function mergeOrder (now: readonly string[], wanted: readonly string[], seen: ReadonlySet<string>): readonly string[] {
  const there = new Set(now)
  const order = wanted.filter(id => there.has(id) || !seen.has(id))
  const placed = new Set(order)
  /** Tracks that others have added, by the track that they follow; `undefined` = they come first. */
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
