import { requestOf } from '../../client/internal.ts'
import { operationOf, operations, type AdapterMethod } from '../../contract/operations.ts'
import { callOperation, unknownId } from '../probe/call-operation.ts'
import { expectStatus } from '../probe/check-answer.ts'
import type { Inspection } from '../probe/inspection.ts'
import { AccountWrites } from './account-writes.ts'

/** The length of a body in characters that every source may reject. */
const hugeLength = 2_000_000

const writing = operations.filter(({ method }) => method === 'POST')

/**
 * Calls every write operation, with a temporary playlist and with favourites, and undoes its changes. A stateless
 * source must reject them all.
 */
export async function checkWrites (inspection: Inspection): Promise<void> {
  if (inspection.gaveUp) return
  const wanted = writing.filter(({ adapterMethod }) => inspection.wants(adapterMethod))
  // Without an id no favourite can change.
  const harmless = wanted.find(({ parameters }) => parameters.includes('status')) ?? wanted[0]
  if (harmless !== undefined) await checkBodies(inspection, harmless.adapterMethod)

  if (inspection.status?.stateless === false) {
    await new AccountWrites(inspection).check()
  } else if (inspection.status?.stateless === true) {
    const unknown = { id: unknownId, playlistId: unknownId, trackId: unknownId, name: 'Made by a check', status: false }
    for (const operation of wanted) {
      // A playlist created by the source could not be deleted.
      if (operation.adapterMethod !== 'createPlaylist') await callOperation(inspection, operation, unknown)
    }
  }
}

/** Sends bodies that must be rejected with 415 and 413. They have no parameter, so they cannot change anything. */
async function checkBodies (inspection: Inspection, method: AdapterMethod): Promise<void> {
  const request = { ...requestOf(operationOf(method), []), body: '{}' }
  const text = await inspection.ask(method, request, { headers: { 'content-type': 'text/plain' } })
  // The source does not offer the operation.
  if (text === undefined || [404, 501].includes(text.status)) return
  expectStatus(inspection.find, text, 415, 'body-not-json')
  const huge = { ...request, body: JSON.stringify({ unknownMember: 'x'.repeat(hugeLength) }) }
  expectStatus(inspection.find, await inspection.attempt(method, huge), 413, 'body-too-large')
}
