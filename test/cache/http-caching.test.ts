import fastify from 'fastify'
import t from 'tap'
import sourceOrigin, { operations } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import { authorized, build, callOf, completeAdapter, contextOf, dataOf } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'
import { serve, stopClock, track } from './helper.ts'

const url = '/v1/track?id=1'
const noStore = { 'cache-control': 'no-store', vary: undefined, etag: undefined }
const kept = { 'cache-control': 'private, no-cache', vary: 'Authorization' }
const etag = /^"[\w-]{13,}"$/

/** The headers that say who may keep an answer. */
const cachingHeaders = ({ headers }: { headers: Record<string, unknown> }) =>
  ({ 'cache-control': headers['cache-control'], vary: headers.vary, etag: headers.etag })

for (const operation of operations) {
  const { adapterMethod, method } = operation
  const isKept = method === 'GET' && adapterMethod !== 'getRoamTracks' && adapterMethod !== 'getTrackUrl'
  t.test(`${adapterMethod}: ${isKept ? 'private, no-cache with an ETag' : 'no-store without an ETag'}; without a cache no-store`, async t => {
    const { adapter } = completeAdapter()
    const app = await build(t, { resolveContext: contextOf(adapter, { account: 'ada' }), cache: createSourceCache() })
    const response = await app.inject(callOf(operation))
    t.equal(response.statusCode, 200)
    const { headers: { etag: tag } } = response
    if (isKept) t.match(tag, etag)
    t.strictSame(cachingHeaders(response), isKept ? { ...kept, etag: tag } : noStore)
    const without = await build(t, { resolveContext: contextOf(adapter, { account: 'ada' }) })
    t.strictSame(cachingHeaders(await without.inject(callOf(operation))), noStore)
  })
}

t.test('errors, kept ones too, status and unknown paths are no-store', async t => {
  const { ask } = await serve(t, {
    adapter: { getTrackDetail: () => { throw Object.assign(new Error('no'), { status: 404 }) } },
    options: { scope: 'public' }
  })
  for (const path of [url, url, '/v1/track', '/v1/nothing', '/v1/status']) {
    t.strictSame(cachingHeaders(await ask(path)), noStore, path)
  }
  const app = await build(t)
  t.strictSame(cachingHeaders(await app.inject(url)), noStore)
})

t.test('a public answer says how long it is fresh, and how long it may be late', async t => {
  const advance = stopClock(t)
  const { ask } = await serve(t, {
    adapter: { getTrackDetail: () => track, getNewTracks: () => [] }, options: { scope: 'public', maxAge: 4_000_000 }
  })
  const cacheControl = async (path: string) => (await ask(path)).headers['cache-control']
  t.equal(await cacheControl(url), 'private, max-age=3600, stale-while-revalidate=400')
  advance(100.5)
  t.equal(await cacheControl(url), 'private, max-age=3499, stale-while-revalidate=400')
  advance(3600)
  t.equal(await cacheControl(url), 'private, max-age=0, stale-while-revalidate=299')
  t.equal(await cacheControl('/v1/track/new'), 'private, max-age=30')
})

t.test('a play URL is no-store also where it is kept and public', async t => {
  stopClock(t)
  const url = 'https://media.example/1'
  const { ask, calls } = await serve(t, {
    adapter: { getTrackUrl: () => ({ url, quality: 'high' }) },
    options: { operations: { getTrackUrl: { scope: 'public', ttl: 60_000 } } },
    plugin: { validateResponses: true }
  })
  const answers = [await ask('/v1/track/url?id=1'), await ask('/v1/track/url?id=1')]
  for (const answer of answers) t.strictSame(cachingHeaders(answer), noStore)
  t.strictSame(answers.map(({ body }) => JSON.parse(body).data.url), [url, url])
  t.strictSame(answers.map(({ headers }) => headers['cache-status']), [
    'source-origin; fwd=miss', 'source-origin; hit; ttl=60'
  ])
  t.equal(calls(), 1)
})

