import { withTimeout } from '../async/with-timeout.ts'
import { lacksPackage } from '../errors/lacks-package.ts'
import { cacheChannel, refusalChannel, transcoderChannel, type ChannelMessages } from '../tracing/channels.ts'
import { createNameLabel, operationLabel } from './labels.ts'
import { longBuckets, Meters } from './meters.ts'
import { validateMetricsOptions, type Metrics, type MetricsOptions } from './metrics-options.ts'

/** A metric name that shows whether the metrics of the process are registered. */
const ofProcess = 'process_cpu_user_seconds_total'
/** The timeout of a check in milliseconds. */
const checkTimeout = 2000

/**
 * Creates metrics from the diagnostics channels, starting now, for the complete process.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION; SOURCE_ORIGIN_ERR_MISSING_PACKAGE if the
 * optional package prom-client is not installed
 * @see docs/operations/metrics.md
 */
export async function createMetrics (options: MetricsOptions = {}): Promise<Metrics> {
  validateMetricsOptions(options)
  const { default: client } = await import('prom-client').catch(lacksPackage('prom-client', 'metrics'))
  const { registry = new client.Registry(), process = true, cache, upstreams = [], library, checks } = options
  const namesNow = () => registry.getMetricsAsArray().map(({ name }) => name)
  const given = new Set(namesNow())
  // The app may already collect them in the same registry.
  if (process && !given.has(ofProcess)) client.collectDefaultMetrics({ register: registry })
  const added = namesNow().filter(name => !given.has(name))
  const meters = new Meters(client, registry)
  observeCalls(meters)
  observeMedia(meters)
  observeTranscoding(meters)
  countEvents(meters)
  if (cache !== undefined) readCache(meters, cache)
  if (upstreams.length > 0) readUpstreams(meters, upstreams)
  if (library !== undefined) {
    meters.readGauge('library_items', 'What the source has', ['type'], () =>
      Object.entries(library()).map(([type, count]) => [{ type }, count] as const))
  }
  if (checks !== undefined) runChecks(meters, checks)
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close () {
      meters.close()
      for (const name of added.splice(0)) registry.removeSingleMetric(name)
    }
  }
}

type OperationMessage = ChannelMessages['operation']

function observeCalls (meters: Meters): void {
  const labelsOf = ({ operation }: OperationMessage) => ({ operation: operationLabel(operation) })
  const labels = ['operation', 'outcome']
  const operations = meters.histogram('operation_seconds', 'Operations that clients asked for', labels)
  meters.observe('operation', operations, labelsOf)
  const adapters = meters.histogram('adapter_seconds', 'Calls of adapter methods', labels)
  meters.observe('adapter', adapters, labelsOf)
  const contexts = meters.histogram('context_seconds', 'Calls of resolveContext', ['outcome'])
  meters.observe('context', contexts, () => ({}))
  const sessions = meters.histogram('session_refresh_seconds', 'Refreshes of sessions', ['outcome'])
  meters.observe('session', sessions, () => ({}))
  const attempts = meters.histogram('upstream_seconds', 'Attempts at upstreams', ['upstream', 'outcome'])
  meters.observe<ChannelMessages['upstream']>('upstream', attempts, ({ upstream }) =>
    ({ upstream: meters.upstreamLabel(upstream) }))
}

function observeMedia (meters: Meters): void {
  const kindLabel = createNameLabel()
  const open = meters.gauge('media_open', 'Media that are sent now')
  const bytes = meters.counter('media_bytes_total', 'Bytes of media that were sent', ['kind'])
  meters.observe<ChannelMessages['media']>('media',
    meters.histogram('media_seconds', 'Answers of media, to the end of their body', ['kind', 'outcome'], longBuckets),
    ({ kind }) => ({ kind: kindLabel(kind) }), {
      onBegin: () => open.inc(),
      onEnd: ({ kind, bytes: sent = 0 }) => {
        open.dec()
        bytes.inc({ kind: kindLabel(kind) }, sent)
      }
    })
}

function observeTranscoding (meters: Meters): void {
  const gauges = {
    running: meters.gauge('transcode_running', 'Runs of ffmpeg that have a slot'),
    held: meters.gauge('transcode_held', 'Runs of ffmpeg that are held for others'),
    waiting: meters.gauge('transcode_waiting', 'Runs that wait for a slot')
  }
  const hits = meters.counter('transcode_hits_total', 'Transcodings that were stored already', ['format'])
  meters.observe<ChannelMessages['transcode']>('transcode',
    meters.histogram('transcode_seconds', 'Processes of ffmpeg', ['format', 'outcome'], longBuckets),
    ({ format }) => ({ format }))
  meters.count(String(transcoderChannel.name), (message: ChannelMessages['transcoder']) => {
    if (message.type === 'hit') return hits.inc({ format: message.format })
    if (message.from) gauges[message.from].dec()
    if (message.to) gauges[message.to].inc()
  })
}

/** Counts events without a duration. */
function countEvents (meters: Meters): void {
  const questions = meters.counter('cache_questions_total', 'What the cache did', ['operation', 'type'])
  meters.count(String(cacheChannel.name), ({ type, operation }: ChannelMessages['cache']) =>
    questions.inc({ type, operation: operationLabel(operation) }))
  const refused = meters.counter('refused_total', 'Requests that were refused', ['reason'])
  meters.count(String(refusalChannel.name), ({ reason }: ChannelMessages['refusal']) => refused.inc({ reason }))
  const answers = meters.counter('http_responses_total', 'Answers of all HTTP servers of the process', ['status'])
  // Node's own channel includes the responses of hooks, which reach no handler.
  meters.count('http.server.response.finish', ({ response }) => answers.inc({ status: response.statusCode }))
}

function readCache (meters: Meters, cache: NonNullable<MetricsOptions['cache']>): void {
  meters.readGauge('cache_entries', 'Entries of the cache in memory', [], () => [[{}, cache.stats().entries]])
  meters.readGauge('cache_bytes', 'Bytes of the cache in memory', [], () => [[{}, cache.stats().bytes]])
}

function readUpstreams (meters: Meters, upstreams: NonNullable<MetricsOptions['upstreams']>): void {
  type Stats = ReturnType<typeof upstreams[0]['stats']>
  const add = (name: string, help: string, read: (stats: Stats) => number) =>
    meters.readGauge(name, help, ['upstream'], () => upstreams.map(upstream => {
      const stats = upstream.stats()
      return [{ upstream: meters.upstreamLabel(stats.name) }, read(stats)] as const
    }))
  add('upstream_running', 'Calls at the upstream', ({ running }) => running)
  add('upstream_waiting', 'Calls in the queue', ({ waiting }) => waiting)
  add('upstream_breaker_open', '1 while the breaker stops all calls', ({ breaker }) => breaker === 'open' ? 1 : 0)
  add('upstream_cooldowns', 'Cool-downs of the upstream and of accounts', ({ cooldowns }) => cooldowns)
}

function runChecks (meters: Meters, checks: NonNullable<MetricsOptions['checks']>): void {
  const checkLabel = createNameLabel()
  meters.readGauge('check', '1 if the check is ok', ['check'], () =>
    Promise.all(Object.entries(checks).map(async ([name, check]) => {
      const isOk = await withTimeout(async () => await check() === true, { timeout: checkTimeout }).catch(() => false)
      return [{ check: checkLabel(name) }, isOk ? 1 : 0] as const
    })))
}
