import { getEventListeners } from 'node:events'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import t, { type Test } from 'tap'
import fastify from 'fastify'
import { createSourceRouter, UnsupportedFeatureError as ServerSide } from 'fastify-source-origin'
import { createSourceClient, errors, SourceError, TimeoutError, UpstreamError } from 'fastify-source-origin/client'
import { listen, serve, thrownBy } from './helper.ts'

t.test('the error classes are those of the plugin', async t => {
  t.equal(errors.UnsupportedFeatureError, ServerSide)
})

const { SourceError: _any, ...ofStatus } = errors

for (const [name, ErrorClass] of Object.entries(ofStatus)) {
  t.test(`${name} of the origin comes back as ${name} with status, code and message`, async t => {
    const app = fastify()
    const getNewTracks = () => { throw new ErrorClass('As thrown', { code: 70001 }) }
    await app.register(createSourceRouter({ resolveContext: () => ({ adapter: { getNewTracks } }) }))
    const error = await thrownBy(createSourceClient({ baseUrl: await listen(t, app) }).getNewTracks())
    t.ok(error instanceof ErrorClass)
    t.match(error, { name, status: new ErrorClass().status, code: 70001, message: 'As thrown' })
  })
}

t.test('a status without a class of its own comes back as SourceError', async t => {
  const client = createSourceClient({
    baseUrl: 'http://x', fetch: async () => Response.json({ code: 418, message: 'Tea', data: null }, { status: 418 })
  })
  const error = await thrownBy(client.getNewTracks())
  t.match(error, { name: 'SourceError', status: 418, code: 418, message: 'Tea' })
  t.ok(error instanceof SourceError)
})

for (const [header, seconds] of [
  ['7', 7], ['6.5', 7], ['Thu, 01 Jan 2026 00:00:00 GMT', 0], ['9'.repeat(400), 86_400], ['soon', undefined]
] as const) {
  t.test(`Retry-After: ${header.slice(0, 20)} gives ${seconds}`, async t => {
    const client = createSourceClient({
      baseUrl: 'http://x',
      fetch: async () =>
        Response.json({ code: 429, message: 'Slow', data: null }, { status: 429, headers: { 'retry-after': header } })
    })
    t.equal((await thrownBy(client.getNewTracks())).retryAfterSeconds, seconds)
  })
}

const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }
const noEnvelopes: [string, number, Record<string, string>, string][] = [
  ['HTML', 200, html, '<html>'],
  ['an error page', 502, html, '<html>'],
  ['JSON without the envelope', 200, json, '{"id":"1"}'],
  ['JSON that is no object', 200, json, '"text"'],
  ['broken JSON', 200, json, '{"code":200,'],
  ['another code', 200, json, '{"code":0,"data":[]}'],
  ['null data', 200, json, '{"code":200,"data":null}'],
  ['an error that is called a success', 200, json, '{"code":404,"message":"Gone","data":null}'],
  ['a success that is called an error', 404, json, '{"code":200,"data":[]}'],
  ['a service status that is called an error', 503, json, '{"status":"online","version":"1"}'],
  ['nothing', 200, {}, '']
]
for (const [title, status, headers, body] of noEnvelopes) {
  t.test(`${title} instead of an envelope is an UpstreamError that says so`, async t => {
    const baseUrl = await serve(t, (_request, response) => { response.writeHead(status, headers).end(body) })
    const client = createSourceClient({ baseUrl })
    const error = await thrownBy(client.getTrackUrl('secret'))
    t.ok(error instanceof UpstreamError)
    t.equal(
      error.message,
      `GET /v1/track/url answered ${status} ${headers['content-type'] ?? 'without a content type'} instead of the envelope`
    )
    if (!body.includes('404')) {
      t.match(await thrownBy(client.serviceStatus()), { name: 'UpstreamError', message: /^GET \/status answered/ })
    }
  })
}