for (const [what, title] of Object.entries({
  'short ASCII': 'x',
  'short Chinese': '茉莉花',
  'long ASCII': 'x'.repeat(5000),
  'long Chinese': '茉莉花'.repeat(5000),
  'very long ASCII': 'x'.repeat(100_000)
})) {
  t.test(`${what} is kept as it was answered, with one ETag`, async t => {
    const { ask, calls } = await serve(t, { adapter: { getTrackDetail: () => ({ ...track, title }) } })
    const answers = [await ask(url), await ask(url)]
    for (const { rawPayload, headers } of answers) {
      t.equal(JSON.parse(rawPayload.toString()).data.title, title)
      t.equal(headers['content-length'], String(rawPayload.length))
      t.match(headers.etag, etag)
      t.equal(headers.etag, answers[0]!.headers.etag)
    }
    t.equal(calls(), 1)
  })
}

t.test('If-None-Match: lists, * and weak tags answer 304, others 200', async t => {
  const { ask } = await serve(t)
  const { headers } = await ask(url)
  const tag = headers.etag as string
  for (const [wanted, status] of [
    [tag, 304], [`W/${tag}`, 304], ['*', 304], [' * ', 304], [`"a", W/"b" ,${tag}`, 304], [`${tag} , "a"`, 304],
    ['"a"', 200], [tag.slice(1, -1), 200], ['', 200], ['"*"', 200], [`w/${tag}`, 200]
  ] as const) {
    const response = await ask(url, { headers: { 'if-none-match': wanted } })
    t.equal(response.statusCode, status, wanted)
    t.strictSame(cachingHeaders(response), { ...kept, etag: tag })
    t.equal(response.body === '', status === 304)
  }
})

t.test('If-None-Match has no effect on what was not kept', async t => {
  const { ask } = await serve(t)
  t.equal((await ask('/v1/track/roam', { headers: { 'if-none-match': '*' } })).statusCode, 200)
})

t.test('HEAD fills the entry of GET, and has its headers, with 304 too', async t => {
  const { ask, calls } = await serve(t)
  const head = await ask(url, { method: 'HEAD' })
  const get = await ask(url)
  t.equal(calls(), 1)
  const same = ['etag', 'cache-control', 'content-length', 'content-type', 'vary'] as const
  t.equal(head.body, '')
  for (const name of same) t.equal(head.headers[name], get.headers[name], name)
  const notModified = await ask(url, { method: 'HEAD', headers: { 'if-none-match': get.headers.etag } })
  t.equal(notModified.statusCode, 304)
  t.equal(notModified.body, '')
  t.equal(notModified.headers['content-length'], get.headers['content-length'])
})

t.test('the same bytes have the same ETag, whoever answers and when, others have another', async t => {
  const advance = stopClock(t)
  for (const long of ['', 'x'.repeat(5000)]) {
    let title = `a${long}`
    const replica = () =>
      serve(t, { adapter: { getTrackDetail: () => ({ ...track, title }) }, options: { maxAge: 60_000 } })
    const { ask } = await replica()
    const tag = async () => (await ask(url)).headers.etag
    const first = await tag()
    const other = (await replica()).ask
    t.equal((await other(url, { headers: { 'if-none-match': first } })).statusCode, 304)
    advance(61)
    t.equal(await tag(), first)
    title = `b${long}`
    advance(61)
    t.not(await tag(), first)
    title = `a${long}`
    advance(61)
    t.equal(await tag(), first)
  }
})

t.test('Vary is added to what a hook has set', async t => {
  for (const [given, vary] of [
    ['Origin', 'Origin, Authorization'], ['accept, AUTHORIZATION', 'accept, AUTHORIZATION'],
    ['authorization , accept', 'authorization , accept'], ['Authorization-Info', 'Authorization-Info, Authorization'],
    ['*', '*'], [['Origin', 'Accept'], 'Origin, Accept, Authorization']
  ]) {
    const { app, ask } = await serve(t, { plugin: {} })
    app.addHook('onRequest', async (_request, reply) => { reply.header('vary', given) })
    t.equal((await ask(url)).headers.vary, vary)
  }
})

t.test('a host that lets shared caches keep all does not reach these answers; one that forbids more does', async t => {
  for (const [given, expected] of [
    ['public, max-age=60', 'no-store'], ['no-cache', 'no-store'], ['no-store, max-age=0', 'no-store, max-age=0']
  ]) {
    const app = await build(t, { resolveContext: contextOf(completeAdapter().adapter) })
    app.addHook('onRequest', async (_request, reply) => { reply.header('cache-control', given) })
    t.equal((await app.inject(callOf(operationOf('getTrackDetail')))).headers['cache-control'], expected)
  }
})

