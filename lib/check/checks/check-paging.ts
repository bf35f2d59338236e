import type { Operation } from '../../contract/operations.ts'
import { schemasOf } from '../../contract/schemas-of.ts'
import { answeredOperations, callOperation, type Called } from '../probe/call-operation.ts'
import type { Inspection } from '../probe/inspection.ts'

/** Small, so that a small source has several pages too. */
const smallLimit = 2

/** Pages that are requested one after another. */
const maximumPages = 4

/** An offset behind the end of every list. */
const farOffset = 1_000_000

interface Page {
  readonly outcome: Called
  readonly items: readonly { id?: unknown }[]
  /** The ids of the items, without those that are no strings. */
  readonly ids: readonly string[]
  readonly hasMore: unknown
}

/** Requests the pages of every operation that has them, and few tracks where their number can be limited. */
export async function checkPaging (inspection: Inspection): Promise<void> {
  const readable = answeredOperations(inspection)
  await Promise.all(readable.map(async operation => {
    if (operation.parameters.includes('offset')) await checkPages(inspection, operation)
    if (operation.parameters.includes('trackLimit')) await limitTracks(inspection, operation)
  }))
}

async function checkPages (inspection: Inspection, operation: Operation): Promise<void> {
  const few = await walkPages(inspection, operation, smallLimit)
  if (few === undefined || !await checkOrder(inspection, operation, few.ids)) return
  const { maximum } = schemasOf(operation.adapterMethod).parameters.properties.limit!
  const walk = await walkPages(inspection, operation, maximum)
  if (walk === undefined) return
  if (walk.total !== undefined) await lookAtEnd(inspection, operation, walk.total, Math.min(walk.total, maximum))
  await lookBehindEnd(inspection, operation)
}

/** Requests a page. `undefined` when it is no page, or has a finding. */
async function getPage (
  inspection: Inspection, operation: Operation, offset: number, limit: number, tolerated?: readonly number[]
): Promise<Page | undefined> {
  const good = inspection.good.get(operation.adapterMethod)
  const outcome = await callOperation(inspection, operation, { ...good, offset, limit }, tolerated)
  const data = (outcome.data ?? {}) as Record<string, unknown>
  const items = (data.items ?? data.tracks) as Page['items']
  if (!Array.isArray(items)) {
    if (tolerated?.includes(outcome.status)) inspection.find('page-behind-end', outcome, `answered ${outcome.status}`)
    return undefined
  }
  for (const [member, asked] of Object.entries({ offset, limit })) {
    const given = data[member]
    if (typeof given !== 'number' || given === asked) continue
    inspection.find('page-echo', { ...outcome, path: `/data/${member}` }, `${member} is ${given}`)
  }
  if (items.length > limit) {
    inspection.find('page-too-long', outcome, `has ${items.length} items`)
    return undefined
  }
  const ids = items.map(item => item?.id).filter(id => typeof id === 'string')
  return { outcome, items, ids, hasMore: data.hasMore }
}

interface Walk {
  readonly ids: readonly string[]
  /** Number of items of the list, where the walk has come to its end. */
  readonly total: number | undefined
}

/** Requests pages until one has no items. `undefined` when there is a finding. */
async function walkPages (inspection: Inspection, operation: Operation, limit: number): Promise<Walk | undefined> {
  const seen = new Set<string>()
  let total = 0
  let isWhole = false
  let before: Page | undefined
  for (let offset = 0; offset < limit * maximumPages; offset += limit) {
    const page = await getPage(inspection, operation, offset, limit)
    if (page === undefined) return undefined
    const { outcome, items, ids } = page
    if (items.length === 0) {
      isWhole = before?.hasMore !== true
      if (isWhole) break
      inspection.find('page-has-more', outcome, 'is empty although hasMore was true on the page before')
      return undefined
    }
    const known = ids.filter(id => seen.has(id))
    if (known.length > 0) {
      const isFirst = known.length === ids.length && offset === limit
      if (isFirst) inspection.find('page-offset', outcome, 'is the first page again')
      else inspection.find('page-repeats', outcome, `has ${known.join(', ')} again`)
      return undefined
    }
    if (before?.hasMore === false) {
      const seen = `has ${items.length} items although hasMore was false on the page before`
      inspection.find('page-ends-early', outcome, seen)
      return undefined
    }
    for (const id of ids) seen.add(id)
    total += items.length
    before = page
  }
  return { ids: [...seen], total: isWhole ? total : undefined }
}

/** Requests the page that ends where the list does: one that is full need not have another one behind it. */
async function lookAtEnd (
  inspection: Inspection, operation: Operation, total: number, limit: number
): Promise<void> {
  if (total === 0) return
  const last = await getPage(inspection, operation, total - limit, limit)
  if (last?.hasMore !== true) return
  const behind = await getPage(inspection, operation, total, limit)
  const seen = `ends at the last of ${total} items and says that another page follows`
  if (behind?.items.length === 0) inspection.find('page-has-more', last.outcome, seen)
}

/** Requests the first page again, then from the second item on. @returns whether the items keep their order */
async function checkOrder (inspection: Inspection, operation: Operation, ids: readonly string[]): Promise<boolean> {
  const first = await getPage(inspection, operation, 0, smallLimit)
  if (first === undefined) return false
  if (first.ids.some((id, index) => id !== ids[index])) {
    const before = ids.slice(0, smallLimit).join(', ')
    inspection.find('page-unstable', first.outcome, `has ${first.ids.join(', ')}, and before ${before}`)
    return false
  }
  if (ids.length < 2) return true
  const second = await getPage(inspection, operation, 1, smallLimit)
  if (second === undefined) return false
  if (second.ids[0] === ids[1]) return true
  inspection.find('page-offset', second.outcome, `begins with ${second.ids[0] ?? 'nothing'} instead of ${ids[1]}`)
  return false
}

async function lookBehindEnd (inspection: Inspection, operation: Operation): Promise<void> {
  const page = await getPage(inspection, operation, farOffset, smallLimit, [400, 404, 422])
  if (page === undefined) return
  const { outcome, items, hasMore } = page
  if (items.length > 0) inspection.find('page-behind-end', outcome, `has ${items.length} items`)
  else if (hasMore === true) inspection.find('page-has-more', outcome, 'is empty and says that another page follows')
}

async function limitTracks (inspection: Inspection, operation: Operation): Promise<void> {
  const good = inspection.good.get(operation.adapterMethod)
  const { maximum } = schemasOf(operation.adapterMethod).parameters.properties.trackLimit!
  const ask = async (trackLimit: number) => {
    const outcome = await callOperation(inspection, operation, { ...good, trackLimit })
    const data = outcome.data as { tracks?: { length?: number }, trackCount?: unknown } | undefined
    return { outcome, count: Number(data?.tracks?.length), trackCount: data?.trackCount }
  }
  const [one, all, decided] = [await ask(1), await ask(maximum), await ask(-1)]
  if (one.count > 1) inspection.find('track-limit', one.outcome, `has ${one.count} tracks`)
  if (decided.count === all.count - 1) {
    inspection.find('track-limit-default', decided.outcome, `has ${decided.count} of ${all.count} tracks, all but one`)
  }
  const { count, trackCount } = all
  if (typeof trackCount !== 'number' || trackCount === count || count === maximum) return
  inspection.find('track-count', all.outcome, `has ${count} tracks, and trackCount is ${trackCount}`)
}
