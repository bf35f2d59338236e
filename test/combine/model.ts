import {
  UnsupportedFeatureError, operations, type AdapterMethod, type Operation
} from 'fastify-source-origin'
import { combineSources, type CombineOptions } from 'fastify-source-origin/combine'
import { idsIn, mergedId } from '../../lib/combine/combined-ids.ts'
import { partialOf } from '../../lib/contract/partial.ts'
import type { Random } from '../campaigns/support/random.ts'
import { pageOf, sourceOf } from './helper.ts'

// Random sources, what any operation has to answer for them by a plain merge of arrays, and what it answers.

interface Item { readonly id: string, readonly name: string }

/** How a source answers. */
interface Ways {
  /** Items of a page at most, and at least. */
  readonly most: number
  readonly least: number
  /** It says that there is more behind its end. */
  readonly lies: boolean
  /** What it does from a call on. */
  readonly breaks: 'not' | 'fails' | 'hangs' | 'refuses'
  readonly from: number
  readonly isSlow: boolean
}

interface Leaf { readonly id: string, readonly items: readonly Item[], readonly ways: Ways }

/** A source, or a combination of some. */
export interface Node extends Partial<Leaf> { readonly id: string, readonly parts?: readonly Node[] }

const titles = Array.from({ length: 30 }, (_empty, at) => `title ${at}`)
const names = ['x', 'X ', 'xy', 'y', 'z', 'Émile', '']

/** @param most items of a source */
function randomLeaf (random: Random, id: string, most: number, mayBreakLater: boolean): Leaf {
  const sizes = [0, 1, 2, 19, 20, 21, 99, 100, 101, random.below(most + 1), random.below(most + 1)]
  const count = Math.min(most, random.pick(sizes))
  const same = random.pick(['', random.pick(names)])
  const nameOf = (at: number) => same || (random.chance(0.5) ? random.pick(names) : `title ${at % 40}`)
  return {
    id,
    items: Array.from({ length: count }, (_empty, at) => ({ id: `${at}`, name: nameOf(at) })),
    ways: {
      ...randomBreak(random, mayBreakLater),
      most: random.chance(0.3) ? 1 + random.below(30) : Infinity,
      least: random.chance(0.1) ? random.below(60) : 1,
      lies: random.chance(0.1),
      isSlow: random.chance(0.1)
    }
  }
}

function randomBreak (random: Random, mayBreakLater: boolean): Pick<Ways, 'breaks' | 'from'> {
  if (!random.chance(0.25)) return { breaks: 'not', from: 0 }
  const breaks = random.pick(['fails', 'hangs', 'refuses'] as const)
  return { breaks, from: breaks !== 'refuses' && mayBreakLater && random.chance(0.5) ? 1 + random.below(4) : 0 }
}

/** A few sources, some of which are combinations. */
export function randomNodes (random: Random, most: number, depth = 0): Node[] {
  return Array.from({ length: 2 + random.below(3) }, (_empty, at) => {
    const id = `s${depth}${at}`
    return random.chance(0.2) && depth < 2
      ? { id, parts: randomNodes(random, most, depth + 1) }
      : randomLeaf(random, id, most, depth === 0)
  })
}

const inTurns = <T>(lists: readonly (readonly T[])[]): T[] => {
  const merged: T[] = []
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  for (let turn = 0; turn < longest; turn++) {
    merged.push(...lists.flatMap(list => turn < list.length ? [list[turn]!] : []))
  }
  return merged
}

const isOwn = new Set<AdapterMethod>([
  'getPlaylistCategories', 'getToplist', 'getUserPlaylist', 'userFavoriteTracks', 'userArtists', 'userAlbums'
])

const isExact = ({ name }: Item) => name.trim().toLowerCase() === 'x'

/** The lists of several sources as one. */
function merged (row: Operation, lists: readonly (readonly Item[])[], isAlone: boolean): Item[] {
  if (isOwn.has(row.adapterMethod) || row.adapterMethod.endsWith('Detail')) return lists.flat()
  if (!row.parameters.includes('keyword') || isAlone) return inTurns(lists)
  if (row.adapterMethod === 'searchSuggest') {
    const all = inTurns(lists)
    const most = Math.max(0, ...lists.map(({ length }) => length))
    return [...all.filter(isExact), ...all.filter(item => !isExact(item))].slice(0, most)
  }
  const parts = lists.map(list => {
    const first = list.flatMap((item, place) => isExact(item) && place < 20 ? [{ item, place }] : [])
    return { first, rest: list.filter((item, place) => !isExact(item) || place >= 20) }
  })
  const exact = parts.flatMap(({ first }) => first).sort((a, b) => a.place - b.place).map(({ item }) => item)
  return [...exact, ...inTurns(parts.map(({ rest }) => rest))]
}

