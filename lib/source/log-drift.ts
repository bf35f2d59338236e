import type { Log } from './caller.ts'

/** Number of places that are counted separately. Upstreams name the members, so there may be any number of places. */
const maximumPlaces = 1000

/** Logs what was mended in production: one line for each operation and place, and counts on close. */
export interface DriftLog {
  /**
   * @param operation the operation that answered
   * @param path where its data broke the contract; indexes of lists are ignored
   */
  note: (operation: string, path: string, message: string) => void
  /** Logs a count for each place that was mended more than once. */
  report: () => void
}

export function createDriftLog (log: Log): DriftLog {
  const drifts = new Map<string, { operation: string, place: string, count: number }>()
  const others = { operation: 'others', place: '/', count: 0 }

  return {
    note (operation, path, message) {
      const place = path.replace(/\/\d+(?=\/|$)/g, '/*').slice(0, 200)
      const key = `${operation} ${place}`
      const known = drifts.get(key) ?? (drifts.size < maximumPlaces ? undefined : others)
      if (known !== undefined) {
        known.count++
        return
      }
      drifts.set(key, { operation, place, count: 1 })
      log.warn({ operation, place }, message)
    },
    report () {
      for (const drift of [...drifts.values(), others]) {
        if (drift.count > 1) log.warn(drift, 'Mended more than once')
      }
    }
  }
}
