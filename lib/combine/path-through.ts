import { pathHeader } from '../contract/path-header.ts'
import { invalidOption } from '../errors/author-errors.ts'

/** The maximum number of sources in the path of a request. */
const mostSources = 8

/** Returns whether a value is the id of a source in a path. */
export const isPathId = (id: unknown) => typeof id === 'string' && /^[\w-]{1,64}$/.test(id)

/**
 * Returns the path of a request with this source appended, for the requests that it causes. `undefined` if the request
 * has already passed this source, or eight others; respond to it without the sources of others.
 *
 * @param headers of the request
 * @param id of this source: unique, shared by all replicas, and stable across restarts; at most 64 letters, digits, `_`
 *   and `-`
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION
 */
export function pathThrough (
  headers: Readonly<Record<string, string | string[] | undefined>>, id: string
): readonly string[] | undefined {
  if (!isPathId(id)) throw invalidOption('id', '64 letters, digits, _ and - at most')
  const ids = String(headers[pathHeader] ?? '').split(',').map(id => id.trim()).filter(isPathId)
  return ids.includes(id) || ids.length >= mostSources ? undefined : [...ids, id]
}