const isOut = ({ ways }: Leaf) => ways.breaks !== 'not' && ways.from === 0
/** What of a source answers. */
const rests = ({ parts, ...leaf }: Node): boolean => parts === undefined ? !isOut(leaf as Leaf) : parts.some(rests)

/** The list of a source, with the ids that the combination gives it. */
function listOf (row: Operation, node: Node): Item[] {
  const list = node.parts === undefined ? node.items! : mergeOf(row, node.parts)
  return list.map(item => ({ ...item, id: `${node.id}:${item.id}` }))
}

/** @param out ids of sources that have no part in it */
function mergeOf (row: Operation, nodes: readonly Node[], out: readonly string[] = []): Item[] {
  const asked = nodes.filter(node => rests(node) && !out.includes(node.id))
  return merged(row, asked.map(node => listOf(row, node)), nodes.length === 1)
}

/** Sources within others that fail always. */
function deepMissing (nodes: readonly Node[]): string[] {
  return nodes.flatMap(({ id, parts = [] }) => [
    ...parts.flatMap(part => part.parts === undefined && isOut(part as Leaf) && part.ways!.breaks !== 'refuses'
      ? [part.id]
      : part.parts !== undefined && !rests(part) && hasFailed(part) ? [part.id] : []),
    ...deepMissing(parts.filter(rests))
  ].map(inner => `${id}:${inner}`))
}

/** Whether a source that gives nothing fails, and not only refuses. */
const hasFailed = ({ parts, ways }: Node): boolean =>
  parts === undefined ? ways!.breaks !== 'refuses' : parts.some(hasFailed)

const itemsOf = (items: readonly Item[]) => items.map(({ id, name }) => ({
  id, name, title: name, label: name, key: id, artists: [], album: { id: '', name: '', coverUrl: '' }, durationMs: 1
}))

/** What a leaf answers to any operation. */
function adapterOf ({ items, ways }: Leaf): Record<string, (...args: any[]) => unknown> {
  const all = itemsOf(items)
  const answer = ({ adapterMethod, parameters }: Operation, args: any[]): unknown => {
    const [offset, limit] = ['offset', 'limit'].map(name => args[parameters.indexOf(name)])
    if (limit !== undefined) {
      const page = pageOf(all, offset, Math.max(ways.least, Math.min(limit, ways.most)))
      return { ...page, hasMore: page.hasMore || ways.lies }
    }
    if (adapterMethod === 'searchSuggest') return { songs: all, artists: all.slice(0, 3), albums: [] }
    if (adapterMethod.endsWith('Detail')) return { id: '1', name: 'x', coverUrl: '', tracks: all }
    return all
  }
  return Object.fromEntries(operations.map(row => {
    let calls = 0
    return [row.adapterMethod, async (...args: any[]) => {
      if (ways.isSlow) await new Promise(setImmediate)
      if (ways.breaks !== 'not' && calls++ >= ways.from) {
        if (ways.breaks === 'hangs') return new Promise(() => {})
        throw ways.breaks === 'refuses' ? new UnsupportedFeatureError() : new Error('broken')
      }
      return answer(row, args)
    }]
  }))
}

/** A combination of the sources, made anew: a source breaks from a call on. */
function combinationOf (nodes: readonly Node[], options: CombineOptions = {}): Record<string, any> {
  return combineSources(nodes.map(({ parts, ...leaf }) => {
    const { id, ways } = leaf
    const timeout = ways?.breaks === 'hangs' ? 5 : 0
    return sourceOf(id, parts === undefined ? adapterOf(leaf as Leaf) : combinationOf(parts), { timeout })
  }), options).adapter
}

/** Operations that several sources answer together, with the kind of their answers. */
export const together = operations.filter(({ method, adapterMethod: name }) =>
  method === 'GET' && !['getTrackDetail', 'getTrackUrl', 'getTrackLyrics', 'getUserMe'].includes(name) &&
  !['getPlaylistCategories', 'getToplist', 'getToplistTracks', 'getPlaylistDetail'].includes(name))

/** An id of something that each source has. */
const commonId = (nodes: readonly Node[]): string =>
  mergedId(nodes.map(({ id, parts }) => `${id}:${parts === undefined ? '1' : commonId(parts)}`))

const idsOf = (list: readonly Item[]) => list.map(({ id }) => id).join()

/**
 * Asks for one page of an operation, or for its list.
 *
 * @throws where the answer is not that part of the plain merge of what its sources have
 */
