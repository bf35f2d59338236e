import { createHash, randomInt } from 'node:crypto'

interface Item { readonly id: string }

/** Returns a value for the current day, as long and as random as a track id. */
export const idOfDay = (): string =>
  createHash('sha1').update(new Date().toDateString()).digest('hex').slice(0, 20)

/** Returns items in an order that changes daily. */
export function shuffleForToday<T extends Item> (all: Iterable<T>): T[] {
  const day = new Date().toDateString()
  return [...all]
    .map(item => ({ item, place: createHash('sha1').update(day + item.id).digest('base64') }))
    .sort((a, b) => a.place < b.place ? -1 : 1)
    .map(({ item }) => item)
}

/**
 * Returns random items. At most half of all, so that the last ones need not be repeated.
 *
 * @param last ids of the items returned last
 */
export function roam<T extends Item> (all: readonly T[], last: ReadonlySet<string> | undefined, most: number): T[] {
  const count = Math.min(most, Math.ceil(all.length / 2))
  const fresh = all.filter(({ id }) => !last?.has(id))
  const from = fresh.length > 0 ? fresh : [...all]
  return Array.from({ length: Math.min(count, from.length) }, () => from.splice(randomInt(from.length), 1)[0]!)
}

/** Returns the items with played ones last. */
export const heardLast = <T extends Item>(items: readonly T[], heard: ReadonlySet<string>): T[] =>
  [...items.filter(({ id }) => !heard.has(id)), ...items.filter(({ id }) => heard.has(id))]
