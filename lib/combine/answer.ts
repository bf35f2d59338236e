import type { Page } from '../async/page-reader.ts'
import { discard } from '../async/unawaited.ts'
import { isMadeBy } from '../contract/is-made-by.ts'
import { operationOf, type AdapterMethod } from '../contract/operations.ts'
import { markPartial } from '../contract/partial.ts'
import type { AskedSource } from './asked-source.ts'
import { allSettled, Gathering, SourceIsOut, type GatherOptions } from './gather.ts'
import { matchingFirst, takeTurns, isNamed } from './merge-lists.ts'
import { MergedPages } from './merge-pages.ts'
import { PagedSource } from './paged-source.ts'
import { mergeItems, mergeSame } from './same-items.ts'
import { shapeOf } from './shape-of.ts'

/** How answers of several sources become one. */
export interface AnswerOptions extends GatherOptions {
  /** Whether what is the same in several sources is one. Default: `keep`, each is another one. */
  readonly same?: 'keep' | 'merge' | undefined
}

/** A source, and what it is asked with. */
export interface Target { readonly source: AskedSource, readonly args: readonly unknown[] }

/** First items of each source among which those with the name that is searched for are looked for. */
const head = 20

/** Lists that stand one behind the other, since each has an order that means something. */
const inOrder = new Set<AdapterMethod>([
  'getPlaylistCategories', 'getToplist', 'getUserPlaylist', 'userFavoriteTracks', 'userArtists', 'userAlbums'
])

/** Members that tell whose a category or a group of toplists is, where several sources have some. */
const labels: Readonly<Record<string, string>> = { PlaylistCategory: 'label', ToplistGroup: 'name' }

/** The answer to one question to several sources, made by the shape of what they answer. */
export class Answer {
  readonly #method: AdapterMethod
  readonly #targets: readonly Target[]
  readonly #gathering: Gathering
  readonly #merges: boolean

  constructor (method: AdapterMethod, targets: readonly Target[], options: AnswerOptions) {
    this.#method = method
    this.#targets = targets
    this.#merges = options.same === 'merge'
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
      await allSettled(lists.map(list => list.open(wanted, keyword === undefined ? 0 : head, isNamed(String(keyword)))))
      return this.#part(new MergedPages(lists), item, offset, limit + 1)
    })
    return this.#whole({ items: items.slice(0, limit), offset, limit, hasMore: items.length > limit })
  }

  /**
   * Part of a list of all. To know what is the same as something before, all that is before is read: a deep page takes
   * as many calls as all pages up to it.
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

  #pagesOf ({ source, args }: Target, most: number): PagedSource<object> {
    const { parameters } = operationOf(this.#method)
    return new PagedSource((offset, limit) => this.#gathering.ask(source, args.map((value, at) =>
      parameters[at] === 'offset' ? offset : parameters[at] === 'limit' ? limit : value), (page: Page<object>) => {
      listIn(page, page?.items)
      return page
    }), most)
  }

  /** What is read of the sources, again without one that failed on the way: items of it would have no end. */
  async #withoutFailing<T> (read: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof SourceIsOut)) throw error
      }
    }
  }

  /** What each source answers, of those that do. */
  async #each<T> (
    read: (answer: any, source: AskedSource) => T | Promise<T>
  ): Promise<{ source: AskedSource, value: T }[]> {
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
    return this.#whole(this.#same(inOrder.has(this.#method) ? lists.flat() : takeTurns(lists), item))
  }

  /** A few of the best: as many as the source has that gives most. */
  async #lists (items: Readonly<Record<string, string>>): Promise<object> {
    const names = Object.keys(items)
    const answers = await this.#each(answer =>
      Object.fromEntries(names.map(name => [name, listIn(answer, answer?.[name])])))
    const isExact = isNamed(String(this.#argument('keyword')))
    return this.#whole(Object.fromEntries(names.map(name => {
      const lists = answers.map(({ value }) => value[name]!)
      const most = Math.max(0, ...lists.map(({ length }) => length))
      return [name, this.#same(matchingFirst(takeTurns(lists), isExact), items[name]!).slice(0, most)]
    })))
  }

  /** What several sources have: that of the first one, with the tracks and the qualities of all. */
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

  /** What the first source answers that does. */
  async #first (): Promise<unknown> {
    for (const { source, args } of this.#targets) {
      try {
        return await this.#gathering.ask(source, args, answer => answer)
      } catch {
        // The next one is asked.
      }
    }
    return this.#gathering.end()
  }

  #whole<T extends object> (data: T): T { return markPartial(data, this.#gathering.end()) }
}

/** @throws TypeError for what is no list, and has no part in a list of several sources */
function listIn (answer: unknown, list: unknown): readonly any[] {
  if (Array.isArray(list)) return list
  discard(answer)
  throw new TypeError('A source must answer with a list')
}

/**
 * Playlists of the account without who made them: the account is another person in each source, and who is asked for
 * its profile answers for one of them.
 */
async function withoutOwner (source: AskedSource, lists: readonly any[]): Promise<readonly any[]> {
  if (!source.has('getUserMe') || !lists.some(list => list?.creator)) return lists
  const account = await source.ask('getUserMe', []).catch(() => undefined)
  return lists.map(({ creator, ...list }) =>
    account && creator && isMadeBy(account, { creator }) ? list : { ...list, creator })
}