for (const status of [400, 500]) {
  t.test(`an error ${status} of a hook of the host after the answer is no-store and has no ETag`, async t => {
    const { app, ask } = await serve(t)
    let isFirst = true
    app.addHook('onSend', async () => {
      if (isFirst) { isFirst = false; throw Object.assign(new Error('hook'), { status }) }
    })
    const { statusCode, headers } = await ask(url)
    t.equal(statusCode, status)
    t.strictSame({ ...cachingHeaders({ headers }), 'cache-status': headers['cache-status'] }, {
      ...noStore, vary: 'Authorization', 'cache-status': undefined
    })
  })
}

t.test('an error of a hook of the host that fails for the error too is no-store and has no ETag', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  let fails = false
  // Before the source, so that it goes before the hooks of that.
  app.addHook('onSend', async () => { if (fails) throw Object.assign(new Error('hook'), { status: 503 }) })
  await app.register(sourceOrigin, {
    cache: createSourceCache({ operations: { getTrackDetail: { scope: 'public' } } }),
    resolveContext: () => ({ adapter: { getTrackDetail: () => track } })
  })
  t.match((await app.inject(url)).headers, { 'cache-control': /max-age/, etag: String })
  fails = true
  const { statusCode, headers } = await app.inject(url)
  t.equal(statusCode, 503)
  t.match(headers, { 'cache-control': 'no-store', etag: undefined })
})

t.test('Cache-Status tells in development what the cache did', async t => {
  const advance = stopClock(t)
  const { ask } = await serve(t, { plugin: { validateResponses: true } })
  const status = async (path: string) => (await ask(path)).headers['cache-status']
  t.strictSame(await Promise.all([status(url), status(url)]), [
    'source-origin; fwd=miss', 'source-origin; fwd=miss; collapsed'
  ])
  t.equal(await status(url), 'source-origin; hit; ttl=3600')
  advance(3601.5)
  t.equal(await status(url), 'source-origin; hit; ttl=-2')
  t.equal(await status('/v1/track/roam'), 'source-origin; fwd=bypass')
})

t.test('there is no Cache-Status in production', async t => {
  const { ask } = await serve(t, { plugin: { validateResponses: false } })
  for (let i = 0; i < 2; i++) t.equal((await ask(url)).headers['cache-status'], undefined)
})

t.test('a hit runs the checks: who is no longer authorised sees nothing', async t => {
  let isRevoked = false
  const app = await build(t, {
    cache: createSourceCache(),
    resolveContext: () => isRevoked ? null : { adapter: { getTrackDetail: async () => track }, account: 'ada' }
  })
  t.equal((await app.inject({ url, headers: authorized })).statusCode, 200)
  isRevoked = true
  t.equal((await app.inject({ url, headers: { ...authorized, 'if-none-match': '*' } })).statusCode, 401)
})

t.test('a ttl without an end is the longest max-age there is', async t => {
  stopClock(t)
  const { ask } = await serve(t, {
    options: { scope: 'public', operations: { getTrackDetail: { ttl: Infinity } } },
    adapter: { getTrackDetail: () => track }
  })
  t.equal((await ask(url)).headers['cache-control'], 'private, max-age=2147483648')
})

for (const broken of [{}, { items: 'none' }, { toJSON: () => ({ items: 7, offset: 0, limit: 20, hasMore: false }) }]) {
  t.test(`in production a page whose list is none is sent empty and not kept: ${JSON.stringify(Object.keys(broken))}`, async t => {
    const page = Object.assign({ offset: 0, limit: 20, hasMore: false }, broken)
    const { ask, calls } =
      await serve(t, { adapter: { searchTracks: () => page }, plugin: { validateResponses: false } })
    const answers = [await ask('/v1/search/tracks?keyword=a'), await ask('/v1/search/tracks?keyword=a')]
    t.equal(answers[0]!.headers['cache-control'], 'no-store')
    t.equal(calls(), 2)
  })
}

t.test('the id of a created playlist that is too long to be asked for makes no answer old', async t => {
  const id = 'x'.repeat(1025)
  const { ask, calls } = await serve(t, { adapter: { createPlaylist: () => ({ ...dataOf('createPlaylist'), id }) } })
  await ask(url)
  t.equal((await ask('/v1/playlist/create', { method: 'POST', payload: { name: 'new' } })).json().data.id, id)
  const before = calls()
  await ask(url)
  t.equal(calls(), before)
})
