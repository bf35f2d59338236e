import type { FastifyBaseLogger } from 'fastify'

/** Places told apart. Foreign members are named by the upstream, so there may be any number of them. */
const most = 1000

/** Keeps the log of what breaks the contract in production (protocol.md, Schemas): one line for each place, then only a count. */
export interface DriftLog {
  /**
   * @param operation the operation that answered
   * @param path where its data breaks the contract; the index in a list does not matter
   */
  note: (operation: string, path: string, message: string, log: FastifyBaseLogger) => void
  /** Logs how often the places were met that were met again. */
  report: (log: FastifyBaseLogger) => void
}

export function createDriftLog (): DriftLog {
  const drifts = new Map<string, { operation: string, place: string, count: number }>()
  const others = { operation: 'others', place: '/', count: 0 }

  return {
    note (operation, path, message, log) {
      const place = path.replace(/\/\d+(?=\/|$)/g, '/*').slice(0, 200)
      const key = `${operation} ${place}`
      const known = drifts.get(key) ?? (drifts.size < most ? undefined : others)
      if (known !== undefined) {
        known.count++
        return
      }
      drifts.set(key, { operation, place, count: 1 })
      log.warn({ operation, place }, message)
    },
    report (log) {
      for (const drift of [...drifts.values(), others]) {
        if (drift.count > 1) log.warn(drift, 'contract drift, in all')
      }
    }
  }
}
