import { createHash, randomInt } from 'node:crypto'

interface Item { readonly id: string }

/** What stands for the day: as long as an id of a track, and as much by chance. */
export const idOfDay = (): string =>
  createHash('sha1').update(new Date().toDateString()).digest('hex').slice(0, 20)

/** Things in an order of the day: the same all day, another tomorrow. */
export function shuffleForToday<T extends Item> (all: Iterable<T>): T[] {
  const day = new Date().toDateString()
  return [...all]
    .map(item => ({ item, place: createHash('sha1').update(day + item.id).digest('base64') }))
    .sort((a, b) => a.place < b.place ? -1 : 1)
    .map(({ item }) => item)
}

/**
 * Things by chance. Half of all at most, so that none of the last ones has to come again.
 *
 * @param last ids of those that were given last
 */
export function roam<T extends Item> (all: readonly T[], last: ReadonlySet<string> | undefined, most: number): T[] {
  const count = Math.min(most, Math.ceil(all.length / 2))
  const fresh = all.filter(({ id }) => !last?.has(id))
  const from = fresh.length > 0 ? fresh : [...all]
  return Array.from({ length: Math.min(count, from.length) }, () => from.splice(randomInt(from.length), 1)[0]!)
}

/** The same things, those that were heard behind the others. */
export const heardLast = <T extends Item>(items: readonly T[], heard: ReadonlySet<string>): T[] =>
  [...items.filter(({ id }) => !heard.has(id)), ...items.filter(({ id }) => heard.has(id))]
