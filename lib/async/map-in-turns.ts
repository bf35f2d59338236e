import { setImmediate } from 'node:timers/promises'

/** Items that are worked on at a time. */
const atATime = 200

/** As `map` of a list; others have their turn while a long one is worked on. */
export async function mapInTurns<T, R> (items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const mapped: R[] = []
  for (let from = 0; from < items.length; from += atATime) {
    if (from > 0) await setImmediate()
    for (const item of items.slice(from, from + atATime)) mapped.push(map(item))
  }
  return mapped
}
