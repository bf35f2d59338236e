import type { LibraryQuery, LibrarySort } from '../contract/source-library.ts'
import type { Registration } from '../routes/index.ts'
import type { OwnRoute } from './own-routes.ts'
import type { FilesOf } from './register-files.ts'
import { ratingsFor } from './register-ratings.ts'

/** Every kind can be shown in a random order, of which there is one page. */
const random = 'random'

/** Some of a list by chance, each once. */
function shuffled<T> (items: readonly T[], count: number): T[] {
  const rest = [...items]
  return Array.from({ length: Math.min(count, rest.length) }, (_, at) => {
    const chosen = at + Math.floor(Math.random() * (rest.length - at))
    const item = rest[chosen]!
    rest[chosen] = rest[at]!
    return item
  })
}

/**
 * The page's own routes of all albums and artists, for what `/v1` has no operation for: whether the source has a
 * library for this account, and parts of its lists, with what they can be chosen and sorted by.
 */
export function registerBrowse (route: OwnRoute, registration: Registration, filesOf: FilesOf): void {
  route('GET offers', async ({ asker, context }) => ({
    library: await asker.library() !== undefined,
    ...asker.has('sharePlaylist') && { sharing: true },
    ...ratingsFor(registration, context) && { ratings: true },
    ...filesOf(context) && { files: true },
    account: context.account
  }))
  route('GET browse', async ({ asker, parameters }) => {
    const { kind, sort, order, letter, year, genre, offset, limit } = parameters
    const years = year === undefined ? undefined : [year, year] as const
    const library = await asker.library()
    if (library === undefined) return {}
    const { composers, ...facets } = await library.facets(kind)
    const isKnown = facets.sorts.includes(sort as LibrarySort)
    const query = { kind, order, letter, years, genre, ...isKnown && { sort: sort as LibrarySort } }
    const ids = await library.ids(query satisfies LibraryQuery)
    const page = sort === random ? shuffled(ids, limit) : ids.slice(offset, offset + limit)
    const total = sort === random ? page.length : ids.length
    const items = (await library.items(kind, page)).filter(item => item !== undefined)
    // Their albums are not shown, and a source may have to count them.
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
      hasMore: offset + limit < total
    }
  })
  route('GET composers', async ({ asker }) =>
    ({ items: (await (await asker.library())?.facets('artists'))?.composers ?? [] }))
}
