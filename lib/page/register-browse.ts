import type { LibraryFacets, LibraryQuery, LibrarySort } from '../contract/source-library.ts'
import { hasLibrary, isListable, libraryFor, type ShownLibrary } from '../library/internal.ts'
import type { Registration } from '../routes/index.ts'
import type { Identities } from '../accounts/index.ts'
import { endOf } from './sign-in/end-of.ts'
import type { OwnRoute } from './page-routes.ts'
import type { FilesOf } from './register-files.ts'
import type { Household } from './register-household.ts'
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
      ...ratingsFor(registration, context) && { ratings: true },
      ...filesOf(context) && { files: true },
      ...household?.isManagedBy(context) && { household: true },
      account: context.account,
      ...await endOf(identities, context.account)
    }
  })
  route('GET unavailable', async ({ session }) => ({ items: (await session.library())?.unavailable ?? [] }))
  route('GET browse', async ({ session, parameters }) => {
    const { kind, sort, order, letter, year, genre, offset, limit } = parameters
    const years = year === undefined ? undefined : [year, year] as const
    // A generated library does not know plays, so it need not be read.
    const isOfPlays = sort === 'plays' || sort === 'played'
    if (isOfPlays ? await session.library() === undefined : !await hasLibrary(session)) return {}
    const library = await libraryFor(session)
    const { composers, ...facets } = await library.facets(kind)
    const isKnown = facets.sorts.includes(sort as LibrarySort)
    const query = { kind, order, letter, years, genre, ...isKnown && { sort: sort as LibrarySort } }
    const { page, total, hasMore } = sort === random
      ? await randomPage(library, query, limit)
      : await pageOf(library, query, offset, limit, facets)
    const items = (await library.items(kind, page)).filter(item => item !== undefined)
    // Album counts are not shown, and a source may have to compute them.
    const genres = facets.genres.map(({ name, tracks }) => ({ name, tracks }))
    return {
      ...facets,
      ...composers && { composers: composers.length },
      genres,
      sorts: [...facets.sorts, random],
      items,
      total,
      offset,
      limit,
      hasMore
    }
  })
  route('GET composers', async ({ session }) =>
    ({ items: await hasLibrary(session) ? (await (await libraryFor(session)).facets('artists')).composers ?? [] : [] }))
}
