import { withinTime } from '../async/timed-call.ts'
import { UnsupportedFeatureError } from '../contract/errors.ts'
import type { OwnRoute } from './page-routes.ts'

/**
 * Registers the page's route for the source's scan: starts one, and returns its progress. `data` is empty without a
 * scan.
 */
export function registerScan (route: OwnRoute): void {
  route('GET scan', ({ context: { adapter }, call }) => {
    if (typeof adapter.startScan !== 'function') return {}
    return withinTime(call, () => adapter.getScanStatus?.() ?? { scanning: false })
  })
  route('POST scan', ({ context: { adapter }, call }) => {
    if (typeof adapter.startScan !== 'function') throw new UnsupportedFeatureError()
    return withinTime(call, () => adapter.startScan!())
  })
}
