import fastify from 'fastify'
import sourceOrigin, { UpstreamError, UnauthorizedError } from 'fastify-source-origin'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { createSourceCache } from 'fastify-source-origin/cache'
import subsonic from 'fastify-source-origin/subsonic'
import { createUpstream } from 'fastify-source-origin/upstream'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { answer, fail, hangUp, startFaultyUpstream } from '../faulty-upstream.ts'
import { authorized, build, contextOf, dataOf, token } from '../helper.ts'
import { load, song, startProxy, startUpstream } from '../media/helper.ts'
import { documents, readDocument } from '../doc-blocks.ts'
import { hear, traced } from './helper.ts'

const track = dataOf('getTrackDetail')
const never = () => new Promise<never>(() => {})

t.test('a request tells of its context, its operation and the call of the adapter', async t => {
  const { heard } = hear(t)
  const context = contextOf({ getTrackDetail: async () => track }, { account: 'ann' })
  const app = await build(t, { resolveContext: async call => context(call) })
  await app.inject({ url: '/v1/track?id=secret-id', headers: authorized })
  t.strictSame(heard.filter(({ event }) => event === 'start' || event === 'asyncEnd'), [
    { channel: 'context', event: 'start', message: {}, inside: ['context'] },
    { channel: 'context', event: 'asyncEnd', message: { account: 'ann', status: 200 }, inside: ['context'] },
    {
      channel: 'operation',
      event: 'start',
      message: { operation: 'getTrackDetail', account: 'ann' },
      inside: ['operation']
    },
    {
      channel: 'adapter',
      event: 'start',
      message: { operation: 'getTrackDetail', account: 'ann' },
      inside: ['operation', 'adapter']
    },
    {
      channel: 'adapter',
      event: 'asyncEnd',
      message: { operation: 'getTrackDetail', account: 'ann', status: 200 },
      inside: ['operation', 'adapter']
    },
    {
      channel: 'operation',
      event: 'asyncEnd',
      message: { operation: 'getTrackDetail', account: 'ann', status: 200 },
      inside: ['operation']
    }
  ])
})

for (const [kind, give] of Object.entries({ 'a promise': async () => track, 'no promise': () => track })) {
  t.test(`a call that gives ${kind} has all four events, in their order`, async t => {
    const { heard } = hear(t)
    const app = await build(t, { adapter: { getTrackDetail: give } })
    t.equal((await app.inject({ url: '/v1/track?id=1', headers: authorized })).statusCode, 200)
    t.strictSame(
      heard.filter(({ channel }) => channel === 'adapter').map(({ event }) => event),
      ['start', 'end', 'asyncStart', 'asyncEnd']
    )
  })
}

t.test('who is refused has the status 401 and no error', async t => {
  const { of } = hear(t)
  const app = await build(t)
  await app.inject({ url: '/v1/track?id=1', headers: { authorization: 'wrong' } })
  t.strictSame(of('context'), [{ status: 401 }])
  t.strictSame(of('operation', 'start'), [])
})

t.test('what resolveContext throws is told without the token', async t => {
  const { of } = hear(t)
  const app = await build(t, {
    resolveContext: ({ authorization }) => { throw new Error(`no database for ${authorization}`) }
  })
  await app.inject({ url: '/v1/track?id=1', headers: authorized })
  t.match(of('context'), [{ status: 500, error: { message: 'no database for [authorization]' } }])
})

