import type { ServiceStatus, Status } from '../../schemas/index.ts'
import { withHandled } from '../async/handled.ts'
import { capabilities } from '../contract/capabilities.ts'
import { operations, serviceStatusPath, statusPath } from '../contract/operations.ts'
import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { OperationData, SourceAdapter } from '../contract/source-adapter.ts'
import { validateConnection, type Connection, type SourceClientOptions } from './connection.ts'
import { completeStatus, isDeclared } from './older-origins.ts'
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
   * An adapter with the methods that the origin declares now, under the names of older versions too. It also has the
   * methods that no capability stands for; where the origin does not offer one of these, it throws
   * UnsupportedFeatureError.
   */
  offered (): Promise<SourceAdapter>
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
  const methods = Object.fromEntries(operations.map(operation => {
    const read = operation.adapterMethod === 'getTrackUrl' ? readTrackUrl : readEnvelope
    return [operation.adapterMethod, async (...args: unknown[]) => ask(requestOf(operation, args), read)]
  }))

  const client = withHandled({
    ...methods,
    status: async () => completeStatus(await ask({ method: 'GET', path: statusPath }) as object),
    serviceStatus: () => ask({ method: 'GET', path: serviceStatusPath }, readServiceStatus),
    offered: async () => pickOffered(client, (await client.status()).capabilities)
  }) as SourceClient
  connections.set(client, connection)
  return Object.freeze(client)
}

type Method = (...args: unknown[]) => Promise<unknown>

function pickOffered (client: SourceClient, declared: readonly string[]): SourceAdapter {
  return Object.fromEntries(operations.flatMap(({ adapterMethod, parameters }) => {
    const behind = capabilities.filter(({ methods }) => methods.includes(adapterMethod))
    if (behind.length > 0 && !behind.some(({ name }) => isDeclared(declared, name))) return []
    const method = client[adapterMethod] as Method
    // A 404 for an id may be about the item, so only an operation without an id is known to be missing.
    return [[adapterMethod, behind.length > 0 || parameters.includes('id') ? method : refuseMissing(method)]]
  }))
}

const refuseMissing = (method: Method): Method => (...args) => method(...args).catch(error => {
  throw error instanceof NotFoundError ? new UnsupportedFeatureError(undefined, { cause: error }) : error
})
