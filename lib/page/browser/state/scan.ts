import { signal } from '@preact/signals'
import type { ShownScan } from '../../page-responses.ts'
import { exactly, text } from '../texts/index.ts'
import { explain } from './explain.ts'
import { say } from './notices.ts'
import { source } from './saved-sources.ts'
import { askOwn, reload } from './session.ts'

/** The interval between two requests in milliseconds. */
const every = 1000

/** The progress of the running scan. */
export const running = signal<ShownScan | undefined>(undefined)

export const loadScan = (signal: AbortSignal) => askOwn('GET scan', undefined, signal)

export const startScan = () => follow(() => askOwn('POST scan'))

/** Shows the progress of a scan until it has ended, in any view. Views then reload their lists. */
export async function follow (look: () => Promise<ShownScan>): Promise<void> {
  const asked = source.value
  try {
    let status = await look()
    while (status.scanning) {
      running.value = status
      await new Promise(resolve => setTimeout(resolve, every))
      if (asked !== source.value) return
      // A source may report only the start.
      status = { ...status, ...await askOwn('GET scan') }
    }
    await reload()
    say(text('scanned', countOf(status)))
  } catch (error) {
    if (asked === source.value) say(explain(error), true)
  } finally {
    running.value = undefined
  }
}

export const countOf = ({ count = 0 }: ShownScan) => ({ count: exactly(count) })
