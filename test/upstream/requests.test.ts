import { inspect } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { errors } from 'fastify-source-origin'
import { MockAgent } from 'undici'
import { createUpstream, path, type UpstreamRequest } from 'fastify-source-origin/upstream'
import { answer } from '../faulty-upstream.ts'
import { build } from './helper.ts'

t.test('path and query follow the base URL, which may end with /', async t => {
  const { server, upstream } = await build(t)
  t.strictSame(await upstream.json('/songs', { query: { id: 'a&b', page: 2, all: true, none: undefined } }), {
    ok: true
  })
  await upstream.json('')
  await upstream.json('/songs?kind=1', { query: { id: 'x' } })
  await upstream.json('/songs?kind=1#part')
  const other = await build(t, { baseUrl: `${server.url}/v4/` })
  await other.upstream.json('/songs/%2F%3F')
  t.strictSame(server.arrivals.map(({ url }) => url),
    ['/v3/songs?id=a%26b&page=2&all=true', '/v3', '/v3/songs?kind=1&id=x', '/v3/songs?kind=1', '/v4/songs/%2F%3F'])
})

t.test('spaces and control characters at the end of a path stay, so that no dot segment is left', async t => {
  const { server, upstream } = await build(t)
  for (const path of ['/songs/.. ', '/songs/..\u0000 ', '/songs/a ', '/songs?id=a ']) await upstream.json(path)
  t.strictSame(server.arrivals.map(({ url }) => url), [
    '/v3/songs/..%20', '/v3/songs/..%00%20', '/v3/songs/a%20', '/v3/songs?id=a%20'
  ])
})

for (const path of [
  '/songs/..', '/songs/../me', '/songs/%2e%2E', '/./songs', '/songs/.\t./me', '/songs\\..\\me', '/..?id=1'
]) {
  t.test(`no request goes to ${JSON.stringify(path)}, which leaves its folder`, async t => {
    const { server, upstream } = await build(t)
    await t.rejects(upstream.json(path), { name: 'NotFoundError', status: 404 })
    t.equal(server.arrivals.length, 0)
  })
}

t.test('headers of a request win over those of its scope, and those over the options', async t => {
  const { server, upstream } = await build(t, { headers: { 'X-A': 'options', 'X-B': 'options', 'X-C': 'options' } })
  const api = upstream.for({ headers: { 'x-b': 'scope', 'x-c': 'scope' } })
  await api.json('/me', { headers: { 'X-c': 'request' } })
  await api.for({ headers: { 'x-b': 'inner' } }).text('/me')
  t.match(server.arrivals[0]!.headers, {
    'x-a': 'options', 'x-b': 'scope', 'x-c': 'request', accept: 'application/json', 'accept-encoding': 'gzip, br'
  })
  t.match(server.arrivals[1]!.headers, { 'x-a': 'options', 'x-b': 'inner', 'x-c': 'scope', accept: '*/*' })
})

const bodies: [string, UpstreamRequest<never>, { method: string, body: string, type: string | undefined }][] = [
  ['nothing', {}, { method: 'GET', body: '', type: undefined }],
  ['JSON', { json: { id: 'ü' } }, { method: 'POST', body: '{"id":"ü"}', type: 'application/json' }],
  ['a form', { form: { id: 'a&b' } }, { method: 'POST', body: 'id=a%26b', type: 'application/x-www-form-urlencoded' }],
  ['text', { body: 'text', method: 'put', headers: { 'Content-Type': 'text/plain' } },
    { method: 'PUT', body: 'text', type: 'text/plain' }],
  ['bytes', { body: Buffer.from('bytes') }, { method: 'POST', body: 'bytes', type: undefined }]
]
for (const [what, request, { method, body, type }] of bodies) {
  t.test(`a request with ${what} is a ${method}`, async t => {
    const { server, upstream } = await build(t)
    await upstream.json('/x', request)
    const [arrival] = server.arrivals
    t.strictSame([arrival!.method, String(arrival!.body), arrival!.headers['content-type']], [method, body, type])
  })
}

