import type { SourceClient, Track } from '../../../client/index.ts'
import { loadHistory } from './heard.ts'
import { loadArtistPage, loadToplistPage } from './load-tracks.ts'
import { ask } from './session.ts'
import { pageOfTracks, tracksOf } from './tidy.ts'

/** A list of which a part is shown or queued. */
export interface Origin {
  readonly list: keyof typeof loaders
  readonly id: string
}

/** The position to continue from after a reload. */
export interface KeptMore extends Origin {
  readonly offset: number
}

/** Returns more tracks for the end of the queue; empty at the end. */
export interface More {
  (): Promise<readonly Track[]>
  /** Absent: the queue ends after a reload. */
  readonly kept?: (() => KeptMore) | undefined
}

/** The number of tracks of a search per request. */
const pageSize = 50

interface Page {
  readonly items: readonly Track[]
  readonly limit: number
  readonly hasMore: boolean
}

const loaders = {
  search: async (id: string, offset: number, client: SourceClient): Promise<Page> =>
    pageOfTracks(await client.searchTracks(id, offset, pageSize)),
  artist: loadArtistPage as (id: string, offset: number, client: SourceClient) => Promise<Page>,
  toplist: loadToplistPage,
  history: (_id: string, offset: number): Promise<Page> => loadHistory(offset),
  /** Endless: more tracks are requested near the end. */
  roam: async (_id: string, _offset: number, client: SourceClient): Promise<Page> =>
    ({ items: tracksOf(await client.getRoamTracks()), limit: 0, hasMore: true })
}

export const loadPageOf = <L extends keyof typeof loaders>(list: L, id: string, offset: number, signal?: AbortSignal) =>
  ask(client => loaders[list](id, offset, client) as ReturnType<typeof loaders[L]>, signal)

/** Loads tracks similar to another one. */
export const loadSimilar = async (id: string): Promise<readonly Track[]> =>
  tracksOf(await ask(client => client.getSimilarTracks(id)))

/** Returns the rest of a list; `undefined` if the stored value is invalid, since it comes from browser storage. */
export function moreOf (kept: Partial<KeptMore> | undefined): More | undefined {
  const { list, id = '', offset = 0 } = kept ?? {}
  if (list === undefined || !Object.hasOwn(loaders, list)) return undefined
  let at = { list, id, offset }
  let isOver = false
  const more = async () => {
    if (isOver) return []
    const { items, limit, hasMore } = await loadPageOf(list, id, at.offset)
    at = { ...at, offset: at.offset + Math.max(Number(limit) || 0, items.length) }
    isOver = !hasMore
    return items
  }
  return Object.assign(more, { kept: () => at })
}
