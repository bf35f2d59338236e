import type { Page } from '../async/page-reader.ts'
import { discard } from '../async/unawaited.ts'
import { isMadeBy } from '../contract/is-made-by.ts'
import { operationOf, type AdapterMethod } from '../contract/operations.ts'
import { markPartial } from '../contract/partial.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import { allSettled, Gathering, SourceIsOut, type GatherOptions } from './gather.ts'
import { matchingFirst, roundRobin, matchesName } from './merge-lists.ts'
import { MergedPages } from './merge-pages.ts'
import { PagedList } from './paged-list.ts'
import { mergeItems, mergeSame } from './same-items.ts'
import { shapeOf } from './shape-of.ts'

/** Options that control how responses of several sources are merged. */
export interface AnswerOptions extends GatherOptions {
  /** `merge` combines duplicates from several sources into one item; `keep` lists them separately. Default: `keep`. */
  readonly duplicates?: 'keep' | 'merge' | undefined
}

/** A source, and the arguments of its call. */
export interface Target { readonly source: NamespacedSource, readonly args: readonly unknown[] }

/** The number of first items of each source that are searched for exact name matches. */
const head = 20

/** Operations whose lists are concatenated, since the order of each list has a meaning. */
const inOrder = new Set<AdapterMethod>([
  'getPlaylistCategories', 'getToplist', 'getUserPlaylist', 'userFavoriteTracks', 'userArtists', 'userAlbums'
])

/** Properties to which the source's name is added if several sources have categories or groups of toplists. */
const labels: Readonly<Record<string, string>> = { PlaylistCategory: 'label', ToplistGroup: 'name' }

/** The merged response of several sources to one call. The merge depends on the shape of the responses. */
export class Answer {
  readonly #method: AdapterMethod
  readonly #targets: readonly Target[]
  readonly #gathering: Gathering
  readonly #merges: boolean

  constructor (method: AdapterMethod, targets: readonly Target[], options: AnswerOptions) {
    this.#method = method
    this.#targets = targets
    this.#merges = options.duplicates === 'merge'
    this.#gathering = new Gathering(method, options)
  }

  async read (): Promise<unknown> {
    const shape = shapeOf(this.#method)
    switch (shape.kind) {
      case 'page': return this.#page(shape.item, shape.most)
      case 'list': return this.#list(shape.item)
      case 'lists': return this.#lists(shape.items)
      case 'detail': return this.#detail()
      default: return this.#method === 'getTrackDetail' ? this.#detail() : this.#first()
    }
  }

  async #page (item: string, most: number): Promise<object> {
    const [offset, limit] = [Number(this.#argument('offset')), Number(this.#argument('limit'))]
    const keyword = this.#argument('keyword')
    const wanted = offset === 0 ? Math.min(limit + 1, most) : 0
    const all = this.#targets.map(target => ({ target, pages: this.#pagesOf(target, most) }))
    const items = await this.#withoutFailing(async () => {
      const lists = all.filter(({ target }) => !this.#gathering.isOut(target.source)).map(({ pages }) => pages)
      await allSettled(
        lists.map(list => list.open(wanted, keyword === undefined ? 0 : head, matchesName(String(keyword))))
      )
      return this.#part(new MergedPages(lists), item, offset, limit + 1)
    })
    return this.#whole({ items: items.slice(0, limit), offset, limit, hasMore: items.length > limit })
  }

  /**
   * Returns a part of a merged list. Finding duplicates requires all items before the part: a deep page takes as many
   * calls as all pages up to it.
   */
  async #part (all: MergedPages<object>, item: string, offset: number, count: number): Promise<object[]> {
    if (!this.#merges) return all.read(offset, count)
    const wanted = offset + count
    let most = wanted
    let items = await all.read(0, most)
    let merged = this.#same(items, item)
    while (merged.length < wanted && items.length === most) {
      most *= 2
      items = await all.read(0, most)
      merged = this.#same(items, item)
    }
    return merged.slice(offset, wanted)
  }

  #same (items: readonly any[], item: string): any[] {
    return this.#merges ? mergeSame(items, item, this.#targets[0]!.source.ids) : [...items]
  }

