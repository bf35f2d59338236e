import { requestOf, type SourceRequest } from '../../client/internal.ts'
import { operationOf, operations, redirects, statusPath, type Operation } from '../../contract/operations.ts'
import { schemasOf } from '../../contract/schemas-of.ts'
import { unknownId } from '../probe/call-operation.ts'
import { expectStatus } from '../probe/check-answer.ts'
import type { OperationName } from '../probe/findings.ts'
import type { Inspection } from '../probe/inspection.ts'

/** Statuses that reveal details of the request to an unauthorised caller. */
const tellTales = [400, 404, 405, 413, 415, 422, 501]

/**
 * Checks responses without a token and with a wrong one, and old paths (docs/reference/contract.md, Public routes and
 * Order of checks).
 */
export async function checkAccess (inspection: Inspection, baseUrl: string): Promise<void> {
  await Promise.all([
    refuse(inspection, 'status', { method: 'GET', path: statusPath }, { method: 'GET', path: statusPath }),
    ...operations.filter(({ adapterMethod }) => inspection.wants(adapterMethod))
      .map(operation => refuse(inspection, operation.adapterMethod, bare(operation), harmless(operation))),
    unknownPath(inspection),
    ...redirects.flatMap(({ path, to }) => (['none', 'right'] as const).map(async token => {
      const query = '?id=a%20b'
      const answer = await inspection.ask(to, { method: 'GET', path: path + query }, { token })
      if (answer === undefined) return
      if (answer.status === 401 && token === 'none') return inspection.find('redirect-token', answer, 'answered 401')
      if (answer.status !== 308) return inspection.find('redirect-status', answer, `answered ${answer.status}`)
      const wanted = new URL(baseUrl + operationOf(to).path + query)
      const location = answer.headers.get('location')
      const given = location !== null && URL.canParse(location, wanted.href) ? new URL(location, wanted) : undefined
      if (given?.pathname !== wanted.pathname || given.search !== wanted.search) {
        inspection.find('redirect-location', answer, `leads to ${location ?? 'nowhere'}`)
      }
    }))
  ])
}

/** Returns a request without parameters: a source that validates parameters first responds with 400 instead of 401. */
const bare = (operation: Operation) => requestOf(operation, [])

/**
 * Returns a request that a source without authorisation would answer. A write operation has no parameters, so it cannot
 * succeed.
 */
function harmless (operation: Operation): SourceRequest {
  const { method, adapterMethod } = operation
  const required: readonly string[] = method === 'POST' ? [] : schemasOf(adapterMethod).parameters.required!
  return requestOf(operation, operation.parameters.map(name => required.includes(name) ? unknownId : undefined))
}

async function refuse (
  inspection: Inspection, name: OperationName, bare: SourceRequest, harmless: SourceRequest
): Promise<void> {
  const none = await inspection.ask(name, bare, { token: 'none' })
  const rule = none !== undefined && tellTales.includes(none.status) ? 'authorisation-order' : 'authorisation-missing'
  expectStatus(inspection.find, none, 401, rule)
  expectStatus(inspection.find, await inspection.ask(name, harmless, { token: 'wrong' }), 401, 'authorisation-wrong')
}

async function unknownPath (inspection: Inspection): Promise<void> {
  const request = { method: 'GET', path: '/v1/no-such-path' } as const
  for (const [token, status, rule] of [['none', 401, 'unknown-path-open'], ['right', 404, 'unknown-path']] as const) {
    expectStatus(inspection.find, await inspection.ask('status', request, { token }), status, rule)
  }
}
