import { withinTime } from '../async/timed-call.ts'
import { BadRequestError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { Album, Artist } from '../index.ts'
import type { OwnRoute } from './own-routes.ts'

/** What the page asks for: a part of all albums or of all artists. */
export interface BrowseQuery {
  readonly kind: 'albums' | 'artists'
  /** One of the `sorts` of an answer before. Default: the first one. */
  readonly sort: string | undefined
  readonly order: 'asc' | 'desc'
  /** Only names under this letter, one of the `letters` of an answer before. */
  readonly letter: string | undefined
  readonly year: number | undefined
  readonly genre: string | undefined
  readonly offset: number
  /** 1 to 200. */
  readonly limit: number
}

/** What the page shows. Filters that are left out are not offered. */
export interface BrowsePage {
  readonly items: readonly Album[] | readonly Artist[]
  /** How many there are with these filters; of a random choice those that were chosen. */
  readonly total: number
  /** What can be sorted by: `name`, `year`, `added`, `plays`, `played` (when it was), `random`. */
  readonly sorts?: readonly string[]
  /** Those that names of this kind begin with, in the order of names. */
  readonly letters?: readonly string[]
  readonly years?: readonly number[]
  readonly genres?: readonly BrowseGenre[]
}

export interface BrowseGenre {
  readonly name: string
  /** How many tracks it has. */
  readonly tracks?: number
}

/**
 * Lists all albums or all artists of a source, for the context that `resolveContext` gave for the request. Errors are
 * those of an adapter.
 *
 * @see docs/guide/page.md, All albums and all artists
 */
export type Browse = (
  query: BrowseQuery, context: RequestContext, call: { signal: AbortSignal }
) => BrowsePage | Promise<BrowsePage>

const longestPage = 200

function whole (name: string, value: string | undefined, least: number, most: number): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= least && number <= most) return number
  throw new BadRequestError(`Parameter ${name} must be an integer from ${least} to ${most}`)
}

function readQuery (query: URLSearchParams): BrowseQuery {
  const textOf = (name: string) => query.get(name)?.trim() || undefined
  const oneOf = <T extends string>(name: string, values: readonly [T, ...T[]]): T => {
    const value = textOf(name) ?? values[0]
    if (!values.includes(value as T)) throw new BadRequestError(`Parameter ${name} must be ${values.join(' or ')}`)
    return value as T
  }
  return {
    kind: oneOf('kind', ['albums', 'artists']),
    sort: textOf('sort'),
    order: oneOf('order', ['asc', 'desc']),
    letter: textOf('letter'),
    year: whole('year', textOf('year'), 0, 9999),
    genre: textOf('genre'),
    offset: whole('offset', textOf('offset'), 0, 1e9) ?? 0,
    limit: whole('limit', textOf('limit'), 1, longestPage) ?? 100
  }
}

/** The page's own route of what `/v1` has no operation for. */
export const registerBrowse = (route: OwnRoute, browse: Browse): void =>
  route('GET', 'browse', async ({ context, call, query: given }) => {
    const query = readQuery(given)
    const page = await withinTime(call, () => browse(query, context, { signal: call.signal }))
    const { offset, limit } = query
    return { ...page, offset, limit, hasMore: offset + page.items.length < page.total }
  })
