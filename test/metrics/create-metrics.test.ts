import { UnauthorizedError, UpstreamError, RateLimitedError } from 'fastify-source-origin'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createTranscoder } from 'fastify-source-origin/media'
import { createMetrics, type MetricsOptions } from 'fastify-source-origin/metrics'
import { createUpstream } from 'fastify-source-origin/upstream'
import { upstreamWith } from '../upstream/helper.ts'
import { execFile } from 'node:child_process'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { collectDefaultMetrics, Registry } from 'prom-client'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { fakeTime } from '../fake-time.ts'
import { fail, hold, limit, startFaultyUpstream } from '../faulty-upstream.ts'
import { authorized, build, completeAdapter, contextOf, dataOf, deferred, callOf } from '../helper.ts'
import { countFolder } from '../../example/monitoring/count-folder.ts'
import { operationOf } from '../../lib/contract/operations.ts'
import { song, startProxy, startUpstream } from '../media/helper.ts'
import { fake, folder } from '../media/sound.ts'
import { until } from '../example/helper.ts'
import { readDocument } from '../doc-blocks.ts'
import { locate, skipWithout } from '../services.ts'
import { outages, quietNight, type Series } from './alert-cases.ts'

const track = dataOf('getTrackDetail')
const dashboards = ['dashboard.json', 'dashboard-upstreams.json']

async function count (t: Test, options: MetricsOptions = {}) {
  const metrics = await createMetrics({ process: false, ...options })
  t.teardown(() => metrics.close())
  /** Lines of a metric without its prefix; those of a histogram are its counts. */
  const values = async (name: string) => Object.fromEntries((await metrics.text()).split('\n')
    .filter(line => line.startsWith(`source_origin_${name}{`) || line.startsWith(`source_origin_${name} `))
    .map(line => [/\{.*\}/.exec(line)?.[0] ?? '', Number(line.slice(line.lastIndexOf(' ')))]))
  return { metrics, values }
}

t.test('operations, adapter calls and contexts are counted by method and outcome', async t => {
  const { values } = await count(t)
  const errors = [undefined, new UpstreamError(), new RateLimitedError(), new Error('unknown')]
  const adapter = {
    async getTrackDetail () {
      const error = errors.shift()
      if (error !== undefined) throw error
      return track
    },
    getTrackLyrics: () => new Promise(() => {})
  }
  const app = await build(t, { adapter, adapterTimeout: 5 })
  for (let i = 0; i < 4; i++) await app.inject({ url: '/v1/track?id=1', headers: authorized })
  await app.inject({ url: '/v1/track/lyrics?id=1', headers: authorized })
  await app.inject({ url: '/v1/track/new', headers: authorized })
  await app.inject({ url: '/v1/track?id=1', headers: { authorization: 'wrong' } })
  const expected = {
    '{operation="getTrackDetail",outcome="ok"}': 1,
    '{operation="getTrackDetail",outcome="failed"}': 2,
    '{operation="getTrackDetail",outcome="limited"}': 1,
    '{operation="getTrackLyrics",outcome="timeout"}': 1
  }
  t.strictSame(await values('adapter_seconds_count'), expected)
  t.strictSame(await values('operation_seconds_count'), {
    ...expected, '{operation="getNewTracks",outcome="refused"}': 1
  })
  t.strictSame(await values('context_seconds_count'), { '{outcome="ok"}': 6, '{outcome="refused"}': 1 })
})

t.test('upstream attempts are counted, and what waits for them', async t => {
  const server = await startFaultyUpstream(t)
  const options = { baseUrl: server.url, concurrency: 1, retries: 0, breaker: { failures: 1, pause: 60_000 } }
  const upstream = upstreamWith({ ...options, name: 'music' })
  t.teardown(() => upstream.close())
  const { values } = await count(t, { upstreams: [upstream] })
  const { behaviour, release } = hold()
  server.plan(behaviour)
  const both = [upstream.json('/1'), upstream.json('/2')]
  await server.arrived(1)
  t.strictSame(await values('upstream_running'), { '{upstream="music"}': 1 })
  t.strictSame(await values('upstream_waiting'), { '{upstream="music"}': 1 })
  t.strictSame(await values('upstream_breaker_open'), { '{upstream="music"}': 0 })
  release()
  await Promise.all(both)
  server.plan(limit(60))
  await t.rejects(upstream.for({ account: 'ann' }).json('/3'))
  t.strictSame(await values('upstream_cooldowns'), { '{upstream="music"}': 1 })
  server.plan(fail(500))
  await t.rejects(upstream.json('/4'))
  t.strictSame(await values('upstream_breaker_open'), { '{upstream="music"}': 1 })
  t.strictSame(await values('upstream_seconds_count'), {
    '{upstream="music",outcome="ok"}': 2,
    '{upstream="music",outcome="limited"}': 1,
    '{upstream="music",outcome="failed"}': 1
  })
})

