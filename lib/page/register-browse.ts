import { BadRequestError } from '../contract/errors.ts'
import type { LibraryQuery, LibrarySort } from '../contract/source-library.ts'
import type { OwnRoute } from './own-routes.ts'

const longestPage = 200
const orders = ['asc', 'desc'] as const
const kinds = ['albums', 'artists'] as const
/** Every kind can be shown in a random order, of which there is one page. */
const random = 'random'

function whole (name: string, value: string | undefined, least: number, most: number): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= least && number <= most) return number
  throw new BadRequestError(`Parameter ${name} must be an integer from ${least} to ${most}`)
}

/** A part of all albums or of all artists, as the page asks for it. */
function readQuery (query: URLSearchParams) {
  const textOf = (name: string) => query.get(name)?.trim() || undefined
  const oneOf = <T extends string>(name: string, values: readonly [T, ...T[]]): T => {
    const value = textOf(name) ?? values[0]
    if (!values.includes(value as T)) throw new BadRequestError(`Parameter ${name} must be ${values.join(' or ')}`)
    return value as T
  }
  const year = whole('year', textOf('year'), 0, 9999)
  return {
    kind: oneOf('kind', kinds),
    sort: textOf('sort'),
    order: oneOf('order', orders),
    letter: textOf('letter'),
    years: year === undefined ? undefined : [year, year] as const,
    genre: textOf('genre'),
    offset: whole('offset', textOf('offset'), 0, 1e9) ?? 0,
    limit: whole('limit', textOf('limit'), 1, longestPage) ?? 100
  }
}

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
export function registerBrowse (route: OwnRoute): void {
  route('GET', 'offers', async ({ asker }) => ({ library: await asker.library() !== undefined }))
  route('GET', 'browse', async ({ asker, query: given }) => {
    const { sort, offset, limit, ...query } = readQuery(given)
    const library = await asker.library()
    if (library === undefined) return {}
    const { kind } = query
    const facets = await library.facets(kind)
    const isKnown = facets.sorts.includes(sort as LibrarySort)
    const ids = await library.ids({ ...query, ...isKnown && { sort: sort as LibrarySort } } satisfies LibraryQuery)
    const page = sort === random ? shuffled(ids, limit) : ids.slice(offset, offset + limit)
    const total = sort === random ? page.length : ids.length
    const items = (await library.items(kind, page)).filter(item => item !== undefined)
    return {
      ...facets, sorts: [...facets.sorts, random], items, total, offset, limit, hasMore: offset + limit < total
    }
  })
}
