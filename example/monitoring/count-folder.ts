import { channel, tracingChannel } from 'node:diagnostics_channel'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

const scans = tracingChannel('fastify-source-origin.scan')
const plays = channel('fastify-source-origin.play')

/** The histogram buckets of the scan duration, in seconds. */
const buckets = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]

/**
 * Starts to count the scans and plays of the process.
 *
 * @returns a function that ends the counting
 */
export function countFolder (registry: Registry): () => void {
  const named = (name: string, help: string) => ({ name: `source_origin_${name}`, help, registers: [registry] })
  const running = new Gauge(named('scan_running', 'Scans of the library that run now'))
  const scanned = new Gauge(named('scan_last_success_timestamp_seconds', 'When the last scan came to its end'))
  const failed = new Gauge(named('scan_last_failed', '1 if the last scan has failed'))
  const seconds = new Histogram({
    ...named('scan_seconds', 'Scans of the library'), labelNames: ['outcome'] as const, buckets
  })
  const played = new Counter(named('plays_total', 'Plays that were counted'))

  /** The start times of running scans in milliseconds, by the message of the scan. */
  const begun = new WeakMap<object, number>()
  const begin = (scan: any) => {
    begun.set(scan, performance.now())
    running.inc()
  }
  const end = (scan: any) => {
    const from = begun.get(scan)
    // The scan began before the counting.
    if (from === undefined) return
    const isOk = scan.error === undefined
    seconds.observe({ outcome: isOk ? 'ok' : 'failed' }, (performance.now() - from) / 1000)
    running.dec()
    failed.set(isOk ? 0 : 1)
    if (isOk) scanned.setToCurrentTime()
  }
  const subscriptions = [
    [scans.start, begin], [scans.asyncEnd, end],
    [plays, () => played.inc()]
  ] as const
  for (const [on, tell] of subscriptions) on.subscribe(tell)
  return () => { for (const [on, tell] of subscriptions) on.unsubscribe(tell) }
}
