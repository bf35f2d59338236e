import { IdList } from '../async/id-list.ts'
import type { LibraryQuery } from '../contract/source-library.ts'
import type { ShownLibrary } from './generated-library.ts'

/** The number of ids that are chosen first, and how many times more are chosen next. */
const count = { first: 500, factor: 10 }

/** Returns the ids of a query in a random order. Most lists are not read further than their first ids. */
export async function randomList (library: ShownLibrary, query: LibraryQuery): Promise<IdList> {
  let wanted = count.first
  let chosen = await library.random(query, wanted)
  return new IdList((async function * () {
    const seen = new Set<string>()
    for (;;) {
      const { ids } = chosen
      yield ids.filter(id => seen.size < seen.add(id).size)
      if (ids.length < wanted) return
      wanted *= count.factor
      chosen = await library.random(query, wanted)
    }
  })(), true, chosen.total)
}
