import { foldText, sortKey, compareKeys } from '../text/names.ts'
import type {
  LibraryCall, LibraryComposer, LibraryFacets, LibraryGenre, LibraryItems, LibraryKind, LibraryQuery, RandomIds,
  SourceLibrary
} from '../contract/source-library.ts'
import {
  completes, missingSources, onDemand, playable, prepare, stored, unavailable, withKept, type LibraryKeeper,
  type OrderedLibrary
} from '../contract/ordered-library.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import { idsIn, mergedId } from './combined-ids.ts'
import { drawIds } from './draw-ids.ts'
import { joinIds, mergeIds, type RenamedLibrary } from './merge-ids.ts'
import { mergeItems, mergeSame } from './same-items.ts'
import { keptSource, listedSource, type ListedSource } from './listed-source.ts'

/**
 * Combines the libraries of several sources. It fails if one of them fails, since apps delete items that a smaller
 * library lacks. Lists omit a source until its library was read.
 *
 * @returns `undefined` if no source has a library
 */
export function combinedLibrary (sources: readonly NamespacedSource[], merges: boolean): SourceLibrary | undefined {
  const hasOne = sources.some(({ adapter: { library } }) => library !== undefined)
  return hasOne ? new CombinedLibrary(sources.map(source => listedSource(source)), merges) : undefined
}

/** Schemas of the items of each kind. */
const schemaOf = { artists: 'Artist', albums: 'Album', tracks: 'Track' } as const

class CombinedLibrary implements OrderedLibrary {
  /** All sources. Those with unread libraries serve items and no lists. */
  readonly #sources: readonly ListedSource[]
  readonly #merges: boolean

  readonly [onDemand] = true

  /** @param merges whether duplicate artists and albums are merged */
  constructor (sources: readonly ListedSource[], merges: boolean) {
    this.#sources = sources
    this.#merges = merges
  }

  get #all (): readonly ListedSource[] { return this.#sources.filter(({ isRead }) => isRead) }

