import { developmentPath } from '../../contract/operations.ts'
import { dataIn } from '../probe/check-answer.ts'
import type { Probe } from '../probe/create-probe.ts'
import type { Inspection } from '../probe/inspection.ts'

/** The maximum number of log lines of a finding. */
const mostLines = 30

/**
 * Reads the development log of a source of this package. Mistakes in its adapters become findings, and log lines of a
 * failed request are added to its finding. Other sources have no such path.
 */
export async function readLog (inspection: Inspection, probe: Probe): Promise<void> {
  if (inspection.gaveUp) return
  const read = async (path: string): Promise<{ mistakes: unknown[], failure?: unknown } | undefined> => {
    const { text } = await probe.ask({ method: 'GET', path })
    const data = dataIn(text) as { mistakes?: unknown } | null | undefined
    return Array.isArray(data?.mistakes) ? data as { mistakes: unknown[] } : undefined
  }
  const log = await read(developmentPath)
  if (log === undefined) return
  for (const mistake of log.mistakes) {
    inspection.find('adapter-mistake', { operation: 'status', request: `GET ${developmentPath}` }, String(mistake))
  }
  for (const [finding, id] of inspection.findings.requestIds) {
    const logged = await read(`${developmentPath}?request=${encodeURIComponent(id)}`)
    if (typeof logged?.failure !== 'string') continue
    const lines = logged.failure.split('\n').slice(0, mostLines)
    Object.assign(finding, { log: lines.map(line => probe.clean(line)).join('\n') })
  }
}
