import { requestOf } from '../../client/internal.ts'
import { operationOf, type AdapterMethod } from '../../contract/operations.ts'
import type { Inspection } from '../probe/inspection.ts'
import { expectStatus } from '../probe/check-answer.ts'

/** Characters of a body that no source needs. */
const hugeLength = 2_000_000

/** Sends bodies that must be refused with 415 and 413. They have no parameter, so that they cannot change anything. */
export async function checkBodies (inspection: Inspection, method: AdapterMethod): Promise<void> {
  const request = { ...requestOf(operationOf(method), []), body: '{}' }
  const text = await inspection.ask(method, request, { headers: { 'content-type': 'text/plain' } })
  // The source does not have the operation.
  if (text === undefined || [404, 501].includes(text.status)) return
  expectStatus(inspection, text, 415, 'body-not-json')
  const huge = { ...request, body: JSON.stringify({ unknownMember: 'x'.repeat(hugeLength) }) }
  expectStatus(inspection, await inspection.attempt(method, huge), 413, 'body-too-large')
}