t.test('no connection is an UpstreamError, with what happened as its cause', async t => {
  const error = await thrownBy(createSourceClient({ baseUrl: 'http://127.0.0.1:1' }).getTrackDetail('secret'))
  t.ok(error instanceof UpstreamError)
  t.equal(error.message, 'GET /v1/track: no connection to the source')
  t.ok(error.cause)
})

t.test('a connection that breaks within the answer is an UpstreamError', async t => {
  const baseUrl = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{', () => response.destroy())
  })
  t.match(await thrownBy(createSourceClient({ baseUrl }).getNewTracks()), {
    name: 'UpstreamError', message: /no connection/
  })
})

/** Answers with JSON that has no end, in gzip. */
const endless = (t: Test, status: number, until: () => void) => serve(t, (_request, response) => {
  response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  const packed = createGzip()
  packed.pipe(response)
  Readable.from(Array.from({ length: 200 }, () => '0,'.repeat(500_000))).pipe(packed)
  response.on('close', () => {
    packed.destroy()
    until()
  })
})

for (const status of [200, 500]) {
  t.test(`an answer of ${status} that unpacks to more than maxBody is an UpstreamError, and is read no further`,
    async t => {
      let end!: () => void
      const closed = new Promise<void>(resolve => { end = resolve })
      const client = createSourceClient({ baseUrl: await endless(t, status, end), maxBody: 1_000_000 })
      t.match(await thrownBy(client.getTrackDetail('secret')), {
        name: 'UpstreamError', message: 'GET /v1/track answered more than 1000000 bytes'
      })
      await closed
    })
}

t.test('an answer of 10 MiB is read by default, and no longer one', async t => {
  const of = (length: number) => {
    const start = '{"code":200,"data":["'
    return `${start}${'x'.repeat(length - start.length - 3)}"]}`
  }
  const clientOf = (body: string) => createSourceClient({ baseUrl: 'http://x', fetch: async () => new Response(body) })
  t.equal((await clientOf(of(10_485_760)).getNewTracks()).length, 1)
  t.match(await thrownBy(clientOf(of(10_485_761)).serviceStatus()), { name: 'UpstreamError', message: /10485760/ })
})

t.test('no answer, and an answer without an end, are a TimeoutError', async t => {
  const baseUrl = await serve(t, (request, response) => { if (request.url === '/v1/track/new') response.write('{') })
  const client = createSourceClient({ baseUrl, timeout: 30 })
  for (const call of [client.getNewTracks(), client.getDailyTracks()]) {
    const error = await thrownBy(call)
    t.ok(error instanceof TimeoutError)
    t.match(error.message, /: no answer within 30 ms$/)
  }
})

t.test('a fetch that does not mind the signal is not waited for', async t => {
  const client = createSourceClient({ baseUrl: 'http://x', fetch: () => new Promise(() => {}), timeout: 10 })
  t.match(await thrownBy(client.getNewTracks()), { name: 'TimeoutError' })
})

t.test('the signal of the client ends a call with its reason, before and within it', async t => {
  const controller = new AbortController()
  const baseUrl = await serve(t, () => controller.abort(new Error('No longer wanted')))
  const client = createSourceClient({ baseUrl, signal: controller.signal, timeout: 0 })
  t.match(await thrownBy(client.getNewTracks()), { message: 'No longer wanted' })
  t.match(await thrownBy(client.getNewTracks()), { message: 'No longer wanted' })
})

t.test('no timer stays after a call', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  const client = createSourceClient({ baseUrl: 'http://x', fetch: async () => Response.json({ code: 200, data: [] }) })
  await client.getNewTracks()
  t.equal(timers(), before)
})

t.test('nothing stays on the signal after a call', async t => {
  const { signal } = new AbortController()
  const client =
    createSourceClient({ baseUrl: 'http://x', signal, fetch: async () => Response.json({ code: 200, data: [] }) })
  await client.getNewTracks()
  t.equal(getEventListeners(signal, 'abort').length, 0)
})
