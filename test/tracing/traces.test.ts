import { FastifyOtelInstrumentation } from '@fastify/otel'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import fastify from 'fastify'
import sourceOrigin, { UpstreamError } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createUpstream } from 'fastify-source-origin/upstream'
import { subscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { blocks } from '../doc-blocks.ts'
import { answer, fail, startFaultyUpstream } from '../faulty-upstream.ts'
import { authorized, contextOf, dataOf } from '../helper.ts'
import { song, startProxy, startUpstream } from '../media/helper.ts'

const recipe = blocks.find(({ document, language }) => /traces\.md$/.test(document) && language === 'js')!
const folder = t.testdir({ 'trace-channels.mjs': recipe.code })
const { Contexts, traceChannels, withoutQueries } = await import(join(folder, 'trace-channels.mjs'))

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [withoutQueries, new SimpleSpanProcessor(exporter)] })
const contextManager = new Contexts()
provider.register({ contextManager })
traceChannels(contextManager)
const instrumentation = new FastifyOtelInstrumentation({ registerOnInitialization: false })
instrumentation.setTracerProvider(provider)
t.teardown(() => provider.shutdown())
t.afterEach(() => exporter.reset())

/** Names of a span and of those that it is inside of, from the inside. */
function path (name: string): string[] {
  const spans = exporter.getFinishedSpans()
  const found: string[] = []
  for (let span = spans.find(span => span.name === name); span !== undefined;) {
    found.push(span.name)
    const { parentSpanContext: parent } = span
    span = spans.find(other => other.spanContext().spanId === parent?.spanId)
  }
  return found
}

const traceOf = (name: string) => exporter.getFinishedSpans().filter(span => span.name === name).map(span =>
  `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`)

async function build (t: Test, adapter: object, more: object = {}) {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(instrumentation.plugin())
  await app.register(sourceOrigin, { resolveContext: contextOf(adapter), ...more })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  return () => app.inject({ url: '/v1/track?id=1', headers: { ...authorized, traceparent } })
}

t.test('spans nest, and an own upstream gets the traceparent of its attempt', async t => {
  const server = await startFaultyUpstream(t)
  server.plan(fail(503), answer())
  const upstream = createUpstream({ baseUrl: server.url, name: 'music', trusted: true })
  t.teardown(() => upstream.close())
  const ask = await build(t, {
    async getTrackDetail () {
      await upstream.json('/songs/1')
      return dataOf('getTrackDetail')
    }
  })
  t.equal((await ask()).statusCode, 200)
  const [, , , outer] = path('upstream music')
  t.strictSame(path('upstream music').slice(0, 3), [
    'upstream music', 'adapter getTrackDetail', 'operation getTrackDetail'
  ])
  t.ok(outer !== undefined)
  t.strictSame(server.arrivals.map(({ headers }) => headers.traceparent), traceOf('upstream music'))
  const traces = exporter.getFinishedSpans().map(span => span.spanContext().traceId)
  t.strictSame([...new Set(traces)], ['0af7651916cd43dd8448eb211c80319c'])
})

t.test('no span has the query of a URL', async t => {
  const ask = await build(t, { getTrackDetail: async () => dataOf('getTrackDetail') })
  t.equal((await ask()).statusCode, 200)
  const spans = exporter.getFinishedSpans().map(({ attributes }) => attributes)
  t.ok(spans.some(attributes => attributes['url.path'] === '/v1/track'))
  t.notMatch(JSON.stringify(spans), 'id=1')
})

t.test('the span of an operation says what the cache did', async t => {
  const adapter = { getTrackDetail: async () => dataOf('getTrackDetail') }
  const resolveContext = contextOf(adapter, { account: 'ann' })
  const ask = await build(t, adapter, { resolveContext, cache: createSourceCache() })
  await ask()
  await ask()
  const spans = exporter.getFinishedSpans().filter(({ name }) => name === 'operation getTrackDetail')
  t.strictSame(spans.map(({ attributes }) => attributes['source.cache']), ['miss', 'hit'])
})

t.test('the upstream of an own kind of media gets the traceparent of its span', async t => {
  const upstream = await startUpstream(t, song(1000))
  const ended = new Promise(resolve => subscribe('tracing:fastify-source-origin.media:asyncEnd', resolve))
  const { load } = await startProxy(t, upstream, { trusted: true })
  t.equal((await load()).status, 200)
  await ended
  t.strictSame(upstream.requests.map(({ headers }) => headers.traceparent), traceOf('media audio'))
})

t.test('an upstream that is not own gets no traceparent', async t => {
  const server = await startFaultyUpstream(t)
  const upstream = createUpstream({ baseUrl: server.url })
  t.teardown(() => upstream.close())
  await upstream.json('/')
  t.strictSame(server.arrivals.map(({ headers }) => headers.traceparent), [undefined])
})

const failures = {
  'an adapter that fails': () => { throw new UpstreamError() },
  'an adapter that never answers': () => new Promise(() => {})
}
for (const [what, getTrackDetail] of Object.entries(failures)) {
  t.test(`${what}: the spans end, as errors`, async t => {
    const ask = await build(t, { getTrackDetail }, { adapterTimeout: 5 })
    t.ok((await ask()).statusCode >= 502)
    for (const name of ['adapter getTrackDetail', 'operation getTrackDetail']) {
      const span = exporter.getFinishedSpans().find(span => span.name === name)
      t.match(span, { ended: true, status: { code: 2 } })
    }
  })
}
