import { explain } from '../state/explain.ts'
import { loadPart } from '../state/load-part.ts'
import { say } from '../state/notices.ts'
import { session } from '../state/session.ts'

/** Loads rarely used parts on first use and runs a function, or reports why they cannot be loaded. */
export const withLater = (run: (parts: typeof import('../later.ts')) => void): void => {
  loadPart(() => import('../later.ts')).then(
    // The user may have signed out meanwhile.
    parts => { if (session.value === 'open') run(parts) }, error => say(explain(error), true))
}