export async function tryOperation (
  random: Random, nodes: readonly Node[], { row, offset, limit }: { row: Operation, offset: number, limit: number }
): Promise<void> {
  const { adapterMethod: name, parameters } = row
  const trackLimit = random.pick([-1, 0, 1, 50])
  const given: Record<string, unknown> = { keyword: 'x', id: commonId(nodes), offset, limit, trackLimit }
  const call = async () => combinationOf(nodes)[name](...parameters.map(parameter => given[parameter]))
  if (!nodes.some(rests)) return expectFailure(call)
  const answer = await call().catch((error: Error) => error)
  const isPaged = parameters.includes('limit')
  const missing = answer instanceof Error ? [] : [...partialOf(answer)]
  const out = missing.filter(id => !id.includes(':'))
  const mayBreak = nodes.filter(node => rests(node) ? (node.ways?.breaks ?? 'not') !== 'not' : hasFailed(node))
  const must = nodes.filter(node => !rests(node) && hasFailed(node)).map(({ id }) => id)
  if (answer instanceof Error) {
    if (nodes.filter(rests).every(node => mayBreak.includes(node))) return
    throw answer
  }
  const deep = deepMissing(nodes.filter(rests).filter(({ id }) => !out.includes(id)))
  const isAllowed = out.every(id => mayBreak.some(node => node.id === id))
  check('those that lack', isAllowed && must.every(id => out.includes(id)))
  check('parts', String(missing.filter(id => id.includes(':')).sort()) === String(deep.sort()))
  const all = mergeOf(row, nodes, out)
  if (isPaged) {
    check('items', idsOf(answer.items) === idsOf(all.slice(offset, offset + limit)))
    check('hasMore', answer.hasMore === (offset + limit < all.length))
  } else if (name === 'searchSuggest') {
    check('songs', idsOf(answer.songs) === idsOf(all))
  } else if (name.endsWith('Detail')) {
    check('tracks', idsOf(answer.tracks) === idsOf(trackLimit < 0 ? all : all.slice(0, trackLimit)))
  } else check('list', idsOf(answer) === idsOf(all))

  function check (what: string, holds: boolean): void {
    if (holds) return
    const found = idsOf(answer.items ?? answer.tracks ?? answer.songs ?? answer)
    const seen = { name, offset, limit, what, missing, out, must, deep, found, expected: idsOf(all) }
    throw new Error(`${JSON.stringify(seen)}\n${JSON.stringify(nodes)}`)
  }
}

async function expectFailure (call: () => Promise<unknown>): Promise<void> {
  const answer = await call().catch(() => undefined)
  if (answer !== undefined) throw new Error(`Answered ${JSON.stringify(answer)}`)
}

/**
 * Reads a search in which what is the same is one.
 *
 * @throws where a page is not that part of the list, each of which stands for the first of its kind
 */
export async function tryMerged (random: Random, sizes: readonly number[], limit: number): Promise<void> {
  const lists = sizes.map(size => Array.from({ length: size }, () => random.pick(titles)))
  const sources = lists.map((list, at) => sourceOf(`s${at}`, {
    searchTracks: (_keyword: string, offset: number, limit: number) =>
      pageOf(itemsOf(list.map((name, place) => ({ id: `${place}`, name }))), offset, limit, 1 + random.below(60))
  }))
  const { searchTracks } = combineSources(sources, { duplicates: 'merge' }).adapter as Record<string, any>
  const groups: { title: string, ids: string[] }[] = []
  for (const [at, id, title] of inTurns(lists.map((list, at) =>
    list.map((title, place) => [at, `s${at}:${place}`, title] as const)))) {
    const known = groups.find(group => group.title === title && !group.ids.some(id => id.startsWith(`s${at}:`)))
    if (known === undefined) groups.push({ title, ids: [id] })
    else known.ids.push(id)
  }
  for (let [offset, hasMore] = [0, true]; hasMore; offset += limit) {
    const page = await searchTracks('no name', offset, limit)
    const expected = groups.slice(offset, offset + limit)
    const isRight = page.items.length === expected.length && page.items.every((item: Item, at: number) => {
      const { ids, title } = expected[at]!
      const found = idsIn(item.id)
      return item.name === title && found.includes(ids[0]!) && found.every(id => ids.includes(id))
    })
    hasMore = page.hasMore
    if (!isRight || hasMore !== (offset + limit < groups.length)) {
      throw new Error(`Merged, offset ${offset}, limit ${limit}: ${idsOf(page.items)} ${JSON.stringify(lists)}`)
    }
  }
}
