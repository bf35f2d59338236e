import { pathHeader } from '../contract/path-header.ts'
import { invalidOption } from '../errors/author-errors.ts'

/** Sources that a request may come through. */
const mostSources = 8

/** Whether a value is the id of a source in a path. */
export const isPathId = (id: unknown) => typeof id === 'string' && /^[\w-]{1,64}$/.test(id)

/**
 * The path of a request, with this source at its end, for the requests that it leads to; `undefined` for a request that
 * has come through this source before, or through eight others. That one is answered without the sources of others.
 *
 * @param headers of the request
 * @param id of this source: the same for all replicas and after a restart, another one than that of any other source;
 * 64 letters, digits, `_` and `-` at most
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION
 */
export function pathThrough (
  headers: Readonly<Record<string, string | string[] | undefined>>, id: string
): readonly string[] | undefined {
  if (!isPathId(id)) throw invalidOption('id', '64 letters, digits, _ and - at most')
  const ids = String(headers[pathHeader] ?? '').split(',').map(id => id.trim()).filter(isPathId)
  return ids.includes(id) || ids.length >= mostSources ? undefined : [...ids, id]
}
