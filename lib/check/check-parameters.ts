import type { TSchema } from '@sinclair/typebox'
import { requestOf } from '../client/send-request.ts'
import { operations, type Operation } from '../operations.ts'
import { schemasOf } from '../source-adapter.ts'
import { unknownId } from './call-operation.ts'
import { callOperation } from './call-operation.ts'
import type { Inspection } from './inspection.ts'
import { expectStatus } from './judge-answer.ts'
import type { RuleId } from './rules.ts'

type Parameters = Record<string, unknown>

/** A value that none of the lists of a source has. */
const foreign = 'no-such-value-4f1c'

/** Asks every operation that reads for what it must refuse, and for what it must not mind (protocol.md, Operations). */
export async function checkParameters (inspection: Inspection): Promise<void> {
  const readable = operations.filter(({ adapterMethod }) => inspection.good.has(adapterMethod) && inspection.wants(adapterMethod))
  await Promise.all(readable.flatMap(operation => {
    const { properties, required } = schemasOf(operation.adapterMethod).parameters
    return [
      accept(inspection, operation, 'parameter-unknown', foreign, '1'),
      ...Object.entries<TSchema>(properties).flatMap(([name, rule]) => [
        ...refusals(inspection, operation, name, rule, required!.includes(name)),
        ...(name in (operation.offeredBy ?? {}) ? [offered(inspection, operation, name)] : [])
      ]),
      ...(required!.includes('id') ? [unknown(inspection, operation)] : [])
    ]
  }))
}

/** Asks with a parameter replaced; more than one value = it comes more than once, none = it is left out. */
function askWith (inspection: Inspection, operation: Operation, good: Parameters, name: string, values: readonly unknown[]) {
  const { [name]: _replaced, ...rest } = good
  const request = requestOf(operation, operation.parameters.map(parameter => rest[parameter]))
  const query = values.map(value => `${name}=${encodeURIComponent(String(value))}`).join('&')
  const separator = query === '' ? '' : request.path.includes('?') ? '&' : '?'
  return inspection.ask(operation.adapterMethod, { method: 'GET', path: request.path + separator + query })
}

async function refuse (
  inspection: Inspection, operation: Operation, rule: RuleId, name: string, values: readonly unknown[], more: Parameters = {}
): Promise<void> {
  const good = { ...inspection.good.get(operation.adapterMethod), ...more }
  expectStatus(inspection, await askWith(inspection, operation, good, name, values), 400, rule, ` to a bad ${name}`)
}

function refusals (inspection: Inspection, operation: Operation, name: string, rule: TSchema, required: boolean): Promise<void>[] {
  const no = (id: RuleId, values: readonly unknown[], more?: Parameters) => refuse(inspection, operation, id, name, values, more)
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
  return rule.anyOf !== undefined && sort !== undefined ? [no('parameter-not-one-of', [foreign], { sort: sort.key })] : []
}

/** Asks with something that must not be minded. */
async function accept (inspection: Inspection, operation: Operation, rule: RuleId, name: string, value: string): Promise<void> {
  const answer = await askWith(inspection, operation, inspection.good.get(operation.adapterMethod)!, name, [value])
  if (answer !== undefined && answer.status >= 400) inspection.find(rule, answer, `answered ${answer.status}`)
}

/** What the source offers must be answered, and nothing else. */
async function offered (inspection: Inspection, operation: Operation, name: string): Promise<void> {
  const list = inspection.status?.[operation.offeredBy![name]!] ?? []
  if (list.length === 0) return
  const kind = name as 'quality' | 'sort'
  await refuse(inspection, operation, `${kind}-unknown`, name, [foreign])
  const good = inspection.good.get(operation.adapterMethod)
  for (const { key } of list) {
    // A track that cannot be played in this quality is no fault of the parameter.
    const outcome = await callOperation(inspection, operation, { ...good, [name]: key }, [400, 404, 422])
    if (outcome.status === 400) inspection.find(`${kind}-refused`, outcome, 'answered 400')
  }
}

async function unknown (inspection: Inspection, operation: Operation): Promise<void> {
  expectStatus(inspection, await askWith(inspection, operation, {}, 'id', [unknownId]), 404, 'unknown-id')
}