  get [missingSources] (): readonly string[] {
    return this.#sources.flatMap(({ source, library, isRead }) =>
      isRead ? (library[missingSources] ?? []).map(source.rename) : [source.id])
  }

  get [stored] (): false | undefined {
    return this.#all.some(({ source }) => source.adapter.library !== undefined) ? undefined : false
  }

  [withKept] (keeper: LibraryKeeper): OrderedLibrary {
    return new CombinedLibrary(this.#sources.map(({ source }) => keptSource(keeper, source)), this.#merges)
  }

  async [prepare] (): Promise<void> { await Promise.all(this.#sources.map(({ prepare }) => prepare?.())) }

  /** Returns whether one of the sources of an item is available. */
  [playable] (id: string): boolean {
    return this.#sources.some(({ source }) => source.isAvailable && source.own(id) !== undefined)
  }

  /** Returns the ids of unavailable sources, also of sources inside an available combination. */
  [unavailable] (): readonly string[] {
    return this.#sources.flatMap(({ source }) => source.isAvailable
      ? ((source.adapter.library as OrderedLibrary | undefined)?.[unavailable]?.() ?? []).map(source.rename)
      : [source.id])
  }

  get revision (): string {
    return JSON.stringify(this.#all.map(({ source, library }) => [source.id, library.revision]))
  }

  get changedAt (): number { return Math.max(...this.#all.map(({ library }) => library.changedAt)) }

  ids (query: LibraryQuery, call: LibraryCall): AsyncIterable<readonly string[]> {
    const asked = this.#asked(query)
    if (query.album !== undefined && asked.length > 1 && this.#merges) return this.#tracksOf(asked, call)
    const isJoined = query.album !== undefined || (query.kind === 'tracks' && query.sort === undefined)
    if (isJoined) return joinIds(asked, call)
    const ordered = query.sort === 'album' && query.order === 'desc' ? asked.toReversed() : asked
    const { ids } = this.#all[0]!.source
    const merge = this.#mergesKind(query.kind) ? (items: any) => mergeSame(items, schemaOf[query.kind], ids) : undefined
    return mergeIds(ordered, query, call, merge)
  }

  /** Chooses from the available sources. */
  async randomIds (query: LibraryQuery, count: number, call: LibraryCall): Promise<RandomIds | undefined> {
    // Duplicates are found only while lists are merged in one order.
    if (query.kind !== 'tracks' && this.#mergesKind(query.kind)) return undefined
    const available = this.#all.filter(({ source }) => source.isAvailable)
    return drawIds(this.#asked(query, available), count, call)
  }

  /** Yields the ids of the tracks of an album of several sources. */
  async * #tracksOf (asked: readonly RenamedLibrary[], call: LibraryCall): AsyncGenerator<readonly string[]> {
    const ids: string[] = []
    for await (const part of joinIds(asked, call)) ids.push(...part)
    const tracks = (await this.items('tracks', ids, call)).filter(track => track !== undefined)
    yield mergeSame(tracks, 'Track', this.#all[0]!.source.ids).map(({ id }) => id)
  }

  /** The generated library of a source without one adds nothing to the operations. */
  [completes] (id: string): boolean {
    return this.#all.some(({ source, library }) => {
      const own = source.own(id)
      return own !== undefined && source.adapter.library !== undefined && library[completes]?.(own) !== false
    })
  }

  /** Returns whether duplicates of a kind are merged. The artist index merges equal names in any case. */
  #mergesKind (kind: LibraryKind): boolean { return this.#merges || kind === 'artists' }

  /** Returns the query of each source. Queries by artist or album go to the sources of that item. */
  #asked (query: LibraryQuery, sources = this.#all): RenamedLibrary[] {
    return sources.flatMap(({ source, library }) => {
      const [artist, album] = [query.artist, query.album].map(id => id === undefined ? undefined : source.own(id))
      if ((query.artist ?? query.album) !== undefined && (artist ?? album) === undefined) return []
      return [{ library, query: { ...query, artist, album }, rename: source.rename }]
    })
  }

  async items<K extends LibraryKind> (
    kind: K, ids: readonly string[], call: LibraryCall
  ): Promise<readonly (LibraryItems[K] | undefined)[]> {
    const found = new Map<string, LibraryItems[K]>()
    const parts = await this.#each(ids, async ({ source, library }, own) => {
      const items = await library.items(kind, own.map(([, id]) => id), call)
      return own.flatMap(([id], at) => items[at] ? [{ id, item: source.renameItem(kind, items[at]) }] : [])
    })
    for (const { id, item } of parts.flat()) {
      const known = found.get(id)
      found.set(id, known === undefined ? item : mergeItems(known, item))
    }
    return ids.map(id => found.get(id))
  }

  async currentIds (
    kind: LibraryKind, ids: readonly string[], call: LibraryCall
  ): Promise<ReadonlyMap<string, string>> {
    const parts = await this.#each([...new Set(ids.flatMap(idsIn))], async ({ source, library }, own) => {
      const changed = await library.currentIds?.(kind, own.map(([, id]) => id), call)
      return own.flatMap(([id, before]) => {
        const now = changed?.get(before)
        return now === undefined ? [] : [[id, source.rename(now)] as const]
      })
    })
    const current = new Map(parts.flat())
    return new Map(ids.filter(id => idsIn(id).some(part => current.has(part)))
      .map(id => [id, mergedId(idsIn(id).map(part => current.get(part) ?? part))]))
  }

  async facets (kind: LibraryKind, call: LibraryCall): Promise<LibraryFacets> {
    const all = await Promise.all(this.#all.map(({ library }) => library.facets(kind, call)))
    const composers = all.flatMap(({ composers = [] }) => composers)
    return {
      total: all.reduce((sum, { total }) => sum + total, 0),
      sorts: all[0]!.sorts.filter(sort => all.every(({ sorts }) => sorts.includes(sort))),
      letters: [...new Set(all.flatMap(({ letters }) => letters))].sort((a, b) => compareKeys(sortKey(a), sortKey(b))),
      years: [...new Set(all.flatMap(({ years }) => years))].sort((a, b) => b - a),
      genres: byName<LibraryGenre>(all.flatMap(({ genres }) => genres), (a, b) =>
        ({ name: a.name, tracks: a.tracks + b.tracks, albums: a.albums + b.albums })),
      ...composers.length > 0 && {
        composers: byName<LibraryComposer>(composers, (a, b) => ({ name: a.name, tracks: a.tracks + b.tracks }))
      }
    }
  }

  /** Calls each source with its share of the ids, as pairs of combination id and source id. */
  async #each<T> (
    ids: readonly string[],
    ask: (listed: ListedSource, own: readonly (readonly [id: string, own: string])[]) => Promise<T[]>
  ): Promise<T[][]> {
    return Promise.all(this.#sources.map(async listed => {
      const own = ids.flatMap(id => {
        const there = listed.source.own(id)
        return there === undefined ? [] : [[id, there] as const]
      })
      return own.length > 0 ? ask(listed, own) : []
    }))
  }
}

/** Merges items whose folded names are equal, in the order of names. */
function byName<T extends { readonly name: string }> (all: readonly T[], sum: (a: T, b: T) => T): T[] {
  const found = new Map<string, T>()
  for (const item of all) {
    const key = foldText(item.name)
    const known = found.get(key)
    found.set(key, known === undefined ? item : sum(known, item))
  }
  return [...found.values()].sort((a, b) => compareKeys(sortKey(a.name), sortKey(b.name)))
}
