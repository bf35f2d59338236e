import type { LibraryFacets, LibraryQuery, LibrarySort } from '../contract/source-library.ts'
import { hasLibrary, isListable, libraryFor, type ShownLibrary } from '../library/internal.ts'
import type { Registration } from '../routes/index.ts'
import type { Identities } from '../accounts/index.ts'
import { endOf } from './sign-in/end-of.ts'
import type { OwnRoute } from './page-routes.ts'
import type { FilesOf } from './register-files.ts'
import type { Household } from './register-household.ts'
import { accountIn } from './register-listening.ts'
import { ratingsFor } from './register-ratings.ts'

/** Every kind supports a random order, which has a single page. */
const random = 'random'

/** Returns random ids. */
async function randomPage (library: ShownLibrary, query: LibraryQuery, limit: number) {
  const { ids: page } = await library.random(query, limit)
  return { page, total: page.length, hasMore: false }
}

/**
 * Returns the ids of a part of a list. If lists are read on demand, the total of an unfiltered kind comes from the
 * facets.
 */
async function pageOf (
  library: ShownLibrary, query: LibraryQuery, offset: number, limit: number, facets: Pick<LibraryFacets, 'total'>
) {
  const list = library.list(query)
  const { letter, years, genre, sort } = query
  const hasAll = (letter ?? years ?? genre) === undefined && sort !== 'plays' && sort !== 'played'
  await list.first(offset + limit + 1)
  return {
    page: list.ids.slice(offset, offset + limit),
    total: list.isOnDemand && hasAll ? facets.total : (await list.whole).length,
    hasMore: offset + limit < list.ids.length
  }
}

/** Returns the values of a filter that have items beside the other filters. */
async function having<T> (
  library: ShownLibrary, values: readonly T[], queryFor: (value: T) => LibraryQuery
): Promise<readonly T[]> {
  const found: T[] = []
  for (const value of values) {
    const list = library.list(queryFor(value))
    await list.first(1)
    if (list.ids.length > 0) found.push(value)
  }
  return found
}

/** Returns the letters and years of a filtered list. A source that is read on demand is not asked for each of them. */
async function narrowed (
  library: ShownLibrary, { kind, letter, years, genre }: LibraryQuery, facets: LibraryFacets
): Promise<Pick<LibraryFacets, 'letters' | 'years'>> {
  const isFiltered = (letter ?? years ?? genre) !== undefined
  if (!isFiltered || library.list({ kind }).isOnDemand) return facets
  return {
    letters: await having(library, facets.letters, letter => ({ kind, letter, years, genre })),
    years: await having(library, facets.years, year => ({ kind, letter, years: [year, year], genre }))
  }
}

/**
 * Registers the page's routes for all albums and artists, which `/v1` lacks: whether the source has a library for this
 * account, and parts of its lists, with filters and sort orders.
 */
export function registerBrowse (
  route: OwnRoute, registration: Registration, filesOf: FilesOf, household: Household | undefined,
  identities: Identities | undefined
): void {
  route('GET offers', async ({ session, context }) => {
    const own = await session.library()
    return {
      library: own !== undefined || isListable(session),
      ...!session.has('getRecommendedPlaylist') && { recommended: false },
      ...own?.unavailable && { sources: true },
      ...session.has('sharePlaylist') && { sharing: true },
      ...accountIn(context) !== undefined && { queue: true },
      ...ratingsFor(registration, context) && { ratings: true },
      ...filesOf(context) && { files: true },
      ...household?.isManagedBy(context) && { household: true },
      account: context.account,
      ...await endOf(identities, context.account)
    }
  })
  route('GET unavailable', async ({ session }) => ({ items: (await session.library())?.unavailable ?? [] }))
  route('GET browse', async ({ session, parameters }) => {
    const { kind, sort, order, letter, year, genre, offset, limit, facets: withFacets } = parameters
    const years = year === undefined ? undefined : [year, year] as const
    // A generated library does not know plays, so it need not be read.
    const isOfPlays = sort === 'plays' || sort === 'played'
    if (isOfPlays ? await session.library() === undefined : !await hasLibrary(session)) return {}
    const library = await libraryFor(session)
    const { composers, ...facets } = await library.facets(kind)
    const sorts = [...facets.sorts, random]
    const isKnown = facets.sorts.includes(sort as LibrarySort)
    const query = { kind, order, letter, years, genre, ...isKnown && { sort: sort as LibrarySort } }
    const { page, total, hasMore } = sort === random
      ? await randomPage(library, query, limit)
      : await pageOf(library, query, offset, limit, facets)
    const items = (await library.items(kind, page)).filter(item => item !== undefined)
    const part = { sorts, items, total, offset, limit, hasMore }
    if (withFacets === 0) return part
    // Album counts are not shown, and a source may have to compute them.
    const genres = facets.genres.map(({ name, tracks }) => ({ name, tracks }))
    return {
      ...facets,
      ...composers && { composers: composers.length },
      // The page uses the filters of the first part only.
      ...offset === 0 && await narrowed(library, query, facets),
      genres,
      ...part
    }
  })
  route('GET composers', async ({ session }) =>
    ({ items: await hasLibrary(session) ? (await (await libraryFor(session)).facets('artists')).composers ?? [] : [] }))
}
