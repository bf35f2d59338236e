import type { Log } from './caller.ts'

/**
 * The number of paths that are counted separately. Upstreams choose property names, so the number of paths is
 * unlimited.
 */
const maximumPaths = 1000

/** Logs repairs in production: one line for each operation and path, and counts on close. */
export interface ViolationLog {
  /**
   * @param operation the operation whose response was repaired
   * @param path the path of the violation; list indexes are ignored
   */
  note: (operation: string, path: string, reason: string) => void
  /** Logs a count for each path that was repaired more than once. */
  report: () => void
}

export function createViolationLog (log: Log): ViolationLog {
  const drifts = new Map<string, { operation: string, path: string, count: number }>()
  const others = { operation: 'others', path: '/', count: 0 }

  return {
    note (operation, path, reason) {
      const general = path.replace(/\/\d+(?=\/|$)/g, '/*').slice(0, 200)
      const key = `${operation} ${general}`
      const known = drifts.get(key) ?? (drifts.size < maximumPaths ? undefined : others)
      if (known !== undefined) {
        known.count++
        return
      }
      drifts.set(key, { operation, path: general, count: 1 })
      log.warn({ operation, path: general, reason }, 'response repaired')
    },
    report () {
      for (const drift of [...drifts.values(), others]) {
        if (drift.count > 1) log.warn(drift, 'responses repaired')
      }
    }
  }
}