t.test('runs of ffmpeg are counted, those that wait, and what was kept', async t => {
  const { values } = await count(t)
  const ffmpeg = fake(t, 'read line; echo "$line"')
  const log = { info () {}, warn () {} }
  const transcoder = await createTranscoder({ cacheDir: folder(t), log, ffmpeg, concurrency: 1 })
  const { promise: input, resolve: finish } = deferred<void>()
  const app = fastify()
  t.teardown(() => app.close())
  app.addHook('onClose', () => transcoder.close())
  app.get<{ Params: { key: string } }>('/:key', ({ params: { key } }, reply) => transcoder.send(reply, {
    key,
    profile: { format: 'opus' },
    open: async function * () {
      yield Buffer.from('a ')
      await input
      yield Buffer.from('line\n')
    }
  }))
  const both = ['/a', '/b'].map(url => app.inject(url))
  await until(async () => (await values('transcode_running'))['']! + (await values('transcode_waiting'))['']! === 2)
  t.strictSame([await values('transcode_running'), await values('transcode_waiting')], [{ '': 1 }, { '': 1 }])
  finish()
  await Promise.all(both)
  await app.inject('/a')
  t.strictSame([await values('transcode_running'), await values('transcode_waiting')], [{ '': 0 }, { '': 0 }])
  t.strictSame(await values('transcode_hits_total'), { '{format="opus"}': 1 })
  t.strictSame(await values('transcode_seconds_count'), { '{format="opus",outcome="ok"}': 2 })
})

t.test('the cache is counted, with its size', async t => {
  const cache = createSourceCache()
  const { values } = await count(t, { cache })
  const app = await build(t, { cache, resolveContext: contextOf({ getTrackDetail: () => track }, { account: 'ann' }) })
  for (let i = 0; i < 3; i++) await app.inject({ url: '/v1/track?id=1', headers: authorized })
  t.strictSame(await values('cache_questions_total'), {
    '{type="miss",operation="getTrackDetail"}': 1, '{type="hit",operation="getTrackDetail"}': 2
  })
  t.strictSame(await values('cache_entries'), { '': 1 })
  t.strictSame(await values('cache_bytes'), { '': cache.stats().bytes })
})

t.test('refreshes of sessions are counted', async t => {
  const { values } = await count(t)
  const accounts = createAccounts({ store: memoryAccountStore(), secret: Buffer.alloc(32) })
  await accounts.session('ann', { refresh: async () => 'x' }).use(async () => {})
  const refused = accounts.session('bob', { refresh: async () => { throw new UnauthorizedError() } })
  await t.rejects(refused.use(async () => {}))
  // Anybody may send a message, also one without a status.
  const session = tracingChannel('fastify-source-origin.session')
  await session.tracePromise(async () => {}, {})
  await t.rejects(session.tracePromise(async () => { throw new Error('no') }, {}))
  t.strictSame(await values('session_refresh_seconds_count'), {
    '{outcome="ok"}': 2, '{outcome="refused"}': 1, '{outcome="failed"}': 1
  })
})

t.test('media are counted while they are sent, and their bytes', async t => {
  const { values } = await count(t)
  const { promise: gate, resolve: finish } = deferred<void>()
  const upstream = await startUpstream(t, song(1000), () => ({ gate }))
  const proxy = await startProxy(t, upstream)
  const over = new Promise(resolve => tracingChannel('fastify-source-origin.media').asyncEnd.subscribe(resolve))
  const loading = proxy.load()
  await new Promise(resolve => upstream.events.once('request', resolve))
  t.strictSame(await values('media_open'), { '': 1 })
  finish()
  await loading
  await over
  t.strictSame(await values('media_open'), { '': 0 })
  t.strictSame(await values('media_bytes_total'), { '{kind="audio"}': 1000 })
  t.strictSame(await values('media_seconds_count'), { '{kind="audio",outcome="ok"}': 1 })
})

t.test('media whose client left before an answer are counted as left', async t => {
  const { values } = await count(t)
  const upstream = await startUpstream(t, song(1000), () => ({ hangAfter: 0 }))
  const proxy = await startProxy(t, upstream)
  const over = new Promise(resolve => tracingChannel('fastify-source-origin.media').asyncEnd.subscribe(resolve))
  const request = get(proxy.url()).on('error', () => {})
  await new Promise(resolve => upstream.events.once('request', resolve))
  request.destroy()
  await over
  t.strictSame(await values('media_seconds_count'), { '{kind="audio",outcome="left"}': 1 })
})

t.test('what the source has is read', async t => {
  const { values } = await count(t, { library: () => ({ tracks: 3, albums: 2, artists: 1 }) })
  t.strictSame(await values('library_items'), { '{type="tracks"}': 3, '{type="albums"}': 2, '{type="artists"}': 1 })
})

