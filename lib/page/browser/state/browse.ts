import type { Album, Artist } from '../../../client/index.ts'
import { readEnvelope } from '../../../client/read-envelope.ts'
import { UpstreamError } from '../../../contract/errors.ts'
import { text } from '../texts/index.ts'
import { configuration, pageUrl } from './configuration.ts'
import { listOf } from './explain.ts'
import { ask, ownUrl, source } from './sources.ts'
import { cardsOf } from './tidy.ts'

/** What a list can be filtered by, and sorted by. */
export interface Facets {
  readonly total: number
  readonly sorts: readonly string[]
  readonly letters: readonly string[]
  readonly years: readonly number[]
  readonly genres: readonly string[]
}

export type BrowseKind = 'albums' | 'artists'

interface Listed extends Facets {
  readonly items: readonly (Album | Artist)[]
  readonly limit: number
  readonly hasMore: boolean
}

/** Whether all albums and artists can be listed: by the source beside the page, when it offers that. */
export const canBrowse = () => configuration.browse && source.value.url === ownUrl

/** Asks the page's own route for a part of all albums or artists. */
export async function browse (
  kind: BrowseKind, filters: URLSearchParams, offset: number, signal: AbortSignal | undefined
): Promise<Listed> {
  const path = `page/browse?${new URLSearchParams([['kind', kind], ...filters, ['offset', String(offset)]])}`
  const page = await ask(async () => {
    const response = await fetch(
      new URL(path, pageUrl), { headers: { authorization: source.value.token }, ...(signal && { signal }) }
    ).catch(cause => { throw new UpstreamError(text('errorConnection'), { cause }) })
    return await readEnvelope({ method: 'GET', path }, response) as Listed
  })
  const { total, sorts = [], letters = [], years = [], genres = [] } = page
  return {
    items: cardsOf<Album | Artist>(page.items),
    limit: page.limit,
    hasMore: page.hasMore,
    total,
    sorts: listOf(sorts),
    letters: listOf(letters),
    years: listOf(years),
    genres: listOf(genres)
  }
}
