import type { Histogram } from 'prom-client'
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import { withTimeout } from '../async/with-timeout.ts'
import { missingPackage } from '../errors/author-errors.ts'
import { cacheChannel, channelName, type ChannelMessages, type TracedCall } from '../tracing/channels.ts'
import { createNameLabel, operationLabel, outcomeOf } from './labels.ts'
import { checkMetricsOptions, type Metrics, type MetricsOptions } from './metrics-options.ts'

const load = () => import('prom-client')
const prefix = 'source_origin_'

/** Seconds: from what the cache has to what the time limit ends. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Seconds of what goes on for minutes: songs and scans. */
const longBuckets = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]

/** Milliseconds that a check has. */
const checkTimeout = 2000

/**
 * Counts what the tracing channels tell, from now on, for the whole process.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION; SOURCE_ORIGIN_ERR_MISSING_PACKAGE when
 * prom-client, which is optional, is not installed
 * @see docs/operations/metrics.md
 */
export const createMetrics = (options: MetricsOptions = {}): Promise<Metrics> => countChannels(options)

/** @param importClient what loads prom-client */
export async function countChannels (options: MetricsOptions, importClient = load): Promise<Metrics> {
  checkMetricsOptions(options)
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } =
    await importClient().catch(() => { throw missingPackage('prom-client', 'metrics') })
  const { registry = new Registry(), process = true, cache, upstreams = [], library, checks } = options
  const registers = [registry]
  if (process) collectDefaultMetrics({ register: registry })
  const ends: (() => void)[] = []
  const begun = new WeakMap<object, number>()

  function named<L extends string> (name: string, help: string, labelNames: L[] = []) {
    ends.push(() => registry.removeSingleMetric(prefix + name))
    return { name: prefix + name, help, labelNames, registers }
  }
  const histogram = <L extends string>(name: string, help: string, labelNames: L[], seconds = buckets) =>
    new Histogram({ ...named(name, help, labelNames), buckets: seconds })

  /** Observes the seconds of each call of a channel. */
  function observe<M extends TracedCall> (
    name: string, histogram: Histogram, labelsOf: (message: M) => object,
    onBegin: () => void = () => {}, onEnd: (message: M) => void = () => {}
  ): void {
    const channel = tracingChannel<unknown, M>(channelName(name))
    const start = (message: object) => {
      begun.set(message, performance.now())
      onBegin()
    }
    const over = (message: unknown) => {
      const from = begun.get(message as object)
      // It began before anybody counted.
      if (from === undefined) return
      const labels = { ...labelsOf(message as M), outcome: outcomeOf(message as M) }
      histogram.observe(labels, (performance.now() - from) / 1000)
      onEnd(message as M)
    }
    channel.start.subscribe(start as (message: unknown) => void)
    channel.asyncEnd.subscribe(over)
    ends.push(() => {
      channel.start.unsubscribe(start as (message: unknown) => void)
      channel.asyncEnd.unsubscribe(over)
    })
  }

  type OperationMessage = ChannelMessages['operation']
  const operation = ({ operation }: OperationMessage) => ({ operation: operationLabel(operation) })
  observe<OperationMessage>('operation',
    histogram('operation_seconds', 'Operations that clients asked for', ['operation', 'outcome']), operation)
  observe<OperationMessage>('adapter',
    histogram('adapter_seconds', 'Calls of adapter methods', ['operation', 'outcome']), operation)
  observe('context', histogram('context_seconds', 'Calls of resolveContext', ['outcome']), () => ({}))
  observe('session', histogram('session_refresh_seconds', 'Refreshes of sessions', ['outcome']), () => ({}))
  const upstreamLabel = createNameLabel()
  observe<ChannelMessages['upstream']>('upstream',
    histogram('upstream_seconds', 'Attempts at upstreams', ['upstream', 'outcome']),
    ({ upstream }) => ({ upstream: upstreamLabel(upstream) }))

  const kindLabel = createNameLabel()
  const open = new Gauge(named('media_open', 'Media that are sent now'))
  const bytes = new Counter(named('media_bytes_total', 'Bytes of media that were sent', ['kind']))
  observe<ChannelMessages['media']>('media',
    histogram('media_seconds', 'Answers of media, to the end of their body', ['kind', 'outcome'], longBuckets),
    ({ kind }) => ({ kind: kindLabel(kind) }), () => open.inc(), ({ kind, bytes: sent = 0 }) => {
      open.dec()
      bytes.inc({ kind: kindLabel(kind) }, sent)
    })

  const running = new Gauge(named('scan_running', 'Scans of the library that run now'))
  const scanned = new Gauge(named('scan_last_success_timestamp_seconds', 'When the last scan came to its end'))
  const failed = new Gauge(named('scan_last_failed', '1 if the last scan has failed'))
  observe('scan', histogram('scan_seconds', 'Scans of the library', ['outcome'], longBuckets), () => ({}),
    () => running.inc(), message => {
      running.dec()
      const isOk = outcomeOf(message) === 'ok'
      failed.set(isOk ? 0 : 1)
      if (isOk) scanned.setToCurrentTime()
    })

  function count (name: string, onMessage: (message: any) => void): void {
    subscribe(name, onMessage)
    ends.push(() => unsubscribe(name, onMessage))
  }
  const questions = new Counter(named('cache_questions_total', 'What the cache did', ['operation', 'type']))
  count(String(cacheChannel.name), ({ type, operation }: ChannelMessages['cache']) =>
    questions.inc({ type, operation: operationLabel(operation) }))
  const plays = new Counter(named('plays_total', 'Plays that were counted'))
  count(channelName('play'), () => plays.inc())

  const reasonLabel = createNameLabel()
  const refused = new Counter(named('refused_total', 'Requests that were refused', ['reason']))
  count(channelName('refusal'), ({ reason }) => refused.inc({ reason: reasonLabel(reason) }))
  const answers = new Counter(named('http_responses_total', 'Answers of all HTTP servers of the process', ['status']))
  // Node's own channel: it has the answers of hooks too, which reach no handler.
  count('http.server.response.finish', ({ response }) => answers.inc({ status: response.statusCode }))

  /** A number that is read for each scrape. */
  type Values = [labels: object, number][]
  function gauge (name: string, help: string, labelNames: string[], values: () => Values | Promise<Values>) {
    return new Gauge({
      ...named(name, help, labelNames),
      async collect () { for (const [labels, value] of await values()) this.set(labels, value) }
    })
  }
  if (cache !== undefined) {
    gauge('cache_entries', 'Entries of the cache in memory', [], () => [[{}, cache.stats().entries]])
    gauge('cache_bytes', 'Bytes of the cache in memory', [], () => [[{}, cache.stats().bytes]])
  }
  if (upstreams.length > 0) {
    const ofEach = (read: (stats: ReturnType<typeof upstreams[0]['stats']>) => number) => () =>
      upstreams.map((upstream): [object, number] => {
        const stats = upstream.stats()
        return [{ upstream: upstreamLabel(stats.name) }, read(stats)]
      })
    const labels = ['upstream']
    gauge('upstream_running', 'Calls at the upstream', labels, ofEach(({ running }) => running))
    gauge('upstream_waiting', 'Calls in the queue', labels, ofEach(({ waiting }) => waiting))
    gauge('upstream_breaker_open', '1 while the breaker stops all calls', labels,
      ofEach(({ breaker }) => breaker === 'open' ? 1 : 0))
    gauge('upstream_cooldowns', 'Cool-downs of the upstream and of accounts', labels,
      ofEach(({ cooldowns }) => cooldowns))
  }
  if (library !== undefined) {
    gauge('library_items', 'What the source has', ['type'], () =>
      Object.entries(library()).map(([type, count]) => [{ type }, count]))
  }
  if (checks !== undefined) {
    const checkLabel = createNameLabel()
    gauge('check', '1 if the check is ok', ['check'], () =>
      Promise.all(Object.entries(checks).map(async ([name, check]): Promise<[object, number]> => {
        const isOk = await withTimeout(async () => await check() === true, { timeout: checkTimeout }).catch(() => false)
        return [{ check: checkLabel(name) }, isOk ? 1 : 0]
      })))
  }
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close: () => { for (const end of ends.splice(0)) end() }
  }
}
