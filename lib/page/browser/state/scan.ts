import { signal } from '@preact/signals'
import { exactly, text } from '../texts/index.ts'
import { explain } from './explain.ts'
import { say } from './notices.ts'
import { askPage, reload, source } from './sources.ts'

/** Without `scanning` the source has no scan of its own. */
export interface ScanStatus {
  readonly scanning?: boolean
  readonly count?: number
}

const path = 'page/scan'

/** Milliseconds between two looks. */
const every = 1000

/** What the scan that runs has found so far. */
export const running = signal<ScanStatus | undefined>(undefined)

export const lookAtScan = (signal: AbortSignal) => askPage<ScanStatus>(path, signal)

export const startScan = () => follow(() => askPage<ScanStatus>(path, undefined, {}))

/** Tells of a scan until it has ended, whatever view is open. Then views load their lists anew. */
export async function follow (look: () => Promise<ScanStatus>): Promise<void> {
  const asked = source.value
  try {
    let status = await look()
    while (status.scanning) {
      running.value = status
      await new Promise(resolve => setTimeout(resolve, every))
      if (asked !== source.value) return
      // A source may tell of the start alone.
      status = { ...status, ...await askPage<ScanStatus>(path) }
    }
    await reload()
    say(text('scanned', countOf(status)))
  } catch (error) {
    if (asked === source.value) say(explain(error), true)
  } finally {
    running.value = undefined
  }
}

export const countOf = ({ count = 0 }: ScanStatus) => ({ count: exactly(count) })
