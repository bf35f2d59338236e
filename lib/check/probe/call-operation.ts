import { isDeclared, requestOf } from '../../client/internal.ts'
import { capabilities, type Capability } from '../../contract/capabilities.ts'
import type { AdapterMethod, Operation } from '../../contract/operations.ts'
import type { Status } from '../../../schemas/index.ts'
import { isObject } from '../../options/is-object.ts'
import { checkError, checkSuccess } from './check-answer.ts'
import type { Location } from './findings.ts'
import type { Inspection } from './inspection.ts'

/** The result of a call. `data` is set only if the response contains data. */
export interface Called extends Location {
  /** 0 without a response. */
  readonly status: number
  readonly data?: unknown
}

/** Returns a string as a client sends it in a URL: lone surrogates are replaced. */
export const sendable = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd')

/** Returns the ids of a list, or of the items or tracks of an object; empty for other values. */
export function idsIn (data: unknown): unknown[] {
  const list = isObject(data) ? data.items ?? data.tracks : data
  return Array.isArray(list) ? list.map(item => item?.id) : []
}

/** A value that is in no list of a source, and a keyword without results. */
export const foreign = 'no-such-value-4f1c'

/** An id that no source has. */
export const unknownId = 'no-such-id-4f1c'

/**
 * Calls an operation with valid parameters and checks its success.
 *
 * @param tolerated error statuses that are acceptable here
 */
export async function callOperation (
  inspection: Inspection, operation: Operation, parameters: Record<string, unknown>, tolerated: readonly number[] = []
): Promise<Called> {
  const { adapterMethod: name, stateful } = operation
  const values = operation.parameters.map(parameter => parameters[parameter])
  const answer = await inspection.ask(name, requestOf(operation, values))
  if (answer === undefined) return { operation: name, status: 0, request: '' }
  const { request, status } = answer
  const outcome: Called = { operation: name, request, status }
  if (status === 404 && mayBeMissing(inspection, name)) {
    inspection.served.set(name, 'not offered')
    return outcome
  }
  if (status >= 400) {
    checkError(inspection.find, answer)
    if (status === 501) noteMissing(inspection, name, outcome)
    else if (!tolerated.includes(status)) {
      // The request id locates the cause in the log of the source.
      const id = answer.headers.get('x-request-id')
      const ofRequest = id === null ? '' : ` to request ${id}`
      inspection.find('answer-error', answer, `answered ${status}${ofRequest}: ${answer.text}`)
    }
    return outcome
  }
  if (stateful && inspection.status?.stateless === true) {
    inspection.find('stateful-served', answer, `answered ${status} although the status says stateless`)
    return outcome
  }
  const data = checkSuccess(inspection.find, answer)
  noteServed(inspection, name, outcome)
  if (data === undefined) return outcome
  // An item that the source invents for an unknown id is not its content.
  if (parameters.id !== unknownId) inspection.seen.push({ operation: name, request, data })
  return { ...outcome, data }
}

const capabilitiesOf = (method: AdapterMethod) => capabilities.filter(({ methods }) => methods.includes(method))

function declaredOf (status: Status | undefined, method: AdapterMethod): Capability[] {
  const declared = status?.capabilities ?? []
  return capabilitiesOf(method).filter(({ name }) => isDeclared(declared, name))
}

/**
 * Returns whether a 404 may mean that the source does not offer the operation (docs/reference/contract.md, Origins and
 * clients of older versions).
 */
function mayBeMissing (inspection: Inspection, name: AdapterMethod): boolean {
  const isKnown = inspection.status === undefined || inspection.served.get(name) === 'served'
  return !isKnown && declaredOf(inspection.status, name).length === 0
}

function noteMissing (inspection: Inspection, name: AdapterMethod, where: Location): void {
  inspection.served.set(name, 'not offered')
  const declared = declaredOf(inspection.status, name)
  // A stateless source that declares it already has a finding for its status.
  if (declared.length === 0 || (declared[0]!.stateful && inspection.status!.stateless)) return
  const names = declared.map(({ name }) => name).join(' and ')
  inspection.find('declared-not-served', where, `answered 501 although ${names} is declared`)
}

function noteServed (inspection: Inspection, name: AdapterMethod, where: Location): void {
  inspection.served.set(name, 'served')
  if (inspection.status === undefined) return
  const declared = declaredOf(inspection.status, name)
  for (const capability of capabilitiesOf(name)) {
    // A capability of several methods requires all of them, so one method proves nothing.
    if (capability.methods.length > 1 || declared.includes(capability)) continue
    inspection.find('served-not-declared', where, `answers although ${capability.name} is not declared`)
  }
}