t.test('an answer is given as JSON, text, bytes or whole', async t => {
  const { server, upstream } = await build(t)
  server.always(answer('\uFEFF{"title":"ü"}', 201, { 'x-page': '2' }))
  t.strictSame(await upstream.json<{ title: string }>('/x'), { title: 'ü' })
  t.equal(await upstream.text('/x'), '{"title":"ü"}')
  t.strictSame(await upstream.bytes('/x'), Buffer.from('\uFEFF{"title":"ü"}'))
  t.match(await upstream.response('/x'), {
    status: 201, headers: { 'x-page': '2' }, body: Buffer.from('\uFEFF{"title":"ü"}')
  })
})

t.test('HEAD and 204 have no body, whatever their headers say', async t => {
  const { server, upstream } = await build(t)
  server.plan(answer('', 200, { 'content-encoding': 'gzip' }), answer('', 204))
  t.equal((await upstream.response('/x', { method: 'HEAD' })).body.length, 0)
  t.equal(await upstream.text('/x'), '')
})

const encodings: [string, (text: string) => Uint8Array | string][] = [
  ['gzip', text => gzipSync(text)],
  ['X-GZIP', text => gzipSync(text)],
  ['br', text => brotliCompressSync(text)],
  ['deflate', text => deflateSync(text)],
  ['identity', text => text],
  ['gzip, br', text => brotliCompressSync(gzipSync(text))]
]
for (const [encoding, encode] of encodings) {
  t.test(`an answer that is encoded as ${encoding} is decoded`, async t => {
    const { server, upstream } = await build(t)
    server.plan(answer(encode('{"title":"ü"}'), 200, { 'content-encoding': encoding }))
    t.strictSame(await upstream.json('/x'), { title: 'ü' })
  })
}

t.test('what cannot be sent is refused by name', async t => {
  const { server, upstream } = await build(t)
  const texts = 'must be a plain object of texts, numbers, booleans and undefined'
  const refused: [string, string, object][] = [
    ['/x', `Option "query" ${texts}`, { query: { a: null } }],
    ['songs', 'Option "path" must be a path that starts with /', {}],
    ['https://other.example/', 'Option "path" must be a path that starts with /', {}],
    ['/x', 'Unknown option "idempotant": did you mean "idempotent"?', { idempotant: true }],
    ['/x', 'Option "body" must be the only one of json, form and body', { json: 1, form: {} }],
    ['/x', 'Option "json" must be a value that JSON can write', { json: () => 1 }],
    ['/x', 'Option "method" must be an HTTP method', { method: 'GET /' }],
    ['/x', 'Option "method" must be an HTTP method', { method: ' GET' }],
    ['/x', 'Option "method" must be an HTTP method', { method: '' }],
    ['/x', 'Option "method" must be an HTTP method', { method: Object('GET') }],
    ['/x', `Option "query" ${texts}`, { query: 'a=b' }],
    ['/x', `Option "form" ${texts}`, { form: [] }],
    ['/x', 'Option "body" must be text or bytes', { body: {} }],
    ['/x', 'Option "idempotent" must be a boolean', { idempotent: 1 }],
    ['/x', `Option "query" ${texts}`, { query: new URLSearchParams({ a: 'b' }) }],
    ['/x', `Option "form" ${texts}`, { form: new Map([['a', 'b']]) }],
    ['/x', 'Option "headers" must be a plain object of header names with text without line breaks',
      { headers: new Headers({ a: 'b' }) }],
    ['/x', 'Option "errors" must be a plain object', { errors: null }],
    ['/x', 'Option "check" must be a function', { check: true }],
    ['/x', 'Option "timeout" must be a whole number of milliseconds from 1 to 2147483647', { timeout: 0 }],
    ['/x', 'Option "retries" must be a whole number from 0 to 2147483647', { retries: -1 }],
    ['/x', 'Option "headers" must be a plain object of header names with text without line breaks',
      { headers: { cookie: 'a\nb' } }]
  ]
  for (const [path, message, request] of refused) {
    const error = await upstream.response(path, request).catch(error => error)
    t.match(error, { name: 'TypeError', code: /^SOURCE_ORIGIN_ERR_/ })
    t.equal(error.message, message)
  }
  await t.rejects(upstream.json('/x', { headers: { upgrade: 'h2c' } }), {
    code: 'UND_ERR_INVALID_ARG', message: 'invalid upgrade header'
  })
  t.equal(server.arrivals.length, 0)
})