t.test('checks are asked for each scrape; what is not true in time is not ok', async t => {
  let isUp = true
  const { values } = await count(t, {
    checks: {
      database: async () => isUp,
      redis: () => { throw new Error('away') },
      scan: () => 'running',
      slow: () => new Promise(() => {})
    }
  })
  const time = fakeTime(t)
  const scrape = async () => {
    const asked = values('check')
    await time.awaited(2000)
    // Those that answer have answered.
    await setImmediate()
    time.advance(2000)
    return asked
  }
  const others = { '{check="redis"}': 0, '{check="scan"}': 0, '{check="slow"}': 0 }
  t.strictSame(await scrape(), { '{check="database"}': 1, ...others })
  isUp = false
  t.strictSame(await scrape(), { '{check="database"}': 0, ...others })
})

t.test('answers are counted by status, those of hooks and of paths that are not there too', async t => {
  const { values } = await count(t)
  const app = await build(t, { adapter: { getNewTracks: () => [] } })
  app.addHook('onRequest', async ({ url }, reply) => url === '/busy' ? reply.code(503).send() : undefined)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  for (const path of ['/status', '/status', '/v1/track/new', '/busy', '/nowhere']) {
    await (await fetch(origin + path)).arrayBuffer()
  }
  t.strictSame(await values('http_responses_total'), {
    '{status="200"}': 2, '{status="401"}': 1, '{status="503"}': 1, '{status="404"}': 1
  })
})

t.test('a call that began before the counting is not counted', async t => {
  const { promise, resolve } = deferred<void>()
  const session = tracingChannel('fastify-source-origin.session')
  const listen = () => {}
  const before = { start: listen, end: listen, asyncStart: listen, asyncEnd: listen, error: listen }
  session.subscribe(before)
  t.teardown(() => session.unsubscribe(before))
  const refreshing = session.tracePromise(() => promise, {})
  const { values } = await count(t)
  resolve()
  await refreshing
  t.strictSame(await values('session_refresh_seconds_count'), {})
})