  #argument (name: string): unknown {
    return this.#targets[0]!.args[operationOf(this.#method).parameters.indexOf(name)]
  }

  #pagesOf ({ source, args }: Target, most: number): PagedList<object> {
    const { parameters } = operationOf(this.#method)
    return new PagedList((offset, limit) => this.#gathering.ask(source, args.map((value, at) =>
      parameters[at] === 'offset' ? offset : parameters[at] === 'limit' ? limit : value), (page: Page<object>) => {
      listIn(page, page?.items)
      return page
    }), most)
  }

  /** Repeats a read without sources that fail during it: a list with items of a failed source would be incomplete. */
  async #withoutFailing<T> (read: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof SourceIsOut)) throw error
      }
    }
  }

  /** Returns the response of each source that responds. */
  async #each<T> (
    read: (answer: any, source: NamespacedSource) => T | Promise<T>
  ): Promise<{ source: NamespacedSource, value: T }[]> {
    const answers = await Promise.all(this.#targets.map(async ({ source, args }) => {
      try {
        return [{ source, value: await this.#gathering.ask(source, args, answer => read(answer, source)) }]
      } catch {
        return []
      }
    }))
    return answers.flat()
  }

  async #list (item: string): Promise<object> {
    const isOwn = this.#method === 'getUserPlaylist'
    const answers = await this.#each(async (answer, source) => {
      const list = listIn(answer, answer)
      return isOwn ? withoutOwner(source, list) : list
    })
    const label = labels[item]
    const lists = answers.map(({ source, value }) => label === undefined || answers.length === 1
      ? value
      : value.map(entry => typeof entry?.[label] === 'string'
        ? { ...entry, [label]: `${entry[label]} · ${source.name}` }
        : entry))
    return this.#whole(this.#same(inOrder.has(this.#method) ? lists.flat() : roundRobin(lists), item))
  }

  /** Merges lists of best matches. Their length is the length of the longest list of one source. */
  async #lists (items: Readonly<Record<string, string>>): Promise<object> {
    const names = Object.keys(items)
    const answers = await this.#each(answer =>
      Object.fromEntries(names.map(name => [name, listIn(answer, answer?.[name])])))
    const isExact = matchesName(String(this.#argument('keyword')))
    return this.#whole(Object.fromEntries(names.map(name => {
      const lists = answers.map(({ value }) => value[name]!)
      const most = Math.max(0, ...lists.map(({ length }) => length))
      return [name, this.#same(matchingFirst(roundRobin(lists), isExact), items[name]!).slice(0, most)]
    })))
  }

  /** Merges duplicates: the first source's item, with the tracks and the qualities of all. */
  async #detail (): Promise<object> {
    const answers = await this.#each(answer => answer)
    if (answers.length === 0) this.#gathering.end()
    const whole = answers.map(({ value }) => value).reduce((first, other) => ({
      ...mergeItems(first, other),
      ...Array.isArray(first.tracks) && { tracks: this.#same([...first.tracks, ...other.tracks], 'Track') }
    }))
    const most = Number(this.#argument('trackLimit') ?? -1)
    return this.#whole(most < 0 ? whole : { ...whole, tracks: whole.tracks.slice(0, most) })
  }

  /** Returns the first response that does not fail. */
  async #first (): Promise<unknown> {
    for (const { source, args } of this.#targets) {
      try {
        return await this.#gathering.ask(source, args, answer => answer)
      } catch {
        // The next source is called.
      }
    }
    return this.#gathering.end()
  }

  #whole<T extends object> (data: T): T { return markPartial(data, this.#gathering.end()) }
}

/** @throws TypeError if the response is not a list, so it cannot be merged */
function listIn (answer: unknown, list: unknown): readonly any[] {
  if (Array.isArray(list)) return list
  discard(answer)
  throw new TypeError('A source must answer with a list')
}

/**
 * Removes the account as owner of playlists: the account is another user in each source, and a profile request reaches
 * only one of them.
 */
async function withoutOwner (source: NamespacedSource, lists: readonly any[]): Promise<readonly any[]> {
  if (!source.has('getUserMe') || !lists.some(list => list?.creator)) return lists
  const account = await source.ask('getUserMe', []).catch(() => undefined)
  return lists.map(({ creator, ...list }) =>
    account && creator && isMadeBy(account, { creator }) ? list : { ...list, creator })
}