const line = () => {}
const headerText = 'a plain object of header names with text without line breaks'
const scopes: [string, string, unknown[]][] = [
  ['account', 'a text that is not empty', ['', 7]],
  ['signal', 'an AbortSignal', [{}, null]],
  ['log', 'a logger',
    [{}, null, line, { debug: line }, { warn: line }, { debug: true, warn: line }, { debug: line, warn: true }]],
  ['headers', headerText, [{ 'a b': '' }, { a: 7 }, 'a: b']]
]
for (const [name, must, values] of scopes) {
  for (const value of values) {
    t.test(`a scope with the ${name} ${inspect(value)} is refused by name`, async t => {
      const { upstream } = await build(t)
      try {
        upstream.for({ [name]: value })
        t.fail()
      } catch (error: any) {
        t.strictSame([error.code, error.message], [
          'SOURCE_ORIGIN_ERR_INVALID_OPTION', `Option "${name}" must be ${must}`
        ])
      }
    })
  }
}

t.test('an unknown member of a scope is refused, and a scope must be an object', async t => {
  const { upstream } = await build(t)
  t.throws(() => upstream.for({ acount: 'u-1' } as never), {
    message: 'Unknown option "acount": did you mean "account"?'
  })
  t.throws(() => upstream.for('u-1' as never), { message: 'Option "options" must be an object' })
})

t.test('a path has its values encoded, and is refused where it would be another', async t => {
  const { server, upstream } = await build(t)
  for (const id of ['a?b#c', '../x', 'ä/%2F', ' . ', 7]) await upstream.text(path`/songs/${id}/url/${1}`)
  t.strictSame(server.arrivals.map(({ url }) => url), [
    '/v3/songs/a%3Fb%23c/url/1', '/v3/songs/..%2Fx/url/1', '/v3/songs/%C3%A4%2F%252F/url/1', '/v3/songs/%20.%20/url/1',
    '/v3/songs/7/url/1'
  ])
  for (const id of ['', '.', '..', '\uD800']) t.throws(() => path`/songs/${id}`, errors.NotFoundError)
  for (const id of [undefined, null, NaN, {}] as unknown as string[]) {
    t.throws(() => path`/songs/${id}`, { code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: '"path"' })
  }
})

t.test('requests go through a dispatcher that is given, which stays open', async t => {
  const dispatcher = new MockAgent()
  dispatcher.disableNetConnect()
  t.teardown(() => dispatcher.close())
  const pool = dispatcher.get('https://music.example')
  pool.intercept({ path: '/v3/songs/1' }).reply(200, { title: 'One' }).times(2)
  const ask = async () => {
    const upstream = createUpstream({ baseUrl: 'https://music.example/v3', dispatcher, retries: 0 })
    const song = await upstream.json(path`/songs/${1}`)
    await upstream.close()
    await t.rejects(upstream.json('/songs/1'), { message: 'The upstream client is closed' })
    return song
  }
  t.strictSame([await ask(), await ask()], [{ title: 'One' }, { title: 'One' }])
  t.throws(() => createUpstream({ baseUrl: 'https://music.example', dispatcher, proxy: true }), { message: '"proxy"' })
  t.throws(() => createUpstream({ baseUrl: 'https://music.example', dispatcher: {} as MockAgent }), {
    message: '"dispatcher" must be a dispatcher of undici'
  })
})
