import { SourceError, TimeoutError, UpstreamError } from '../errors.ts'
import type { Operation } from '../operations.ts'
import type { Connection } from './check-connection.ts'

export interface SourceRequest {
  readonly method: 'GET' | 'POST'
  /** With the query, if there is one. */
  readonly path: string
  /** JSON text. */
  readonly body?: string
}

/** The request of an operation; arguments that are `undefined` are left out (protocol.md, Operations). */
export function requestOf ({ method, path, parameters }: Operation, args: readonly unknown[]): SourceRequest {
  const given = parameters.map((name, index) => [name, args[index]] as const).filter(([, value]) => value !== undefined)
  if (method === 'POST') return { method, path, body: JSON.stringify(Object.fromEntries(given)) }
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
  return { method, path: query === '' ? path : `${path}?${query}` }
}

/** What a request is called in messages: its query may be private. */
export const nameOf = ({ method, path }: SourceRequest) => `${method} ${path.split('?')[0]}`

/**
 * Sends one request and reads its answer, all within the time-out.
 *
 * @throws UpstreamError without a connection; TimeoutError; the signal's reason; what `read` throws
 */
export async function sendRequest<T> (
  { baseUrl, authorization, fetch, timeout, signal }: Connection,
  request: SourceRequest,
  read: (request: SourceRequest, response: Response) => Promise<T>
): Promise<T> {
  const controller = new AbortController()
  const ended = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
  })
  const passOn = () => controller.abort(signal!.reason)
  if (signal?.aborted) passOn()
  signal?.addEventListener('abort', passOn)
  const timer = timeout === 0
    ? undefined
    : setTimeout(() => controller.abort(new TimeoutError(`${nameOf(request)}: no answer within ${timeout} ms`)), timeout)

  const answer = async () => read(request, await fetch(baseUrl + request.path, {
    method: request.method,
    body: request.body,
    headers: {
      accept: 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(authorization === undefined ? {} : { authorization })
    },
    signal: controller.signal
  }))
  // A fetch that does not mind the signal must not hold the caller either.
  return Promise.race([ended, answer()]).catch(error => {
    if (controller.signal.aborted) throw controller.signal.reason
    if (error instanceof SourceError) throw error
    throw new UpstreamError(`${nameOf(request)}: no connection to the source`, { cause: error })
  }).finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', passOn)
  })
}
