import type { Log } from './caller.ts'

/** Number of paths that are counted separately. Upstreams name the members, so there may be any number of paths. */
const maximumPaths = 1000

/** Logs what was mended in production: one line for each operation and path, and counts on close. */
export interface DriftLog {
  /**
   * @param operation the operation that answered
   * @param path where its data broke the contract; indexes of lists are ignored
   */
  note: (operation: string, path: string, message: string) => void
  /** Logs a count for each path that was mended more than once. */
  report: () => void
}

export function createDriftLog (log: Log): DriftLog {
  const drifts = new Map<string, { operation: string, path: string, count: number }>()
  const others = { operation: 'others', path: '/', count: 0 }

  return {
    note (operation, path, message) {
      const general = path.replace(/\/\d+(?=\/|$)/g, '/*').slice(0, 200)
      const key = `${operation} ${general}`
      const known = drifts.get(key) ?? (drifts.size < maximumPaths ? undefined : others)
      if (known !== undefined) {
        known.count++
        return
      }
      drifts.set(key, { operation, path: general, count: 1 })
      log.warn({ operation, path: general }, message)
    },
    report () {
      for (const drift of [...drifts.values(), others]) {
        if (drift.count > 1) log.warn(drift, 'Mended more than once')
      }
    }
  }
}
