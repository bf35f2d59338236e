import { requestOf, type SourceRequest } from '../../client/internal.ts'
import { statusPath } from '../../contract/operations.ts'
import type { AskOptions } from '../probe/create-probe.ts'
import type { Find, OperationName, ReceivedAnswer } from '../probe/findings.ts'
import type { Inspection } from '../probe/inspection.ts'

/** An ETag that no source sends. */
const unknownTag = '"no-such-etag-4f1c"'

/** Checks the caching headers and HEAD responses of the status and of every read operation. */
export async function checkCaching (inspection: Inspection): Promise<void> {
  const answersHead = await checkOperation(inspection, 'status', { method: 'GET', path: statusPath }, true)
  await Promise.all(inspection.answered.map(operation => {
    const good = inspection.good.get(operation.adapterMethod)!
    const request = requestOf(operation, operation.parameters.map(name => good[name]))
    return checkOperation(inspection, operation.adapterMethod, request, answersHead)
  }))
}

/** Repeats a request with other options. */
type AskAgain = (asking: AskOptions) => Promise<ReceivedAnswer | undefined>

/** @returns whether HEAD is supported correctly */
async function checkOperation (
  inspection: Inspection, name: OperationName, request: SourceRequest, withHead: boolean
): Promise<boolean> {
  const answer = await inspection.ask(name, request)
  if (answer?.status !== 200) return true
  const { find } = inspection
  const askAgain: AskAgain = asking => inspection.ask(name, request, asking)
  checkCacheControl(find, answer)
  const tag = answer.headers.get('etag')
  if (tag !== null) await checkTag(find, askAgain, tag)
  return withHead ? checkHead(find, askAgain, answer) : false
}

function checkCacheControl (find: Find, answer: ReceivedAnswer): void {
  const control = answer.headers.get('cache-control')
  const directives = (control ?? '').toLowerCase().split(',').map(directive => directive.split('=')[0]!.trim())
  const has = (...names: string[]) => names.some(name => directives.includes(name))
  const seen = control === null ? 'answered without Cache-Control' : `answered with Cache-Control: ${control}`
  if (!has('no-store', 'private')) {
    // RFC 9111, 3.5: with these, shared caches may store responses to authorised requests.
    if (has('public', 's-maxage', 'must-revalidate')) find('cache-shared', answer, seen)
    // An older origin never sends the header, which is a single finding.
    else if (control !== null || answer.operation === 'status') find('cache-missing', answer, seen)
  }
  const vary = (answer.headers.get('vary') ?? '').toLowerCase().split(',').map(name => name.trim())
  const isReused = control !== null && !has('no-store', 'no-cache')
  if (isReused && !vary.includes('authorization') && !vary.includes('*')) {
    find('cache-vary', answer, `${seen} and without Vary: Authorization`)
  }
}

const strong = (tag: string | null | undefined) => tag?.replace(/^W\//, '')

async function checkTag (find: Find, askAgain: AskAgain, tag: string): Promise<void> {
  const same = await askAgain({ headers: { 'if-none-match': tag } })
  const given = same?.headers.get('etag')
  if (same?.status === 304) {
    if (strong(given ?? tag) !== strong(tag)) {
      find('etag-wrong', same, `answered 304 with the ETag ${given} to ${tag}`)
    }
  } else if (same !== undefined && strong(given) === strong(tag)) {
    find('etag-ignored', same, `answered ${same.status} to its own ETag`)
  }
  const other = await askAgain({ headers: { 'if-none-match': unknownTag } })
  if (other?.status === 304) find('etag-wrong', other, 'answered 304 to an ETag that it never sent')
}

async function checkHead (find: Find, askAgain: AskAgain, get: ReceivedAnswer): Promise<boolean> {
  const head = await askAgain({ head: true })
  if (head === undefined) return false
  const [wanted, given] = [get, head].map(({ status, headers }) => `${status} ${headers.get('content-type')}`)
  if (given === wanted) return true
  find('head-differs', head, `answered ${given} instead of ${wanted}`)
  return false
}
