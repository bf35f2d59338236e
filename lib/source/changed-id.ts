import { longestId } from '../../schemas/common.ts'
import type { Operation } from '../contract/operations.ts'
import { plainOf } from './repair-value.ts'

/**
 * Returns the id of the item that a mutation changed, if there is one: an argument, or the id of the created playlist.
 *
 * @param data the return value of the adapter, of any type
 */
export function changedId (
  { parameters }: Operation, args: readonly unknown[], data: unknown
): string | undefined {
  const name = ['playlistId', 'id'].find(name => parameters.includes(name))
  try {
    const id = name === undefined ? Object(plainOf(data)).id : args[parameters.indexOf(name)]
    if (id === undefined) return undefined
    const text = String(id)
    return Buffer.byteLength(text) > longestId ? undefined : text
  } catch {
    return undefined
  }
}
