import type { TSchema } from '@sinclair/typebox'
import { requestOf } from '../../client/internal.ts'
import type { Operation } from '../../contract/operations.ts'
import { schemasOf } from '../../contract/schemas-of.ts'
import { answeredOperations, callOperation, sendable, unknownId } from '../probe/call-operation.ts'
import type { Inspection } from '../probe/inspection.ts'
import { expectStatus } from '../probe/check-answer.ts'
import type { RuleId } from '../rules.ts'

type Parameters = Record<string, unknown>

/** A value that is in no list of a source. */
const foreign = 'no-such-value-4f1c'

/**
 * Sends every operation that reads what it must refuse and what it must accept (docs/reference/contract.md,
 * Operations).
 */
export async function checkParameters (inspection: Inspection): Promise<void> {
  const readable = answeredOperations(inspection)
  await Promise.all(readable.flatMap(operation => {
    const { properties, required } = schemasOf(operation.adapterMethod).parameters
    return [
      accept(inspection, operation, 'parameter-unknown', foreign, '1'),
      ...Object.entries<TSchema>(properties).flatMap(([name, rule]) => [
        ...refusals(inspection, operation, name, rule, required!.includes(name)),
        ...(name in operation.offeredBy ? [offered(inspection, operation, name)] : [])
      ]),
      ...(required!.includes('id') ? [unknown(inspection, operation)] : [])
    ]
  }))
}

/** Replaces a parameter; with more than one value it is repeated, with none it is left out. */
function askWith (
  inspection: Inspection, operation: Operation, good: Parameters, name: string, values: readonly unknown[]
) {
  const { [name]: _replaced, ...rest } = good
  const request = requestOf(operation, operation.parameters.map(parameter => rest[parameter]))
  const query = values.map(value => `${name}=${encodeURIComponent(String(value))}`).join('&')
  const separator = query === '' ? '' : request.path.includes('?') ? '&' : '?'
  return inspection.ask(operation.adapterMethod, { method: 'GET', path: request.path + separator + query })
}

async function refuse (
  inspection: Inspection,
  operation: Operation,
  rule: RuleId,
  name: string,
  values: readonly unknown[],
  more: Parameters = {}
): Promise<void> {
  const good = { ...inspection.good.get(operation.adapterMethod), ...more }
  expectStatus(inspection, await askWith(inspection, operation, good, name, values), 400, rule, ` to a bad ${name}`)
}

function refusals (
  inspection: Inspection, operation: Operation, name: string, rule: TSchema, required: boolean
): Promise<void>[] {
  const no = (id: RuleId, values: readonly unknown[], more?: Parameters) =>
    refuse(inspection, operation, id, name, values, more)
  const asked = inspection.good.get(operation.adapterMethod)![name]
  if (required) {
    return [
      no('parameter-missing', []),
      no('parameter-blank', [' ']),
      no('parameter-repeated', [asked, asked]),
      accept(inspection, operation, 'parameter-not-trimmed', name, ` ${asked} `)
    ]
  }
  if (rule.type === 'integer') {
    return [
      no('parameter-not-integer', ['x']),
      no('parameter-not-integer', ['1.5']),
      no('parameter-too-small', [rule.minimum - 1]),
      ...(rule.maximum === undefined ? [] : [no('parameter-too-large', [rule.maximum + 1])])
    ]
  }
  const [sort] = inspection.status?.playlistSortOptions ?? []
  const isChoice = rule.anyOf !== undefined && sort !== undefined
  return isChoice ? [no('parameter-not-one-of', [foreign], { sort: sendable(sort.key) })] : []
}

/** Sends a value that must be accepted. */
async function accept (
  inspection: Inspection, operation: Operation, rule: RuleId, name: string, value: string
): Promise<void> {
  const answer = await askWith(inspection, operation, inspection.good.get(operation.adapterMethod)!, name, [value])
  if (answer !== undefined && answer.status >= 400) inspection.find(rule, answer, `answered ${answer.status}`)
}

/** Every key that the status lists must be accepted, and no other. */
async function offered (inspection: Inspection, operation: Operation, name: string): Promise<void> {
  const list = inspection.status?.[operation.offeredBy[name]!] ?? []
  if (list.length === 0) return
  const kind = name as 'quality' | 'sort'
  await refuse(inspection, operation, `${kind}-unknown`, name, [foreign])
  const good = inspection.good.get(operation.adapterMethod)
  for (const { key } of list) {
    // A track may be impossible to play in this quality.
    const outcome = await callOperation(inspection, operation, { ...good, [name]: sendable(key) }, [400, 404, 422])
    if (outcome.status === 400) inspection.find(`${kind}-refused`, outcome, 'answered 400')
  }
}

async function unknown (inspection: Inspection, operation: Operation): Promise<void> {
  expectStatus(inspection, await askWith(inspection, operation, {}, 'id', [unknownId]), 404, 'unknown-id')
}
