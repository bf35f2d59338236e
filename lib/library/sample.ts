/** Items that are looked at for each one that is wanted: most of them may not fit. */
const mostTries = 10

/**
 * Some items of a list by chance, each once. It costs what is wanted, however long the list is.
 *
 * @param fits returns `false` for what is left out. A list in which little fits may give fewer than there are.
 */
export function sample<T> (items: readonly T[], count: number, fits: (item: T) => boolean = () => true): T[] {
  const chosen: T[] = []
  /** Items that were moved to another place. */
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
