import { explain } from '../state/explain.ts'
import { loadPart } from '../state/load-part.ts'
import { say } from '../state/notices.ts'
import { session } from '../state/sources.ts'

/** Does something with what is loaded when it is first wanted, or says why it cannot be loaded. */
export const withLater = (run: (parts: typeof import('../later.ts')) => void): void => {
  loadPart(() => import('../later.ts')).then(
    // One may have signed out meanwhile.
    parts => { if (session.value === 'open') run(parts) }, error => say(explain(error), true))
}
