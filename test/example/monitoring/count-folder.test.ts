import { channel, tracingChannel } from 'node:diagnostics_channel'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { countFolder } from '../../../example/monitoring/count-folder.ts'
import { deferred } from '../../helper.ts'

const scan = tracingChannel('fastify-source-origin.scan')

/** Gives the values of a metric by their labels; those of a histogram are its counts. */
function count (t: Test) {
  const registry = new Registry()
  t.teardown(countFolder(registry))
  return async (name: string) => {
    const { values } = await registry.getSingleMetric(`source_origin_${name}`)!.get()
    return values.filter(({ metricName = '' }: any) => !/_(bucket|sum)$/.test(metricName))
      .map(({ labels, value }) => [...Object.values(labels), value])
  }
}

t.test('scans are counted by their outcome, and the time of the last that came to its end is told', async t => {
  const values = count(t)
  await scan.tracePromise(async () => {}, {})
  t.strictSame(await values('scan_last_failed'), [[0]])
  const [[time]] = await values('scan_last_success_timestamp_seconds') as [[number]]
  t.ok(Math.abs(time - Date.now() / 1000) < 3600)
  await t.rejects(scan.tracePromise(async () => { throw new Error('disk') }, {}))
  t.strictSame(await values('scan_seconds'), [['ok', 1], ['failed', 1]])
  t.strictSame(await values('scan_last_failed'), [[1]])
  t.strictSame(await values('scan_last_success_timestamp_seconds'), [[time]])
  const { promise, resolve } = deferred<void>()
  const running = scan.tracePromise(() => promise, {})
  t.strictSame(await values('scan_running'), [[1]])
  resolve()
  await running
  t.strictSame(await values('scan_running'), [[0]])
})

t.test('plays are counted', async t => {
  const values = count(t)
  channel('fastify-source-origin.play').publish({})
  t.strictSame(await values('plays_total'), [[1]])
})

t.test('a scan that began before the counting is not counted', async t => {
  const { promise, resolve } = deferred<void>()
  const listen = () => {}
  const before = { start: listen, end: listen, asyncStart: listen, asyncEnd: listen, error: listen }
  scan.subscribe(before)
  t.teardown(() => scan.unsubscribe(before))
  const scanning = scan.tracePromise(() => promise, {})
  const values = count(t)
  resolve()
  await scanning
  t.strictSame(await values('scan_seconds'), [])
  t.strictSame(await values('scan_running'), [[0]])
})
