import { sdkVersion } from '../../text/sdk-version.ts'
import type { Finding, OperationName } from '../probe/findings.ts'
import { checkedOperations, type Inspection, type NotLoaded, type Sampled } from '../probe/inspection.ts'

/** `not run`: a write operation. `not checked`: no item to check it with, or the check stopped early. */
export type OperationOutcome = 'ok' | 'warning' | 'broken' | 'not offered' | 'not run' | 'not checked'

export interface Report {
  /** The base URL of the source. */
  readonly source: string
  /** The version of this package. */
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
  /**
   * Audio and pictures on other servers that were not checked, because an app was called without a socket: up to three
   * of each kind. A check with a client of the running source loads them.
   */
  readonly notLoaded: readonly NotLoaded[]
  /**
   * The numbers of known tracks, albums, artists, playlists and toplists, and of items requested by id, by tag. The
   * same number of URLs of audio, and of each kind of picture, was loaded. The option `samples` raises it.
   */
  readonly sampled: Readonly<Record<string, Sampled>>
}

/** Creates the report of an inspection, limited to the wanted operations. */
export function makeReport (inspection: Inspection, source: string): Report {
  const wanted = checkedOperations.filter(({ name }) => inspection.wants(name))
  const order = wanted.map(({ name }) => name)
  const findings = inspection.findings.list.toSorted((a, b) => order.indexOf(a.operation) - order.indexOf(b.operation))
  return {
    source,
    version: sdkVersion,
    outcome: levelOf(findings),
    operations: wanted.map(({ name, method, path }) => {
      const found = findings.filter(({ operation }) => operation === name)
      const served = inspection.served.get(name)
      const unwritten = inspection.status?.stateless === true ? 'not offered' : 'not run'
      const unseen = method === 'GET' ? 'not checked' : unwritten
      const outcome = found.length > 0 ? levelOf(found) : served === 'served' ? 'ok' : served ?? unseen
      return { operation: name, method, path, outcome }
    }),
    findings,
    notLoaded: inspection.notLoaded,
    sampled: inspection.sampled
  }
}

const levelOf = (findings: readonly Finding[]) =>
  findings.some(({ level }) => level === 'broken') ? 'broken' : findings.length > 0 ? 'warning' : 'ok'
