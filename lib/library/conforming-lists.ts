import { schemasOf } from '../contract/schemas-of.ts'
import { compileReader, itemLists, wordsOf } from '../source/index.ts'
import type { LibraryLists } from './complete-items.ts'

const kinds = ['artists', 'albums', 'tracks'] as const

/**
 * Returns lists whose items conform to the contract. Invalid items are rejected in development. In production they are
 * repaired or left out, with a warning.
 *
 * @throws TypeError if a list is not an array; ContractError in development
 */
export function conformingLists (lists: LibraryLists): LibraryLists {
  const repairs: string[] = []
  const options = {
    validateResponses: process.env.NODE_ENV !== 'production',
    drifts: { note: (from: string, _path: string, reason: string) => { repairs.push(`${from}: ${reason}`) } }
  }
  const conform = (kind: keyof LibraryLists) => {
    const list: unknown = lists[kind]
    const from = `createLibrary({ ${kind} })`
    if (!Array.isArray(list)) throw new TypeError(`${from} must be an array, got ${wordsOf(list)}`)
    return compileReader(schemasOf(itemLists[kind]).data, { operation: from, ...options })(list)
  }
  const conforming = Object.fromEntries(kinds.map(kind => [kind, conform(kind)]))
  if (repairs.length > 0) {
    process.emitWarning(`${repairs.length} values of a library were repaired, the first one in ${repairs[0]}`, {
      type: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_LIBRARY'
    })
  }
  return conforming as unknown as LibraryLists
}
