import { withinTime } from '../async/timed-call.ts'
import { UnsupportedFeatureError } from '../contract/errors.ts'
import type { OwnRoute } from './own-routes.ts'

/** The page's own route of the source's scan: begins one, and tells how far it is. `data` is empty without one. */
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
