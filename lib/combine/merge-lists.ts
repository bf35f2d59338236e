import { foldName } from '../text/names.ts'

/** Interleaves lists: the first item of each, the second of each, and so on. */
export function roundRobin<T> (lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const merged: T[] = []
  for (let place = 0; place < longest; place++) {
    for (const list of lists) if (place < list.length) merged.push(list[place]!)
  }
  return merged
}

/** Returns a function that checks whether an item has the requested name. */
export function matchesName (keyword: string): (item: any) => boolean {
  const wanted = foldName(keyword.trim())
  return item => foldName(String(item?.title ?? item?.name ?? '').trim()) === wanted
}

/** Returns the list with matching items first. */
export const matchingFirst = <T>(list: readonly T[], matches: (item: T) => boolean): T[] =>
  [...list.filter(matches), ...list.filter(item => !matches(item))]
