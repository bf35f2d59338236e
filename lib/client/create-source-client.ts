import type { ServiceStatus, Status } from '../../schemas/index.ts'
import { withHandled } from '../async/handled.ts'
import { operations, serviceStatusPath, statusPath } from '../contract/operations.ts'
import { pathHeader } from '../contract/path-header.ts'
import type { OperationData, SourceAdapter } from '../contract/source-adapter.ts'
import { validateConnection, type Connection, type SourceClientOptions } from './connection.ts'
import { offeredSource, type OfferedOptions, type OfferedSource } from './offered-source.ts'
import { completeStatus } from './older-origins.ts'
import { readEnvelope, readServiceStatus, readTrackUrl } from './read-envelope.ts'
import { requestOf, sendRequest, type SourceRequest } from './send-request.ts'
import { withinOrigin } from './within-origin.ts'

type Methods = Required<Omit<SourceAdapter, 'library'>>

type RemoteMethods = {
  readonly [M in keyof Methods]: (...args: Parameters<Methods[M]>) =>
  Promise<M extends keyof OperationData ? OperationData[M] : Awaited<ReturnType<Methods[M]>>>
}

/**
 * A complete `SourceAdapter` whose methods call a source server, and methods for the server's status. Frozen; no method
 * needs `this`.
 */
export interface SourceClient extends RemoteMethods {
  /**
   * Returns the capabilities of the server for this caller (`GET /v1/status`). Lists that an older server omits are
   * empty.
   */
  status (): Promise<Status>
  /** Returns the status of the service; needs no authorization (`GET /status`). */
  serviceStatus (): Promise<ServiceStatus>
  /**
   * Returns the server as a source for another source: properties of a context. Its adapter has the methods that the
   * server declares, also under the names of older versions, and the methods without a capability. If the server does
   * not offer one of the latter, it throws UnsupportedFeatureError. Error messages are written for users: a problem
   * between the two sources, including a rejected token, is an UpstreamError or a TimeoutError that names the host of
   * the server.
   */
  offered (options?: OfferedOptions): Promise<OfferedSource>
}

type Read<T = unknown> = (request: SourceRequest, response: Response, maxBody: number) => Promise<T>

const connections = new WeakMap<object, Connection>()

/** Returns the connection of a client created by `createSourceClient`; `undefined` for any other object. */
export const connectionOf = (client: object): Connection | undefined => connections.get(client)

/**
 * Creates a client of a running source server, with every method of `SourceAdapter`.
 *
 * Calls throw the package's error classes: the class of the response status, with its code and message; `UpstreamError`
 * if the connection fails, the response has no envelope, or its audio URL is not http or https; `TimeoutError` after
 * `timeout`. Redirects are followed only to the same origin. Responses are not validated against the schemas.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION
 * @see docs/reference/contract.md, Operations, Envelope and Errors
 */
export function createSourceClient (options: SourceClientOptions): SourceClient {
  const connection = validateConnection(options)
  const own = { ...connection, fetch: withinOrigin(connection.fetch) }
  const ask = (request: SourceRequest, read: Read = readEnvelope) => sendRequest(own, request, read)
  const methodsBy = (headers?: Readonly<Record<string, string>>) => Object.fromEntries(operations.map(operation => {
    const read = operation.adapterMethod === 'getTrackUrl' ? readTrackUrl : readEnvelope
    const call = async (...args: unknown[]) => ask({ ...requestOf(operation, args), headers }, read)
    return [operation.adapterMethod, call]
  }))

  const client = withHandled({
    ...methodsBy(),
    status: async () => completeStatus(await ask({ method: 'GET', path: statusPath }) as object),
    serviceStatus: () => ask({ method: 'GET', path: serviceStatusPath }, readServiceStatus),
    offered: async ({ status, path = [] }: OfferedOptions = {}) => offeredSource(
      methodsBy(path.length > 0 ? { [pathHeader]: path.join(', ') } : undefined), status ?? await client.status(),
      path, new URL(connection.baseUrl).hostname)
  }) as SourceClient
  connections.set(client, connection)
  return Object.freeze(client)
}
