import { capabilities } from '../../contract/capabilities.ts'
import { TimeoutError, UnauthorizedError, UpstreamError } from '../../contract/errors.ts'
import { serviceStatusPath, statusPath } from '../../contract/operations.ts'
import type { Status } from '../../../schemas/index.ts'
import { checkError, checkSuccess, isServiceStatus } from '../probe/check-answer.ts'
import type { Probe } from '../probe/create-probe.ts'
import type { Find } from '../probe/findings.ts'
import type { Inspection } from '../probe/inspection.ts'
import type { RuleId } from '../rules.ts'

/** Capabilities of older versions, and the rule that names their successor. */
const gone: Readonly<Record<string, RuleId>> = {
  trackRoam: 'capability-old', personalFM: 'capability-old', search: 'capability-aggregated'
}

/**
 * Checks whether there is a source, and its capabilities.
 *
 * @returns whether there is a source to check further
 * @throws UpstreamError or TimeoutError if the source cannot be reached; UnauthorizedError if the source rejects the
 *   token
 */
export async function checkStatus (inspection: Inspection, probe: Probe): Promise<boolean> {
  const service = await probe.ask({ method: 'GET', path: serviceStatusPath }, { token: 'none' })
  if (service.failure === 'timeout') throw new TimeoutError(`${probe.baseUrl}: ${service.text}`)
  if (service.failure === 'no-answer') throw new UpstreamError(`${probe.baseUrl} cannot be reached: ${service.text}`)
  const isOnline = service.status === 200 && isServiceStatus(service.text)
  const isLimited = service.failure === undefined && service.status === 429
  const where = { operation: 'serviceStatus', request: service.request } as const
  if (isOnline) inspection.served.set('serviceStatus', 'served')
  else if (isLimited) inspection.find('rate-limited', where, 'answered 429')
  else {
    const [type, location] = ['content-type', 'location'].map(name => service.headers.get(name))
    const more = location === null ? `with the content type ${type ?? 'none'}` : `that leads to ${location}`
    const seen = service.failure === undefined ? `${service.status} ${more}` : 'without an end'
    inspection.find('service-status', where, `answered ${seen}`)
  }

  const request = { method: 'GET', path: statusPath } as const
  if (!isOnline && !isLimited) {
    // If neither response follows this protocol, it is not a source, and one finding is enough.
    const { text } = await probe.ask(request)
    if (!/^\s*\{\s*"code"/.test(text)) return false
  }
  const asked = await inspection.ask('status', request)
  if (asked === undefined) return true
  if (asked.status === 401) {
    throw new UnauthorizedError('The source answers 401: is the token right? (--token or SOURCE_API_TOKEN)')
  }
  if (asked.status >= 400) {
    checkError(inspection.find, asked)
    inspection.find('answer-error', asked, `answered ${asked.status}: ${asked.text}`)
    return true
  }
  const data = checkSuccess(inspection.find, asked) as Partial<Status> | undefined
  if (data === undefined) return true
  inspection.served.set('status', 'served')
  if (Array.isArray(data.capabilities)) {
    const { qualityMap, playlistSortOptions } = data
    const lists = { qualityMap: list(qualityMap), playlistSortOptions: list(playlistSortOptions) }
    inspection.status = { ...data, ...lists } as Status
    checkCapabilities(inspection.find, inspection.status, asked.request)
  }
  return true
}

/** Returns the options that have a key. Options without one have a finding already. */
const list = <T extends { key: unknown }>(value: T[] | undefined): T[] =>
  Array.isArray(value) ? value.filter(option => typeof option?.key === 'string') : []

function checkCapabilities (find: Find, { capabilities: declared, stateless }: Status, request: string): void {
  const note = (rule: RuleId, message: string, path = '/data/capabilities') =>
    find(rule, { operation: 'status', request, path }, message)
  const names = capabilities.map(({ name }) => name)
  const before = new Set<string>()
  for (const [index, name] of declared.entries()) {
    if (typeof name !== 'string') continue
    const path = `/data/capabilities/${index}`
    const capability = capabilities.find(known => known.name === name)
    if (Object.hasOwn(gone, name)) note(gone[name]!, `${name} is declared`, path)
    else if (capability === undefined) note('capability-unknown', `${name} is declared`, path)
    else if (before.has(name)) note('capability-repeated', `${name} is declared again`, path)
    else if (capability.stateful && stateless) {
      note('capability-stateful', `${name} is declared by a stateless source`, path)
    }
    before.add(name)
  }
  const known = [...new Set(declared.filter(name => names.includes(name)))]
  const inOrder = names.filter(name => known.includes(name))
  const wrong = known.findIndex((name, index) => name !== inOrder[index])
  if (wrong !== -1) note('capability-order', `${known[wrong]} comes where ${inOrder[wrong]} should`)
}
