import { withTimeout } from '../async/with-timeout.ts'
import { SourceError, TimeoutError, UpstreamError } from '../contract/errors.ts'
import type { Operation } from '../contract/operations.ts'
import type { Connection } from './connection.ts'

export interface SourceRequest {
  readonly method: 'GET' | 'POST'
  /** With the query, if there is one. */
  readonly path: string
  /** JSON text. */
  readonly body?: string
  /** Besides those of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * The request of an operation; arguments that are `undefined` are left out (docs/reference/contract.md, Operations).
 */
export function requestOf ({ method, path, parameters }: Operation, args: readonly unknown[]): SourceRequest {
  const given = parameters.map((name, index) => [name, args[index]] as const).filter(([, value]) => value !== undefined)
  if (method === 'POST') return { method, path, body: JSON.stringify(Object.fromEntries(given)) }
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
  return { method, path: path + (query && `?${query}`) }
}

/** The name of a request in messages. The query is left out, since it may be private. */
export const nameOf = ({ method, path }: SourceRequest) => `${method} ${path.split('?')[0]}`

/**
 * Sends one request and reads its answer, both within the timeout.
 *
 * @throws UpstreamError when the connection fails; TimeoutError; the signal's reason; what `read` throws
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
