import type { ServiceStatus, Status } from '../../schemas/index.ts'
import { capabilities } from '../capabilities.ts'
import { operations, sdkPaths } from '../operations.ts'
import type { SourceAdapter } from '../source-adapter.ts'
import { checkConnection, type Connection } from './check-connection.ts'
import { readEnvelope, readServiceStatus } from './read-envelope.ts'
import { requestOf, sendRequest, type SourceRequest } from './send-request.ts'

export interface SourceClientOptions {
  /** http or https URL of the origin, with the prefix that its routes have, nothing after it: `https://music.example/prefix`. */
  baseUrl: string
  /** The `Authorization` header as the origin was given it. Without it only `serviceStatus` works. */
  authorization?: string
  /** Instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch
  /** Milliseconds that one call may take, its body included; 0 = no limit. Default: 30000. */
  timeout?: number
  /** Aborts every call of this client; a call then throws the signal's reason. */
  signal?: AbortSignal
}

type Methods = Required<SourceAdapter>

type RemoteMethods = {
  readonly [M in keyof Methods]: (...args: Parameters<Methods[M]>) => Promise<Awaited<ReturnType<Methods[M]>>>
}

/** A complete `SourceAdapter` whose methods ask an origin, and what an origin says of itself. Frozen; no method needs `this`. */
export interface SourceClient extends RemoteMethods {
  /** What the origin offers to this caller (`GET /v1/status`). */
  status (): Promise<Status>
  /** Whether the service is up; public (`GET /status`). */
  serviceStatus (): Promise<ServiceStatus>
  /**
   * An adapter with the methods behind the capabilities that the origin declares now, and those that no capability stands for:
   * these may answer 501.
   */
  offered (): Promise<SourceAdapter>
}

const connections = new WeakMap<object, Connection>()

/** Where a client of `createSourceClient` sends to, `undefined` for anything else. */
export const connectionOf = (client: object): Connection | undefined => connections.get(client)

/**
 * The operations table from the other side: every method of `SourceAdapter`, answered by a running origin.
 *
 * Calls throw the SDK's error classes: that of the answer's status, with its code and message; `UpstreamError` when there is no
 * connection or the answer has no envelope; `TimeoutError` after `timeout`. Redirects are followed; `fetch` takes the
 * authorization off when one leads to another origin. Answers are not checked against the schemas.
 *
 * @throws TypeError for an option that cannot work
 * @see protocol.md, Operations, Envelope and Errors
 */
export function createSourceClient (options: SourceClientOptions): SourceClient {
  const connection = checkConnection(options)
  const ask = (request: SourceRequest, read = readEnvelope) => sendRequest(connection, request, read)
  const methods = Object.fromEntries(operations.map(operation =>
    [operation.adapterMethod, async (...args: unknown[]) => ask(requestOf(operation, args))]))

  const client = {
    ...methods,
    status: () => ask({ method: 'GET', path: sdkPaths.status }),
    serviceStatus: () => ask({ method: 'GET', path: sdkPaths.serviceStatus }, readServiceStatus),
    offered: async () => pickOffered(client, (await client.status()).capabilities)
  } as SourceClient
  connections.set(client, connection)
  return Object.freeze(client)
}

function pickOffered (client: SourceClient, declared: readonly string[]): SourceAdapter {
  const offered = operations.filter(({ adapterMethod }) => {
    const behind = capabilities.filter(({ methods }) => methods.includes(adapterMethod))
    return behind.length === 0 || behind.some(({ name }) => declared.includes(name))
  })
  return Object.fromEntries(offered.map(({ adapterMethod }) => [adapterMethod, client[adapterMethod]]))
}
