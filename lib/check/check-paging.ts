import { operations, type Operation } from '../operations.ts'
import { callOperation } from './call-operation.ts'
import type { Inspection } from './inspection.ts'
import type { RuleId } from './rules.ts'

/** Small, so that a small source has several pages too. */
const limit = 2
const maximumPages = 4

interface Page { items?: { id?: unknown }[], tracks?: { id?: unknown }[], offset?: unknown, limit?: unknown, hasMore?: unknown }

/** Walks the pages of every operation that has them, and asks for few tracks where that can be asked. */
export async function checkPaging (inspection: Inspection): Promise<void> {
  const readable = operations.filter(({ adapterMethod }) => inspection.good.has(adapterMethod) && inspection.wants(adapterMethod))
  await Promise.all(readable.map(async operation => {
    if (operation.parameters.includes('offset')) await walkPages(inspection, operation)
    if (operation.parameters.includes('trackLimit')) await limitTracks(inspection, operation)
  }))
}

async function walkPages (inspection: Inspection, operation: Operation): Promise<void> {
  const { adapterMethod: name } = operation
  const seen = new Set<unknown>()
  let before: Page | undefined
  for (let offset = 0; offset < limit * maximumPages; offset += limit) {
    const outcome = await callOperation(inspection, operation, { ...inspection.good.get(name), offset, limit })
    const find = (rule: RuleId, message: string) => inspection.find(rule, outcome, message)
    const page = outcome.data as Page | undefined
    const items = page?.items ?? page?.tracks
    if (page === undefined || !Array.isArray(items)) return
    const ids = items.map(item => item?.id).filter(id => typeof id === 'string')
    for (const [member, asked] of Object.entries({ offset, limit })) {
      const given = page[member as 'offset' | 'limit']
      if (typeof given !== 'number' || given === asked) continue
      inspection.find('page-echo', { ...outcome, path: `/data/${member}` }, `${member} is ${given}`)
    }
    if (items.length > limit) return find('page-too-long', `has ${items.length} items`)
    if (before?.hasMore === true && items.length === 0) return find('page-has-more', 'is empty though hasMore was true before it')
    const known = ids.filter(id => seen.has(id))
    if (known.length > 0) {
      return known.length === ids.length && offset === limit
        ? find('page-offset', 'gave the first page again')
        : find('page-repeats', `gave ${known.join(', ')} again`)
    }
    if (before?.hasMore === false && items.length > 0) {
      return find('page-ends-early', `has ${items.length} items though hasMore was false before it`)
    }
    if (items.length === 0 || (before !== undefined && page.hasMore === false)) return
    for (const id of ids) seen.add(id)
    before = page
  }
}

async function limitTracks (inspection: Inspection, operation: Operation): Promise<void> {
  const good = inspection.good.get(operation.adapterMethod)
  const outcome = await callOperation(inspection, operation, { ...good, trackLimit: 1 })
  const { tracks } = (outcome.data ?? {}) as Page
  if (Array.isArray(tracks) && tracks.length > 1) inspection.find('track-limit', outcome, `gave ${tracks.length} tracks`)
}
