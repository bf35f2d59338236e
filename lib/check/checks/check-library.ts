import { isTimeInSeconds } from '../../../schemas/units.ts'
import type { LibraryFacets, LibraryKind, LibraryQuery, LibrarySort } from '../../contract/source-library.ts'
import { compareValues, sortValueOf } from '../../library/internal.ts'
import { checkFilters } from './check-library-filters.ts'
import { isText, itemOf, LibraryQuestions, madeUp, mostAtATime, mostItems, type Shown } from './library-questions.ts'

/** Sort orders that every source must support. */
const dueSorts: Readonly<Record<LibraryKind, readonly LibrarySort[]>> =
  { artists: ['name'], albums: ['name', 'artist', 'year', 'added'], tracks: ['album'] }
/** Extras that lists require. */
const dueExtras: Readonly<Record<LibraryKind, readonly string[]>> =
  { artists: ['albumCount'], albums: ['artists', 'duration'], tracks: ['discNumber', 'track'] }
/** Sort orders that contain only tracks played by the account. */
const ofAccount: ReadonlySet<LibrarySort> = new Set(['plays', 'played'])
/** The number of random ids that are requested. */
const someRandom = 10

type Sorted = LibraryQuery & { readonly sort: LibrarySort, readonly order: 'asc' | 'desc' }

/** Checks the library of an adapter against docs/reference/library.md, if the source runs in development. */
export async function checkLibrary (library: LibraryQuestions): Promise<void> {
  const states = [await library.state(), await library.state(), await library.state()]
  if (states[0] === undefined) return
  const { revision, changedAt } = states[0]
  const question = { ask: 'state' } as const
  if (!isText(revision) || typeof changedAt !== 'number') {
    library.find('library-answer', question, 'is not a string, or library.changedAt is not a number')
  } else if (isTimeInSeconds(changedAt)) library.find('time-in-seconds', question, `was changed at ${changedAt}`)
  if (new Set(states.map(state => state?.revision)).size === states.length) {
    library.find('library-revision', question, 'is another one each time')
  } else if (new Set(states.map(state => state?.changedAt)).size === states.length) {
    library.find('library-revision', question, 'is the same, and library.changedAt is another one each time')
  }
  for (const kind of ['artists', 'albums', 'tracks'] as const) await checkKind(library, kind)
}

async function checkKind (library: LibraryQuestions, kind: LibraryKind): Promise<void> {
  const question = { ask: 'facets', kind } as const
  const facets = await library.ask(question) as LibraryFacets | undefined
  const all = await library.ids({ kind })
  if (facets === undefined || all === undefined) return
  if (facets.total !== all.length) {
    library.find('library-facets', question, `has the total ${facets.total}, and ids are ${all.length}`)
  }
  const missing = dueSorts[kind].filter(sort => !facets.sorts.includes(sort))
  if (missing.length > 0) library.find('library-facets', question, `cannot sort by ${missing.join(', ')}`)
  library.count(kind, all.length)
  if (all.length === 0) return
  const shown = await checkItems(library, kind, all)
  for (const sort of facets.sorts) {
    for (const order of ['asc', 'desc'] as const) await checkOrder(library, { kind, sort, order }, all)
  }
  await checkFilters(library, kind, facets, shown)
  await checkRandom(library, { kind })
  const again = await library.ids({ kind })
  if (again !== undefined && again.join() !== all.join()) {
    library.find('library-unstable', { ask: 'ids', query: { kind } }, 'is another list when it is asked for again')
  }
}

/** @returns some items of the list */
async function checkItems (library: LibraryQuestions, kind: LibraryKind, all: readonly string[]): Promise<Shown[]> {
  const question = { ask: 'items', kind, ids: [madeUp] } as const
  const gone = await library.ask(question)
  if (Array.isArray(gone) && gone[0] !== null) {
    library.find('library-items', question, 'has something for an id that does not exist')
  }
  const shown = await library.items(kind, all, mostItems)
  for (const name of shown.length === 0 ? [] : dueExtras[kind]) {
    if (shown.every(({ extras }) => extras?.[name] === undefined)) {
      library.find('library-extras', question, `has no ${name} in extras`)
    }
  }
  // Apps request as many items at a time.
  if (all.length > mostItems) await library.ask({ ask: 'items', kind, ids: mostAtATime })
  const changed = await library.ask({ ask: 'currentIds', kind, ids: [madeUp, ...all.slice(0, 1)] })
  const other = Object.entries(Object(changed)).find(([id, current]) => id !== current)
  if (other !== undefined) {
    const [id, current] = other
    library.find('library-items', { ask: 'currentIds', kind, ids: [] }, `has ${current} for the current id ${id}`)
  }
  return shown
}

async function checkRandom (library: LibraryQuestions, query: LibraryQuery): Promise<void> {
  const question = { ask: 'randomIds', query, count: someRandom } as const
  const [given, all] = [await library.ask(question), await library.idsOrNone(query)]
  if (given === undefined) return
  const { ids, total } = given as { ids: readonly string[], total: unknown }
  const wrong = ids.length > someRandom
    ? `${ids.length} ids`
    : new Set(ids).size < ids.length
      ? 'an id twice'
      : !ids.every(id => all.includes(id)) ? 'ids that library.ids lacks' : total === 0 ? 'the total 0' : undefined
  if (wrong !== undefined) library.find('library-random', question, `has ${wrong}`)
}

/** Checks that a sorted list contains all items of its kind, in the order of their properties. */
async function checkOrder (library: LibraryQuestions, query: Sorted, all: readonly string[]): Promise<void> {
  const ids = await library.ids(query)
  if (ids === undefined) return
  const known = new Set(all)
  const isWhole = ofAccount.has(query.sort) || ids.length === all.length
  if (!isWhole || !ids.every(id => known.has(id))) {
    return library.find('library-order', { ask: 'ids', query }, 'has not the same ids as without sort')
  }
  const values = (await library.items(query.kind, ids, mostItems)).map(shown => sortValueOf(query, itemOf(shown)))
    // Items without a year are last. Other sort values may be known to the library only.
    .filter(({ first }) => query.sort === 'year' || first !== undefined)
  const at = values.findIndex((value, at) => at > 0 && compareValues(query, values[at - 1]!, value) > 0)
  if (at === -1) return
  const [before, after] = [values[at - 1]!, values[at]!]
    .map(({ first, name }) => `${first ?? 'no year'} ${name}`.trim())
  library.find('library-order', { ask: 'ids', query }, `has ${after} after ${before}`)
}
