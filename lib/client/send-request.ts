import { withTimeout } from '../async/with-timeout.ts'
import { SourceError, TimeoutError, UpstreamError } from '../contract/errors.ts'
import type { Operation } from '../contract/operations.ts'
import type { Connection } from './connection.ts'

export interface SourceRequest {
  readonly method: 'GET' | 'POST'
  /** The path with the query, if there is one. */
  readonly path: string
  /** The body as a JSON string. */
  readonly body?: string
  /** Additional headers of this request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Creates the request of an operation. `undefined` arguments are omitted (docs/reference/contract.md, Operations). */
export function requestOf ({ method, path, parameters }: Operation, args: readonly unknown[]): SourceRequest {
  const given = parameters.map((name, index) => [name, args[index]] as const).filter(([, value]) => value !== undefined)
  if (method === 'POST') return { method, path, body: JSON.stringify(Object.fromEntries(given)) }
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
  return { method, path: path + (query && `?${query}`) }
}

/** Returns the name of a request for messages, without the query, which may be private. */
export const nameOf = ({ method, path }: SourceRequest) => `${method} ${path.split('?')[0]}`

/**
 * Sends one request and reads its response, both within the timeout.
 *
 * @throws UpstreamError if the connection fails; TimeoutError; the signal's reason; the error of `read`
 */
export async function sendRequest<T> (
  { baseUrl, authorization, fetch, timeout, maxBody, signal }: Connection,
  request: SourceRequest,
  read: (request: SourceRequest, response: Response, maxBody: number) => Promise<T>
): Promise<T> {
  const error = () => new TimeoutError(`${nameOf(request)}: no answer within ${timeout} ms`)
  return withTimeout(async controller => {
    try {
      return await read(request, await fetch(baseUrl + request.path, {
        ...request,
        headers: {
          accept: 'application/json',
          ...(request.body && { 'content-type': 'application/json' }),
          ...(authorization && { authorization }),
          ...request.headers
        },
        signal: controller.signal
      }), maxBody)
    } catch (cause) {
      if (cause instanceof SourceError) throw cause
      throw new UpstreamError(`${nameOf(request)}: no connection to the source`, { cause })
    }
  }, { timeout, signal, error })
}
