import { checkConnection } from '../client/check-connection.ts'
import { connectionOf, type SourceClient } from '../client/create-source-client.ts'
import { sdkVersion } from '../sdk-version.ts'
import { callOperations } from './call-operations.ts'
import { checkAccess } from './check-access.ts'
import { checkContent } from './check-content.ts'
import { checkMedia } from './check-media.ts'
import { checkPaging } from './check-paging.ts'
import { checkParameters } from './check-parameters.ts'
import { checkStatus } from './check-status.ts'
import { checkWrites } from './check-writes.ts'
import { createProbe } from './create-probe.ts'
import { createInjectFetch, injectOrigin, type Injectable } from './inject-fetch.ts'
import { checkedOperations, Inspection, type Finding, type OperationName } from './inspection.ts'

interface CommonOptions {
  /** Tags (`track`, `search`) or operations (`getTrackUrl`) to look at. Default: all. */
  only?: readonly string[]
  /** What to search for when no list of the source gives a name. Default: some words that most catalogues have. */
  keyword?: string
  /** Try the operations that write too, and undo what they did. Default: false. */
  write?: boolean
  /** Milliseconds that one request may take. Default: 10000. */
  timeout?: number
  /** Requests at the same time. Default: 4, so that a small server is not hurt. */
  concurrency?: number
  /** Ends the check: `checkSource` then throws its reason. */
  signal?: AbortSignal
  /** Called before each request. */
  onProgress?: (operation: OperationName) => void
}

/** What to check: a client of a running origin, or a Fastify instance, which is asked without a socket. */
export type CheckOptions = CommonOptions & (
  | { client: SourceClient, app?: undefined }
  | { app: Injectable, client?: undefined, authorization?: string, prefix?: string }
)

/** In titles of many languages. */
const commonKeywords = ['love', 'a', 'e', 'o', '的', 'の']

/** `not run`: it writes. `not checked`: nothing was there to try it with, or the check stopped before. */
export type OperationOutcome = 'ok' | 'warning' | 'broken' | 'not offered' | 'not run' | 'not checked'

export interface Report {
  /** Base URL of what was checked. */
  readonly source: string
  /** Version of this package. */
  readonly version: string
  readonly outcome: 'ok' | 'warning' | 'broken'
  readonly operations: readonly {
    readonly operation: OperationName
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly outcome: OperationOutcome
  }[]
  /** In the order of the operations. */
  readonly findings: readonly Finding[]
}

/**
 * Walks a source origin as a client would, and holds every answer against the contract (protocol.md).
 *
 * @throws TypeError for an option that cannot work; UpstreamError or TimeoutError when nothing can be reached; UnauthorizedError when
 * the source refuses the token
 */
export async function checkSource (options: CheckOptions): Promise<Report> {
  const { only = [], write = false, timeout = 10_000, concurrency = 4, signal, onProgress = () => {} } = options
  if (!Number.isInteger(concurrency) || concurrency < 1) throw new TypeError('Option "concurrency" must be a whole number from 1')
  const wanted = checkedOperations.filter(({ name, tag }) =>
    only.length === 0 || tag === 'status' || only.includes(tag) || only.includes(name))
  const unknown = only.find(name => !checkedOperations.some(operation => operation.tag === name || operation.name === name))
  if (unknown !== undefined) throw new TypeError(`Option "only": there is no tag or operation ${unknown}`)
  const names = new Set(wanted.map(({ name }) => name))

  const connection = checkConnection({ ...connectionFor(options), timeout, signal })
  const probe = createProbe(connection, options.app === undefined ? undefined : injectOrigin)
  const inspection = new Inspection(probe, concurrency, name => names.has(name), onProgress)

  if (await checkStatus(inspection, probe)) {
    await checkAccess(inspection, probe.baseUrl)
    await callOperations(inspection, options.keyword === undefined ? commonKeywords : [options.keyword])
    checkContent(inspection)
    await checkPaging(inspection)
    await checkParameters(inspection)
    await checkMedia(inspection)
    if (write && inspection.status?.stateless === false) await checkWrites(inspection)
  }
  return reportOf(inspection, probe.baseUrl, wanted)
}

function connectionFor (options: CheckOptions) {
  if (options.app !== undefined) {
    const { app, authorization, prefix = '' } = options
    return { baseUrl: injectOrigin + prefix, authorization, fetch: createInjectFetch(app) }
  }
  const connection = connectionOf(options.client ?? {})
  if (connection === undefined) throw new TypeError('Give "client", made by createSourceClient, or "app", a Fastify instance')
  return connection
}

function reportOf (inspection: Inspection, source: string, wanted: typeof checkedOperations): Report {
  const order = wanted.map(({ name }) => name)
  const findings = inspection.findings.toSorted((a, b) => order.indexOf(a.operation) - order.indexOf(b.operation))
  const levelOf = (found: readonly Finding[]) =>
    found.some(({ level }) => level === 'broken') ? 'broken' : found.length > 0 ? 'warning' : 'ok'
  return {
    source,
    version: sdkVersion,
    outcome: levelOf(findings),
    operations: wanted.map(({ name, method, path }) => {
      const found = findings.filter(({ operation }) => operation === name)
      const served = inspection.served.get(name)
      const unseen = method === 'GET' ? 'not checked' : inspection.status?.stateless === true ? 'not offered' : 'not run'
      const outcome = found.length > 0 ? levelOf(found) : served === 'served' ? 'ok' : served ?? unseen
      return { operation: name, method, path, outcome }
    }),
    findings
  }
}
