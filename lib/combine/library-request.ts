import { readEnvelope, sendRequest, withinOrigin, type Connection } from '../client/internal.ts'
import { UnsupportedFeatureError } from '../contract/errors.ts'
import { pathHeader } from '../contract/path-header.ts'

/** A part of the library of another source, as far as the source respects the format. */
export interface LibraryPart {
  readonly revision?: unknown
  readonly missing?: unknown
  readonly items?: unknown
  readonly hasMore?: unknown
}

/** Statuses of a source that does not have the route. */
const unsupported = new Set([404, 405, 501])

/** Requests a part of a library. Parameters may be lists. */
export type RequestPart = (parameters: Readonly<Record<string, string | number | readonly string[]>>) =>
Promise<LibraryPart>

/**
 * Returns a function that requests parts of the library of another source, by the route of its page.
 *
 * @param page the path of the page, below the address of the connection
 * @param path the ids of the sources that the requests come through
 * @returns a function that throws UnsupportedFeatureError if the source does not have the route
 */
export function libraryRequest (connection: Connection, page: string, path: readonly string[]): RequestPart {
  const own = { ...connection, fetch: withinOrigin(connection.fetch) }
  const headers = { [pathHeader]: path.join(', ') }
  return parameters => {
    const pairs = Object.entries(parameters)
      .flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)]))
    const request =
      { method: 'GET', path: `${page}page/library?${new URLSearchParams(pairs)}`, headers } as const
    return sendRequest(own, request, async (request, response, maxBody) => {
      try {
        return await readEnvelope(request, response, maxBody)
      } catch (cause) {
        throw unsupported.has(response.status)
          ? new UnsupportedFeatureError('It does not offer its library', { cause })
          : cause
      }
    })
  }
}
