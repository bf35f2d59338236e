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
 * A complete `SourceAdapter` whose methods ask an origin, and what the origin says about itself. Frozen; no method
 * needs `this`.
 */
export interface SourceClient extends RemoteMethods {
  /** What the origin offers to this caller (`GET /v1/status`). A list that an older origin leaves out is empty. */
  status (): Promise<Status>
  /** Whether the service is up; needs no authorization (`GET /status`). */
  serviceStatus (): Promise<ServiceStatus>
  /**
   * The origin as a source of another one: members of a context. Its adapter has the methods that the origin declares,
   * under the names of older versions too, and those that no capability stands for; where the origin does not offer one
   * of these, it throws UnsupportedFeatureError. Its errors are written for listeners: what is wrong between the two
   * sources, a refused token as well, is an UpstreamError or a TimeoutError that names the host of the origin.
   */
  offered (options?: OfferedOptions): Promise<OfferedSource>
}

type Read<T = unknown> = (request: SourceRequest, response: Response, maxBody: number) => Promise<T>

const connections = new WeakMap<object, Connection>()

/** The connection of a client that `createSourceClient` made, `undefined` for anything else. */
export const connectionOf = (client: object): Connection | undefined => connections.get(client)

/**
 * A client of a running origin, with every method of `SourceAdapter`.
 *
 * Calls throw the package's error classes: the class of the answer's status, with its code and message; `UpstreamError`
 * when the connection fails, the answer has no envelope, or its URL of audio is not http or https; `TimeoutError` after
 * `timeout`. Redirects are followed within the origin. Answers are not validated against the schemas.
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
