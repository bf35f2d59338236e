import type { Operation } from '../../contract/operations.ts'
import { schemasOf } from '../../contract/schemas-of.ts'
import { callOperation, idsIn, type Called } from '../probe/call-operation.ts'
import type { Find } from '../probe/findings.ts'
import type { Inspection } from '../probe/inspection.ts'

/** A small limit, so that a small source also has several pages. */
const smallLimit = 2

/** The maximum number of consecutive pages that are requested. */
const maximumPages = 4

/** An offset past the end of every list. */
const farOffset = 1_000_000

/** The path of the number of all tracks. */
const countPath = '/data/trackCount'

interface Page {
  readonly outcome: Called
  readonly items: readonly { id?: unknown }[]
  /** The ids of the items, without values that are not strings. */
  readonly ids: readonly string[]
  readonly hasMore: unknown
  /** The number of all tracks, of details that have pages. */
  readonly trackCount: unknown
}

/** Requests pages of every paged operation, and a few tracks if their number can be limited. */
export async function checkPaging (inspection: Inspection): Promise<void> {
  await Promise.all(inspection.answered.map(async operation => {
    if (operation.parameters.includes('offset')) await new CheckedPages(inspection, operation).check()
    if (operation.parameters.includes('trackLimit')) await limitTracks(inspection, operation)
  }))
}

interface Walk {
  readonly ids: readonly string[]
  /** The number of items of the list, if all pages were read. */
  readonly total: number | undefined
  readonly first: Page | undefined
}

/** The pages of one operation. */
class CheckedPages {
  readonly #inspection: Inspection
  readonly #operation: Operation
  readonly #find: Find

  constructor (inspection: Inspection, operation: Operation) {
    this.#inspection = inspection
    this.#operation = operation
    this.#find = inspection.find
  }

  async check (): Promise<void> {
    const few = await this.#walk(smallLimit)
    if (few === undefined || !await this.#checkOrder(few.ids)) return
    const { maximum } = schemasOf(this.#operation.adapterMethod).parameters.properties.limit!
    const walk = await this.#walk(maximum)
    if (walk === undefined) return
    if (walk.total !== undefined) await this.#lookAtEnd(walk.total, Math.min(walk.total, maximum))
    this.#compareCounts([few, walk])
    await this.#lookBehindEnd()
  }

  /** Requests a page. Returns `undefined` if the response is not a page, or has a finding. */
  async #getPage (offset: number, limit: number, tolerated?: readonly number[]): Promise<Page | undefined> {
    const good = this.#inspection.good.get(this.#operation.adapterMethod)
    const outcome = await callOperation(this.#inspection, this.#operation, { ...good, offset, limit }, tolerated)
    const data = (outcome.data ?? {}) as Record<string, unknown>
    const items = (data.items ?? data.tracks) as Page['items']
    if (!Array.isArray(items)) {
      if (tolerated?.includes(outcome.status)) this.#find('page-behind-end', outcome, `answered ${outcome.status}`)
      return undefined
    }
    for (const [member, asked] of Object.entries({ offset, limit })) {
      const given = data[member]
      if (typeof given !== 'number' || given === asked) continue
      this.#find('page-echo', { ...outcome, path: `/data/${member}` }, `${member} is ${given}`)
    }
    if (items.length > limit) {
      this.#find('page-too-long', outcome, `has ${items.length} items`)
      return undefined
    }
    const ids = items.map(item => item?.id).filter(id => typeof id === 'string')
    return { outcome, items, ids, hasMore: data.hasMore, trackCount: data.trackCount }
  }

  /** Requests pages until a page has no items. Returns `undefined` if there is a finding. */
  async #walk (limit: number): Promise<Walk | undefined> {
    const seen = new Set<string>()
    let total = 0
    let isWhole = false
    let first: Page | undefined
    let before: Page | undefined
    for (let offset = 0; offset < limit * maximumPages; offset += limit) {
      const page = await this.#getPage(offset, limit)
      if (page === undefined) return undefined
      const { outcome, items, ids } = page
      if (items.length === 0) {
        isWhole = before?.hasMore !== true
        if (isWhole) break
        this.#find('page-has-more', outcome, 'is empty although hasMore was true on the page before')
        return undefined
      }
      const known = ids.filter(id => seen.has(id))
      if (known.length > 0) {
        const isFirst = known.length === ids.length && offset === limit
        if (isFirst) this.#find('page-offset', outcome, 'is the first page again')
        else this.#find('page-repeats', outcome, `has ${known.join(', ')} again`)
        return undefined
      }
      if (before?.hasMore === false) {
        const seen = `has ${items.length} items although hasMore was false on the page before`
        this.#find('page-ends-early', outcome, seen)
        return undefined
      }
      for (const id of ids) seen.add(id)
      total += items.length
      first ??= page
      before = page
    }
    return { ids: [...seen], total: isWhole ? total : undefined, first }
  }

  /** Checks that all pages have the same number of all tracks, which is theirs if all were read. */
  #compareCounts ([few, { first, total }]: readonly [Walk, Walk]): void {
    const expected = total ?? first?.trackCount
    const wrong = [few.first, first].find(page => typeof page?.trackCount === 'number' && page.trackCount !== expected)
    if (wrong === undefined) return
    const seen = `has the trackCount ${wrong.trackCount} of ${expected} tracks`
    this.#find('track-count', { ...wrong.outcome, path: countPath }, seen)
  }

