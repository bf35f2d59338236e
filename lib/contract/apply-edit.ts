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
 * at their position. A track may occur several times. The source must check that the tracks exist.
 *
 * @param before ids of its tracks as they are stored
 * @throws BadRequestError for a position outside the list. Positions past its end are ignored if the edit removes all
 * stored tracks and adds others: apps fill a list again that another app has shortened
 * @see docs/reference/adapter.md, Changes of several things
 */
export function applyEdit (
  before: readonly string[],
  { tracks: wanted, base = before, remove = [], add = [] }: Pick<PlaylistEdit, 'tracks' | 'base' | 'remove' | 'add'>
): AppliedEdit {
  const gone = new Set(remove)
  const left = before.filter((_id, place) => !gone.has(place))
  const isFilledAgain = left.length === 0 && add.length > 0
  const outside = remove.find(place => !(place in before) && !(isFilledAgain && place >= before.length))
  if (outside !== undefined) throw new BadRequestError(`This playlist has no track at the place ${outside}`)
  const tracks = [...wanted ? mergeOrder(left, wanted, base) : left, ...add]
  let stays = 0
  const removed = [...before.keys()].filter(place => before[place] !== tracks[stays] || !++stays)
  return { tracks, removed, added: tracks.slice(stays) }
}

/** Applies an order that was computed for an older state of the list to the current list. */
function mergeOrder (now: readonly string[], wanted: readonly string[], base: readonly string[]): readonly string[] {
  const [placesNow, placesWanted] = [findPlaces(now, base), findPlaces(wanted, base)]
  const [there, placed] = [new Set(placesNow), new Set(placesWanted)]
  /** Tracks that others have added, by the place of the preceding track; `undefined` = at the start. */
  const come = new Map<number | undefined, string[]>()
  let behind: number | undefined
  now.forEach((id, at) => {
    const place = placesNow[at]
    if (place === undefined) append(come, behind, id)
    else if (placed.has(place)) behind = place
  })
  return [...come.get(undefined) ?? [], ...wanted.flatMap((id, at) => {
    const place = placesWanted[at]
    if (place === undefined) return [id]
    return there.has(place) ? [id, ...come.get(place) ?? []] : []
  })]
}

function append<K, T> (lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

/**
 * Returns the place in `base` of each track of a later list; `undefined` for a track that was added since. A copy of a
 * repeated track is the one with the same preceding track, if there is one.
 */
function findPlaces (list: readonly string[], base: readonly string[]): readonly (number | undefined)[] {
  const found: (number | undefined)[] = []
  const left = new Set<number | undefined>(base.keys())
  for (const preceding of [1, 0]) {
    const keyOf = (ids: readonly string[], at: number) =>
      JSON.stringify(ids.slice(at && at - preceding, at + 1))
    const places = new Map<string, number[]>()
    base.forEach((_id, place) => { if (left.has(place)) append(places, keyOf(base, place), place) })
    list.forEach((_id, at) => { found[at] ??= places.get(keyOf(list, at))?.shift() })
    for (const place of found) left.delete(place)
  }
  return found
}