t.test('a failure has the status that clients get, and an error without token and query', async t => {
  const { of, heard } = hear(t)
  const app = await build(t, {
    adapter: { getTrackDetail () { throw new UpstreamError(`https://x/y?key=1 refused ${token}`) } }
  })
  await app.inject({ url: '/v1/track?id=1', headers: authorized })
  const error = { message: 'https://x/y?[query] refused [authorization]' }
  t.match(of('adapter'), [{ status: 502, error }])
  t.match(of('operation'), [{ status: 502, error }])
  t.strictSame(heard.filter(({ channel }) => channel === 'adapter').map(({ event }) => event),
    ['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
})

t.test('a parameter that is wrong and a method that is missing are told with their statuses', async t => {
  const { of } = hear(t)
  const app = await build(t)
  await app.inject({ url: '/v1/track', headers: authorized })
  await app.inject({ url: '/v1/track?id=1', headers: authorized })
  t.match(of('operation'), [{ status: 400 }, { status: 501 }])
})

t.test('the operation and the call of an adapter that never answers end with the time limit', async t => {
  const { of } = hear(t)
  const app = await build(t, { adapter: { getTrackDetail: never }, adapterTimeout: 5 })
  await app.inject({ url: '/v1/track?id=1', headers: authorized })
  t.match(of('adapter'), [{ status: 504 }])
  t.match(of('operation'), [{ status: 504 }])
})

t.test('the call of an adapter ends with 499 when the client leaves', async t => {
  const { of, bus } = hear(t)
  const app = await build(t, { adapter: { getTrackDetail: never }, adapterTimeout: 0 })
  await app.listen()
  const { port } = app.server.address() as AddressInfo
  const request = http.get({ port, path: '/v1/track?id=1', headers: authorized }).on('error', () => {})
  await once(bus, 'adapter:start')
  request.destroy()
  await once(bus, 'adapter:asyncEnd')
  t.match(of('adapter'), [{ status: 499 }])
})

t.test('a change is an operation', async t => {
  const { of } = hear(t)
  const app = await build(t, { adapter: { favoriteTrack: async () => ({ success: true, status: true }) } })
  await app.inject({
    method: 'POST', url: '/v1/track/favorite', headers: authorized, payload: { id: '1', status: true }
  })
  t.match(of('operation'), [{ operation: 'favoriteTrack', status: 200 }])
})

t.test('the cache tells what it did, and the adapter is called inside of the operation that missed', async t => {
  const { heard } = hear(t)
  const told: unknown[] = []
  const listen = (message: unknown) => { told.push(message) }
  subscribe('fastify-source-origin.cache', listen)
  t.teardown(() => unsubscribe('fastify-source-origin.cache', listen))
  const app = await build(t, {
    cache: createSourceCache(),
    resolveContext: contextOf({ getTrackDetail: async () => track }, { account: 'ann' })
  })
  for (let i = 0; i < 2; i++) await app.inject({ url: '/v1/track?id=1', headers: authorized })
  t.strictSame(told, [
    { type: 'miss', operation: 'getTrackDetail' }, { type: 'hit', operation: 'getTrackDetail' }
  ])
  t.strictSame(heard.filter(({ event, channel }) => event === 'start' && channel === 'adapter')
    .map(({ inside }) => inside), [['operation', 'adapter']])
  t.equal(heard.filter(({ event, channel }) => event === 'asyncEnd' && channel === 'operation').length, 2)
})

t.test('operations of Subsonic apps are told, and their failures', async t => {
  const { of } = hear(t)
  const app = fastify({ http: { maxHeaderSize: 262_144 } })
  t.teardown(() => app.close())
  const adapter = { getTrackDetail: async () => track, favoriteTrack: async () => { throw new UpstreamError() } }
  await app.register(sourceOrigin, { resolveContext: contextOf(adapter) })
  await app.register(subsonic, { resolveLogin: ({ verify }) => verify(token) ? token : null })
  const ask = (method: string) =>
    app.inject(`/rest/${method}?${new URLSearchParams({ u: 'ann', p: token, f: 'json', id: 'tr-1' })}`)
  await ask('getSong')
  await ask('star')
  t.match(of('context').map(({ status }) => status), [200, 200])
  t.match(of('operation').map(({ operation, status }) => ({ operation, status })), [
    { operation: 'getTrackDetail', status: 200 }, { operation: 'favoriteTrack', status: 502 }
  ])
  t.notMatch(JSON.stringify(of('operation')), token)
})

t.test('each attempt at an upstream is told, without query, headers and body', async t => {
  const { of } = hear(t)
  const server = await startFaultyUpstream(t)
  const upstream = createUpstream({ baseUrl: server.url, name: 'music', headers: { cookie: 'cookie-of-ann' } })
  t.teardown(() => upstream.close())
  server.plan(hangUp, answer({ secret: 'body' }))
  await upstream.for({ account: 'ann' }).json('/songs/1', { query: { key: 'query-key' } })
  const common = { upstream: 'music', method: 'GET', origin: server.url, path: '/songs/1', account: 'ann' }
  t.match(of('upstream'), [
    { ...common, attempt: 1, status: 502, error: Error }, { ...common, attempt: 2, status: 200 }
  ])
  t.notMatch(of('upstream').map(one => JSON.stringify({ ...one, error: String(one.error) })).join(''),
    /query-key|cookie-of-ann|body/)
  t.equal(of('upstream')[1]!.headers, undefined)
})

t.test('the status of an upstream is told where it answers with an error', async t => {
  const { of } = hear(t)
  const server = await startFaultyUpstream(t)
  const upstream = createUpstream({ baseUrl: server.url })
  t.teardown(() => upstream.close())
  server.plan(fail(404))
  await t.rejects(upstream.json('/songs/1'))
  t.match(of('upstream'), [{ upstream: 'upstream', status: 404 }])
})

t.test('an own upstream gets the headers that a subscriber adds, others get none', async t => {
  const { bus } = hear(t)
  bus.on('upstream:start', message => { if (message.headers) message.headers.traceparent = '00-1-2-01' })
  const server = await startFaultyUpstream(t)
  for (const own of [true, false]) {
    const upstream = createUpstream({ baseUrl: server.url, trusted: own })
    t.teardown(() => upstream.close())
    await upstream.json('/')
  }
  t.strictSame(server.arrivals.map(({ headers }) => headers.traceparent), ['00-1-2-01', undefined])
})

t.test('a refresh of a session is told, and one that fails', async t => {
  const { of } = hear(t)
  const accounts = createAccounts({ store: memoryAccountStore(), secret: Buffer.alloc(32) })
  await accounts.session('ann', { refresh: async () => 'session of ann' }).use(async () => {})
  const refused = accounts.session('bob', { refresh: async () => { throw new UnauthorizedError() } })
  await t.rejects(refused.use(async () => {}))
  t.match(of('session'), [{ account: 'ann', status: 200 }, { account: 'bob', status: 401 }])
  t.notMatch(JSON.stringify(of('session')), 'session of ann')
})

t.test('media are told at the end of their body, with what was sent', async t => {
  const { of, bus } = hear(t)
  const upstream = await startUpstream(t, song(1000))
  const proxy = await startProxy(t, upstream)
  const ended = once(bus, 'media:asyncEnd')
  t.equal((await proxy.load()).body.length, 1000)
  await ended
  t.strictSame(of('media'), [{ kind: 'audio', status: 200, bytes: 1000, resolutions: 1 }])
})

t.test('the upstream of an own kind of media gets what a subscriber adds, and the id of the request', async t => {
  const { bus } = hear(t)
  bus.on('media:start', message => { if (message.headers) message.headers.traceparent = '00-1-2-01' })
  for (const own of [true, false]) {
    const upstream = await startUpstream(t, song(1000))
    const { load } = await startProxy(t, upstream, { trusted: own }, app => app.setGenReqId(() => 'id of the request'))
    t.equal((await load()).status, 200)
    const { 'x-request-id': id, traceparent } = upstream.requests[0]!.headers
    t.strictSame({ id, traceparent }, own
      ? { id: 'id of the request', traceparent: '00-1-2-01' }
      : { id: undefined, traceparent: undefined })
  }
})

t.test('media: another host gets no headers of traces, and nobody does without a subscriber', async t => {
  const other = await startUpstream(t, song(1000))
  const own = await startUpstream(t, song(1000), () => ({ status: 302, headers: { location: `${other.origin}/song` } }))
  const { load } = await startProxy(t, own, { trusted: true, hosts: [own.host, other.host] })
  t.equal((await load()).status, 200)
  const sent = [own, other].map(({ requests: [request] }) => request!.headers)
  t.strictSame(sent.map(headers => headers['x-request-id']), ['req-1', undefined])
  t.strictSame(sent.map(headers => headers.traceparent), [undefined, undefined])
})

t.test('media that failed have their status, and those whose client left before an answer 499', async t => {
  const { of, bus } = hear(t)
  const upstream = await startUpstream(t, song(1000), (_request, nth) => nth === 1 ? { status: 429 } : { hangAfter: 0 })
  const proxy = await startProxy(t, upstream)
  const failed = once(bus, 'media:asyncEnd')
  t.equal((await load(proxy.url())).status, 429)
  await failed
  const ended = once(bus, 'media:asyncEnd')
  const asked = once(upstream.events, 'request')
  const request = http.get(proxy.url()).on('error', () => {})
  await asked
  request.destroy()
  await ended
  t.match(of('media'), [{ status: 429, error: Error }, { status: 499 }])
})

t.test('the document has all channels and no other', async t => {
  t.ok(documents.includes('docs/reference/channels.md'))
  const text = await readDocument('docs/reference/channels.md')
  const names = [...text.matchAll(/^\| `fastify-source-origin\.(\w+)` \|/gm)]
  t.strictSame(names.map(([, name]) => name), [...traced])
})
