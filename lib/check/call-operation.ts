import { capabilities } from '../capabilities.ts'
import { requestOf } from '../client/send-request.ts'
import type { AdapterMethod, Operation } from '../operations.ts'
import type { Inspection, Place } from './inspection.ts'
import { dataSchemaOf, judgeError, judgeSuccess } from './judge-answer.ts'
import { addToPool } from './create-pool.ts'

/** What a call came to; `data` only where there is some. */
export interface Outcome extends Place {
  /** 0 when there is no answer to judge. */
  readonly status: number
  readonly data?: unknown
}

/** An id that no source has. */
export const unknownId = 'no-such-id-4f1c'

/**
 * Calls an operation with good parameters and judges its success.
 *
 * @param tolerated error statuses that are a good answer here
 */
export async function callOperation (
  inspection: Inspection, operation: Operation, parameters: Record<string, unknown>, tolerated: readonly number[] = []
): Promise<Outcome> {
  const { adapterMethod: name, stateful } = operation
  const answer = await inspection.ask(name, requestOf(operation, operation.parameters.map(parameter => parameters[parameter])))
  if (answer === undefined) return { operation: name, status: 0, request: '' }
  const { request, status } = answer
  const outcome: Outcome = { operation: name, request, status }
  if (status >= 400) {
    judgeError(inspection, answer)
    if (status === 501) noteMissing(inspection, name, outcome)
    else if (!tolerated.includes(status)) inspection.find('answer-error', answer, `answered ${status}: ${answer.text}`)
    return outcome
  }
  if (stateful && inspection.status?.stateless === true) {
    inspection.find('stateful-served', answer, `answered ${status} though the source says that it is stateless`)
    return outcome
  }
  const data = judgeSuccess(inspection, answer)
  noteServed(inspection, name, outcome)
  if (data === undefined) return outcome
  // What is made up for an id that was made up is no content of the source.
  if (parameters.id !== unknownId) inspection.seen.push({ operation: name, request, data })
  return { ...outcome, data }
}

const capabilitiesOf = (method: AdapterMethod) => capabilities.filter(({ methods }) => methods.includes(method))

function noteMissing (inspection: Inspection, name: AdapterMethod, place: Place): void {
  inspection.served.set(name, 'not offered')
  const declared = capabilitiesOf(name).filter(capability => inspection.status?.capabilities.includes(capability.name))
  // A stateless source that declares it is told so once, where it declares.
  if (declared.length === 0 || (declared[0]!.stateful && inspection.status!.stateless)) return
  inspection.find('declared-not-served', place, `answered 501 though ${declared.map(({ name }) => name).join(' and ')} is declared`)
}

function noteServed (inspection: Inspection, name: AdapterMethod, place: Place): void {
  inspection.served.set(name, 'served')
  if (inspection.status === undefined) return
  for (const capability of capabilitiesOf(name)) {
    // A capability of several methods needs all of them; one alone proves nothing.
    if (capability.methods.length > 1 || inspection.status.capabilities.includes(capability.name)) continue
    inspection.find('served-not-declared', place, `is answered though ${capability.name} is not declared`)
  }
}

/** Remembers what came, for later calls. */
export function remember (inspection: Inspection, operation: Operation, { data }: Outcome): void {
  if (data !== undefined) addToPool(inspection.pool, dataSchemaOf(operation.adapterMethod), data)
}
