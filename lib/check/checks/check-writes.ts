import { requestOf } from '../../client/internal.ts'
import { operationOf, operations, type AdapterMethod } from '../../contract/operations.ts'
import { callOperation, unknownId } from '../probe/call-operation.ts'
import { expectStatus } from '../probe/check-answer.ts'
import type { Inspection } from '../probe/inspection.ts'
import { AccountWrites } from './account-writes.ts'

/** Characters of a body that no source needs. */
const hugeLength = 2_000_000

const writing = operations.filter(({ method }) => method === 'POST')

/**
 * Calls every operation that writes, with a playlist of its own and with favourites, and undoes what it did. A
 * stateless source must refuse them all.
 */
export async function checkWrites (inspection: Inspection): Promise<void> {
  if (inspection.gaveUp) return
  const wanted = writing.filter(({ adapterMethod }) => inspection.wants(adapterMethod))
  // Without an id nothing can become a favourite.
  const harmless = wanted.find(({ parameters }) => parameters.includes('status')) ?? wanted[0]
  if (harmless !== undefined) await checkBodies(inspection, harmless.adapterMethod)

  if (inspection.status?.stateless === false) {
    await new AccountWrites(inspection).check()
  } else if (inspection.status?.stateless === true) {
    const unknown = { id: unknownId, playlistId: unknownId, trackId: unknownId, name: 'Made by a check', status: false }
    for (const operation of wanted) {
      // If the source made a playlist, there would be no way to delete it.
      if (operation.adapterMethod !== 'createPlaylist') await callOperation(inspection, operation, unknown)
    }
  }
}

/** Sends bodies that must be refused with 415 and 413. They have no parameter, so that they cannot change anything. */
async function checkBodies (inspection: Inspection, method: AdapterMethod): Promise<void> {
  const request = { ...requestOf(operationOf(method), []), body: '{}' }
  const text = await inspection.ask(method, request, { headers: { 'content-type': 'text/plain' } })
  // The source does not have the operation.
  if (text === undefined || [404, 501].includes(text.status)) return
  expectStatus(inspection.find, text, 415, 'body-not-json')
  const huge = { ...request, body: JSON.stringify({ unknownMember: 'x'.repeat(hugeLength) }) }
  expectStatus(inspection.find, await inspection.attempt(method, huge), 413, 'body-too-large')
}
