import { NotFoundError } from '../contract/errors.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { upstreamError } from '../errors/upstream-error.ts'

/**
 * Returns the path of a request with encoded values: ``path`/songs/${id}` `` is `/songs/a%3Fb` for the id `a?b`, which
 * would otherwise begin a query.
 *
 * @throws NotFoundError for an id that cannot be part of a path: an empty one, and `.` and `..`, which would change the
 * path; SOURCE_ORIGIN_ERR_INVALID_OPTION for a value that is neither a string nor a number
 */
export function path (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return values.reduce<string>((text, value, index) => text + encode(value) + parts[index + 1]!, parts[0]!)
}

function encode (value: string | number): string {
  if (typeof value !== 'string' && !Number.isFinite(value)) throw invalidOption('path', 'made of texts and numbers')
  if (['', '.', '..'].includes(String(value))) throw noSuchId()
  try {
    return encodeURIComponent(value)
  } catch {
    // A lone surrogate.
    throw noSuchId()
  }
}

const noSuchId = () => upstreamError(NotFoundError, 'No path has such an id')
