import type { AdapterMethod } from '../contract/operations.ts'
import { schemasOf } from '../contract/schemas-of.ts'
import { compileConforming, compileSafeProof } from '../source/compile-conforming.ts'
import type { DriftLog } from '../source/log-drift.ts'
import { isObject } from '../options/is-object.ts'

/**
 * Reads what an adapter method answered as the contract has it, mended as `/v1` does in production. Items that nobody
 * could ask for again are left out: one bad item never costs a page.
 *
 * @throws TypeError for what cannot be mended, and where a list is no list: apps delete what a list does not have
 */
export type ReadData = (method: AdapterMethod, data: unknown) => unknown

export function createDataReader (drifts: DriftLog): ReadData {
  const readers = new Map<AdapterMethod, (data: unknown) => unknown>()

  const compile = (method: AdapterMethod) => {
    const { data: schema } = schemasOf(method)
    const prove = compileSafeProof(schema)
    const isEssential = (path: string) => path === '/items' || path === '/tracks'
    const conform = compileConforming(schema, { operation: method, refuse: false, isEssential, drifts })
    return (data: unknown) => withUsableItems(prove(data) === 'no' ? conform(data) : data)
  }

  return (method, data) => {
    const read = readers.get(method) ?? compile(method)
    readers.set(method, read)
    return read(data)
  }
}

/** Blank ids are allowed for the artists and the album of a track only. */
const isUsable = (item: unknown): boolean => !isObject(item) || item.id !== ''

function withUsableItems (data: unknown): unknown {
  if (Array.isArray(data)) return data.every(isUsable) ? data : data.filter(isUsable)
  const members = data as Record<string, unknown>
  // The artists of a track may be without ids.
  const names = 'songs' in members ? ['songs', 'artists', 'albums'] : ['items', 'tracks']
  const bad = names.filter(name => Array.isArray(members[name]) && !members[name].every(isUsable))
  if (bad.length === 0) return data
  return { ...members, ...Object.fromEntries(bad.map(name => [name, (members[name] as unknown[]).filter(isUsable)])) }
}
