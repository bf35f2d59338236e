import { requestOf, type SourceRequest } from '../../client/internal.ts'
import { statusPath } from '../../contract/operations.ts'
import { answeredOperations } from '../probe/call-operation.ts'
import type { Inspection, ReceivedAnswer, OperationName } from '../probe/inspection.ts'

/** An ETag that no source sends. */
const unknownTag = '"no-such-etag-4f1c"'

/** Checks what caches and HEAD requests get from the status and from every operation that reads. */
export async function checkCaching (inspection: Inspection): Promise<void> {
  const answersHead = await checkOperation(inspection, 'status', { method: 'GET', path: statusPath }, true)
  const readable = answeredOperations(inspection)
  await Promise.all(readable.map(operation => {
    const good = inspection.good.get(operation.adapterMethod)!
    const request = requestOf(operation, operation.parameters.map(name => good[name]))
    return checkOperation(inspection, operation.adapterMethod, request, answersHead)
  }))
}

/** @returns whether HEAD is answered as it should be */
async function checkOperation (
  inspection: Inspection, name: OperationName, request: SourceRequest, withHead: boolean
): Promise<boolean> {
  const answer = await inspection.ask(name, request)
  if (answer?.status !== 200) return true
  checkCacheControl(inspection, answer)
  const tag = answer.headers.get('etag')
  if (tag !== null) await checkTag(inspection, name, request, tag)
  return withHead ? checkHead(inspection, name, request, answer) : false
}

function checkCacheControl (inspection: Inspection, answer: ReceivedAnswer): void {
  const control = answer.headers.get('cache-control')
  const directives = (control ?? '').toLowerCase().split(',').map(directive => directive.split('=')[0]!.trim())
  const has = (...names: string[]) => names.some(name => directives.includes(name))
  const seen = control === null ? 'answered without Cache-Control' : `answered with Cache-Control: ${control}`
  if (!has('no-store', 'private')) {
    // RFC 9111, 3.5: these let shared caches keep the answer to an authorized request.
    if (has('public', 's-maxage', 'must-revalidate')) inspection.find('cache-shared', answer, seen)
    // An older origin has no such header at all, which is worth one finding.
    else if (control !== null || answer.operation === 'status') inspection.find('cache-missing', answer, seen)
  }
  const vary = (answer.headers.get('vary') ?? '').toLowerCase().split(',').map(name => name.trim())
  const isReused = control !== null && !has('no-store', 'no-cache')
  if (isReused && !vary.includes('authorization') && !vary.includes('*')) {
    inspection.find('cache-vary', answer, `${seen} and without Vary: Authorization`)
  }
}

const strong = (tag: string | null | undefined) => tag?.replace(/^W\//, '')

async function checkTag (
  inspection: Inspection, name: OperationName, request: SourceRequest, tag: string
): Promise<void> {
  const same = await inspection.ask(name, request, { headers: { 'if-none-match': tag } })
  const given = same?.headers.get('etag')
  if (same?.status === 304) {
    if (strong(given ?? tag) !== strong(tag)) {
      inspection.find('etag-wrong', same, `answered 304 with the ETag ${given} to ${tag}`)
    }
  } else if (same !== undefined && strong(given) === strong(tag)) {
    inspection.find('etag-ignored', same, `answered ${same.status} to its own ETag`)
  }
  const other = await inspection.ask(name, request, { headers: { 'if-none-match': unknownTag } })
  if (other?.status === 304) inspection.find('etag-wrong', other, 'answered 304 to an ETag that it never sent')
}

async function checkHead (
  inspection: Inspection, name: OperationName, request: SourceRequest, get: ReceivedAnswer
): Promise<boolean> {
  const head = await inspection.ask(name, request, { head: true })
  if (head === undefined) return false
  const [wanted, given] = [get, head].map(({ status, headers }) => `${status} ${headers.get('content-type')}`)
  if (given === wanted) return true
  inspection.find('head-differs', head, `answered ${given} instead of ${wanted}`)
  return false
}