t.test('no label holds an id, a name, an account, an address or a path, whatever is asked', async t => {
  const server = await startFaultyUpstream(t)
  const upstreams = Array.from({ length: 25 }, (_, i) => createUpstream({ baseUrl: server.url, name: `service${i}` }))
  t.teardown(() => Promise.all(upstreams.map(upstream => upstream.close())))
  const cache = createSourceCache()
  const { metrics } = await count(t, { cache, upstreams, library: () => ({ tracks: 1, albums: 1, artists: 1 }) })
  const app = await build(t, {
    cache,
    resolveContext: ({ authorization }) => authorization === 'wrong'
      ? null
      : { adapter: completeAdapter().adapter, stateless: false, account: authorization! }
  })
  let series = 0
  for (let round = 0; round < 3; round++) {
    for (const upstream of upstreams) await upstream.for({ account: `acc-${round}` }).json(`/secret-path/${round}`)
    for (const name of ['getTrackDetail', 'getAlbumDetail', 'favoriteTrack'] as const) {
      const { url, ...call } = callOf(operationOf(name), undefined, { authorization: `acc-${round}` })
      const asked = `${url}`.replace(/id=[^&]*/, `id=secret-id-${round}`)
      await app.inject({ ...call, url: asked, remoteAddress: `10.1.2.${round}` })
    }
    await app.inject({ url: `/v1/secret-path/${round}`, headers: { authorization: 'wrong' } })
    for (const name of [`secret-id-${round}`, {}]) {
      tracingChannel('fastify-source-origin.adapter').traceSync(() => {}, { operation: name })
      channel('fastify-source-origin.cache').publish({ type: 'hit', operation: name })
    }
    const text = await metrics.text()
    const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
    if (round === 0) series = lines.length
    t.equal(lines.length, series)
    t.notMatch(text, /secret|acc-|10\.1\.2|127\.0\.0\.1|\//)
    const labels = new Set(lines.flatMap(line => [...line.matchAll(/upstream="([^"]+)"/g)].map(([, name]) => name)))
    t.equal(labels.size, 21)
    t.ok(labels.has('other'))
  }
})

t.test('metrics are in a registry of the host until they are closed', async t => {
  const registry = new Registry()
  const { metrics } = await count(t, { registry, process: true })
  t.match(await registry.metrics(), /source_origin_operation_seconds[^]*|process_cpu/)
  t.match(metrics.contentType, /^text\/plain/)
  metrics.close()
  t.notMatch(await registry.metrics(), /source_origin/)
  t.notMatch(await registry.metrics(), /process_cpu/)
  t.equal(tracingChannel('fastify-source-origin.adapter').hasSubscribers, false)
})

t.test('wrong options are refused by name', async t => {
  const wrong = { registry: {}, process: 1, cache: {}, upstreams: [1], library: 1, checks: { a: 1 } }
  for (const [name, value] of Object.entries(wrong)) {
    await t.rejects(createMetrics({ [name]: value } as never), {
      code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: RegExp(name)
    })
  }
})

t.test('the document has all metrics and no other; dashboard and alerts use only these', async t => {
  const registry = new Registry()
  const { metrics } = await count(t, {
    registry,
    cache: createSourceCache(),
    upstreams: [{ stats: () => ({ name: 'a', running: 0, waiting: 0, breaker: 'open', cooldowns: 0 }) }],
    library: () => ({ tracks: 0, albums: 0, artists: 0 }),
    checks: { database: () => true }
  })
  t.teardown(countFolder(registry))
  const names = [...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name).sort()
  const text = await readDocument('docs/operations/metrics.md')
  t.strictSame([...text.matchAll(/^\| `(source_origin_\w+)`/gm)].map(([, name]) => name).sort(), names)
  for (const file of [...dashboards, 'alerts.yml']) {
    const used = [...(await readFile(`docs/operations/${file}`, 'utf8')).matchAll(/source_origin_\w+/g)]
    t.ok(used.length > 5)
    for (const [name] of used) t.ok(names.includes(name.replace(/_(?:count|bucket)$/, '')), `${file} ${name}`)
  }
})

t.test('promtool', async t => {
  skipWithout('Prometheus', t)
  const run = (...args: string[]) => promisify(execFile)(join(dirname(locate('Prometheus')), 'promtool'), args)

  t.test('it takes the rules', async t => {
    t.match((await run('check', 'rules', 'docs/operations/alerts.yml')).stdout, /SUCCESS: 16 rules found/)
  })

  t.test('each alert fires when what it is for happens, and none in a quiet night', async t => {
    const { groups: [{ rules }] } = parse(await readFile('docs/operations/alerts.yml', 'utf8'))
    t.strictSame(rules.map(({ alert }: any) => alert).sort(), Object.keys(outages).sort())
    const expr = 'count by (alertname) (ALERTS{alertstate="firing"})'
    const test = (series: Series, minutes: number[], fired: string[]) => ({
      interval: '1m',
      input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
      promql_expr_test: minutes.map(minute => ({
        expr, eval_time: `${minute}m`, exp_samples: fired.map(name => ({ labels: `{alertname="${name}"}`, value: 1 }))
      }))
    })
    const lasts = ({ for: time }: any) => ({ '30m': 35, '1d': 1445 }[time as string] ?? 19)
    const tests = [
      test(quietNight, Array.from({ length: 47 }, (_, index) => index * 10 + 5), []),
      ...rules.map((rule: any) => test(outages[rule.alert]!, [lasts(rule)], [rule.alert]))
    ]
    const folder = t.testdir({
      'tests.yml': JSON.stringify({
        rule_files: [resolve('docs/operations/alerts.yml')], evaluation_interval: '1m', tests
      })
    })
    await t.resolves(run('test', 'rules', join(folder, 'tests.yml')))
  })

  t.test('it takes each query of the dashboards', async t => {
    const files = await Promise.all(dashboards.map(file => readFile(`docs/operations/${file}`, 'utf8')))
    const panels = files.flatMap(file => JSON.parse(file).panels)
    const queries: string[] = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr))
    const rules = queries.map((expr, index) =>
      ({ record: `query${index}`, expr: expr.replaceAll('$__rate_interval', '5m') }))
    const folder = t.testdir({ 'rules.yml': JSON.stringify({ groups: [{ name: 'dashboard', rules }] }) })
    await t.resolves(run('check', 'rules', join(folder, 'rules.yml')))
  })

  t.test('it has nothing to say against the metrics', async t => {
    const library = () => ({ tracks: 1, albums: 1, artists: 1 })
    const { metrics } = await count(t, { cache: createSourceCache(), library })
    const checking = run('check', 'metrics')
    checking.child.stdin!.end(await metrics.text())
    t.strictSame(await checking, { stdout: '', stderr: '' })
  })
})

t.test('metrics of the process that a host collects in its registry stay there', async t => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const before = registry.getMetricsAsArray().length
  const metrics = await createMetrics({ registry })
  t.match(await metrics.text(), /process_cpu_user_seconds_total \d/)
  metrics.close()
  t.equal(registry.getMetricsAsArray().length, before)
})

t.test('nothing is left in a registry when the metrics end, those of the process neither', async t => {
  const registry = new Registry()
  const metrics = await createMetrics({ registry })
  t.match(await metrics.text(), /process_cpu_user_seconds_total \d/)
  metrics.close()
  metrics.close()
  t.strictSame(registry.getMetricsAsArray(), [])
})
