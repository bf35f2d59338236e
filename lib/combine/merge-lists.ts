import { foldName } from '../text/names.ts'

/** One of each list, the next one of each, and so on. */
export function takeTurns<T> (lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const merged: T[] = []
  for (let place = 0; place < longest; place++) {
    for (const list of lists) if (place < list.length) merged.push(list[place]!)
  }
  return merged
}

/** Tells whether an item has the name that was searched for. */
export function isNamed (keyword: string): (item: any) => boolean {
  const wanted = foldName(keyword.trim())
  return item => foldName(String(item?.title ?? item?.name ?? '').trim()) === wanted
}

/** The same list, in which what matches comes first. */
export const matchingFirst = <T>(list: readonly T[], matches: (item: T) => boolean): T[] =>
  [...list.filter(matches), ...list.filter(item => !matches(item))]
