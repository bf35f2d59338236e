import type { LibraryCall, RandomIds } from '../contract/source-library.ts'
import { sample } from '../async/sample.ts'
import { partsOf } from './named-library.ts'
import type { RenamedLibrary } from './merge-ids.ts'

/** Returns random ids of one source, chosen from all its ids if the source cannot do better. */
async function chooseIds ({ library, query }: RenamedLibrary, count: number, call: LibraryCall): Promise<RandomIds> {
  const chosen = await library.randomIds?.(query, count, call)
  if (chosen !== undefined) return chosen
  const ids: string[] = []
  for await (const part of partsOf(library, query, call)) for (const id of part) ids.push(id)
  return { ids: sample(ids, count), total: ids.length }
}

/** Returns random ids of several sources. Each id is as likely as any other, however large its source is. */
export async function drawIds (
  sources: readonly RenamedLibrary[], count: number, call: LibraryCall
): Promise<RandomIds> {
  const lists = await Promise.all(sources.map(async source => {
    const { ids, total } = await chooseIds(source, count, call)
    return { ids: ids.map(source.rename), left: Math.max(ids.length, Math.round(total)) }
  }))
  const total = lists.reduce((sum, { left }) => sum + left, 0)
  const drawn: string[] = []
  for (let left = total; drawn.length < count && left > 0;) {
    let place = Math.floor(Math.random() * left)
    const list = lists.find(list => (place -= list.left) < 0)!
    drawn.push(list.ids.pop()!)
    // The list of an exhausted source was read completely.
    const next = list.ids.length > 0 ? list.left - 1 : 0
    left -= list.left - next
    list.left = next
  }
  return { ids: drawn, total }
}