  /** Requests the last page. A full last page need not be followed by another. */
  async #lookAtEnd (total: number, limit: number): Promise<void> {
    if (total === 0) return
    const last = await this.#getPage(total - limit, limit)
    if (last?.hasMore !== true) return
    const behind = await this.#getPage(total, limit)
    const seen = `ends at the last of ${total} items and says that another page follows`
    if (behind?.items.length === 0) this.#find('page-has-more', last.outcome, seen)
  }

  /** Requests the first page again, then from the second item on. @returns whether the items keep their order */
  async #checkOrder (ids: readonly string[]): Promise<boolean> {
    const first = await this.#getPage(0, smallLimit)
    if (first === undefined) return false
    if (first.ids.some((id, index) => id !== ids[index])) {
      const before = ids.slice(0, smallLimit).join(', ')
      this.#find('page-unstable', first.outcome, `has ${first.ids.join(', ')}, and before ${before}`)
      return false
    }
    if (ids.length < 2) return true
    const second = await this.#getPage(1, smallLimit)
    if (second === undefined) return false
    if (second.ids[0] === ids[1]) return true
    this.#find('page-offset', second.outcome, `begins with ${second.ids[0] ?? 'nothing'} instead of ${ids[1]}`)
    return false
  }

  async #lookBehindEnd (): Promise<void> {
    const page = await this.#getPage(farOffset, smallLimit, [400, 404, 422])
    if (page === undefined) return
    const { outcome, items, hasMore } = page
    if (items.length > 0) this.#find('page-behind-end', outcome, `has ${items.length} items`)
    else if (hasMore === true) this.#find('page-has-more', outcome, 'is empty and says that another page follows')
  }
}

async function limitTracks (inspection: Inspection, operation: Operation): Promise<void> {
  const good = inspection.good.get(operation.adapterMethod)
  const { maximum } = schemasOf(operation.adapterMethod).parameters.properties.trackLimit!
  const ask = async (trackLimit: number) => {
    const outcome = await callOperation(inspection, operation, { ...good, trackLimit })
    const data = outcome.data as { tracks?: { length?: number }, trackCount?: unknown } | undefined
    return { outcome, count: Number(data?.tracks?.length), trackCount: data?.trackCount, ids: idsIn(data) }
  }
  const [one, all, decided] = [await ask(1), await ask(maximum), await ask(-1)]
  if (one.count > 1) inspection.find('track-limit', one.outcome, `has ${one.count} tracks`)
  else if (one.count === 1 && one.ids[0] !== all.ids[0]) {
    inspection.find('tracks-unstable', one.outcome, `has ${one.ids[0]}, which is not the first of ${all.ids[0]}, …`)
  }
  if (decided.count === all.count - 1) {
    inspection.find('track-limit-default', decided.outcome, `has ${decided.count} of ${all.count} tracks, all but one`)
  }
  const both = Math.min(all.ids.length, decided.ids.length)
  if (all.ids.slice(0, both).join() !== decided.ids.slice(0, both).join()) {
    const seen = `has ${decided.ids.join(', ')}, and before ${all.ids.join(', ')}`
    inspection.find('tracks-unstable', decided.outcome, seen)
  }
  const { count, trackCount } = all
  if (typeof trackCount !== 'number') return
  if (trackCount !== count && count !== maximum) {
    const seen = `has ${count} tracks, and trackCount is ${trackCount}`
    return inspection.find('track-count', { ...all.outcome, path: countPath }, seen)
  }
  if (typeof one.trackCount !== 'number' || one.trackCount === trackCount) return
  const seen = `has the trackCount ${one.trackCount} of ${trackCount} tracks`
  inspection.find('track-count', { ...one.outcome, path: countPath }, seen)
}
