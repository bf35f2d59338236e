/** The maximum number of attempts for each item: most items may not fit. */
const mostTries = 10

/**
 * Returns random items of a list, each at most once. The cost depends on `count`, not on the length of the list.
 *
 * @param fits returns `false` for items to leave out. If few items fit, the result may be shorter than possible.
 */
export function sample<T> (items: ArrayLike<T>, count: number, fits: (item: T) => boolean = () => true): T[] {
  const chosen: T[] = []
  /** Items that were moved to another position. */
  const moved = new Map<number, T>()
  const tries = Math.min(items.length, count * mostTries)
  for (let at = 0; at < tries && chosen.length < count; at++) {
    const place = at + Math.floor(Math.random() * (items.length - at))
    const item = moved.get(place) ?? items[place]!
    moved.set(place, moved.get(at) ?? items[at]!)
    if (fits(item)) chosen.push(item)
  }
  return chosen
}
