import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import swagger from '@fastify/swagger'
import underPressure from '@fastify/under-pressure'
import fastify, {
  type FastifyInstance, type FastifyRequest, type FastifyServerOptions, type RouteOptions
} from 'fastify'
import t, { type Test } from 'tap'
import sourceOrigin, { createSourceRouter, operations } from 'fastify-source-origin'
import serveSource from 'fastify-source-origin/serve'
import { authorized, build, callOf, completeAdapter, contextOf, dataOf, logged, token } from './helper.ts'
import { operationOf } from '../lib/contract/operations.ts'

type Prepare = (host: FastifyInstance) => void

/** Hosts whose own ways must not change the contract. */
const hosts: Record<string, { options?: FastifyServerOptions, prepare?: Prepare }> = {
  'an Ajv that coerces and strips': {
    options: {
      ajv: { customOptions: { coerceTypes: 'array', removeAdditional: 'all', useDefaults: true, allErrors: true } }
    }
  },
  'a router without trailing slashes, case and double slashes': {
    options: { routerOptions: { ignoreTrailingSlash: true, caseSensitive: false, ignoreDuplicateSlashes: true } }
  },
  'no HEAD routes': { options: { exposeHeadRoutes: false } },
  'its own error handlers and not-found handler': {
    prepare (host) {
      host.setErrorHandler((_error, _request, reply) => reply.code(418).send('the host\'s'))
      host.setNotFoundHandler((_request, reply) => reply.code(418).send('the host\'s'))
      host.setSchemaErrorFormatter(() => new Error('the host\'s'))
    }
  },
  'its own compilers and serializers': {
    prepare (host) {
      host.setValidatorCompiler(() => () => ({ error: new Error('the host\'s') }))
      host.setSerializerCompiler(() => () => '"the host\'s"')
      host.setReplySerializer(() => '"the host\'s"')
    }
  },
  'an envelope of its own': {
    prepare (host) { host.addHook('preSerialization', async (_request, _reply, payload) => ({ host: payload })) }
  },
  'its own body parsers': {
    prepare (host) {
      host.removeAllContentTypeParsers()
      host.addContentTypeParser(
        '*', (_request, payload, done) => { payload.resume(); done(null, { id: 'the host\'s' }) }
      )
    }
  },
  'schemas of the same names': {
    prepare (host) { for (const $id of ['Track', 'Album', 'Status']) host.addSchema({ $id, type: 'string' }) }
  },
  'strict Ajv and an error on poisoned prototypes': {
    options: { onProtoPoisoning: 'remove', ajv: { customOptions: { strict: true } } }
  }
}

async function within (t: Test, { options, prepare }: typeof hosts[string], prefix = ''): Promise<FastifyInstance> {
  const host = fastify(options)
  t.teardown(() => host.close())
  prepare?.(host)
  await host.register(sourceOrigin, { resolveContext: contextOf(completeAdapter().adapter), prefix })
  return host
}

for (const [name, host] of Object.entries(hosts)) {
  t.test(`a host with ${name}: every operation answers as ever`, async t => {
    const app = await within(t, host)
    for (const operation of operations) {
      const response = await app.inject(callOf(operation))
      t.equal(response.statusCode, 200, operation.adapterMethod)
      t.same(response.json(), { code: 200, data: dataOf(operation.adapterMethod) })
      t.equal((await app.inject(callOf(operation, {}, {}))).statusCode, 401)
    }
  })

  t.test(`a host with ${name}: errors are ours`, async t => {
    const app = await within(t, host)
    const favorite = callOf(operationOf('favoriteTrack'), { id: 'a', status: 'true' })
    t.match((await app.inject(favorite)).json(), { code: 400, message: 'status', data: null })
    t.match((await app.inject(callOf(operationOf('deletePlaylist'), { id: 'a', foreign: 1 }))).json(), {
      code: 400, message: 'foreign'
    })
    t.match(
      (await app.inject({ ...favorite, payload: '{', headers: { ...authorized, 'content-type': 'application/json' } }))
        .json(),
      { code: 400 }
    )
    t.match((await app.inject(
      { ...favorite, payload: '{"__proto__":{}}', headers: { ...authorized, 'content-type': 'application/json' } }
    )).json(), { code: 400 })
    t.match(
      (await app.inject({ ...favorite, payload: 'a', headers: { ...authorized, 'content-type': 'text/plain' } }))
        .json(),
      { code: 415 }
    )
    t.match((await app.inject({ url: '/v1/track?id=1&id=2', headers: authorized })).json(), {
      code: 400, message: 'id'
    })
    t.match((await app.inject({ url: '/v1/track?id=', headers: authorized })).json(), { code: 400, message: 'id' })
    t.strictSame((await app.inject({ url: '/v1/nowhere', headers: authorized })).json(), {
      code: 404, message: 'Path not found', data: null
    })
    t.match((await app.inject('/v1/nowhere')).json(), { code: 401 })
  })

  t.test(`a host with ${name}: the public routes are ours`, async t => {
    const app = await within(t, host)
    t.match((await app.inject('/status')).json(), { status: 'online' })
    t.equal((await app.inject('/v1/track/fm?a=b')).headers.location, 'roam?a=b')
    t.match((await app.inject('/openapi.json')).json(), { openapi: '3.1.0' })
    t.equal((await app.inject({ method: 'HEAD', url: '/v1/track?id=1', headers: authorized })).statusCode, 200)
  })

  t.test(`a host with ${name}: works under a prefix`, async t => {
    const app = await within(t, host, '/music')
    t.match((await app.inject('/music/status')).json(), { status: 'online' })
    t.match((await app.inject({ url: '/music/v1/track?id=1', headers: authorized })).json(), { code: 200 })
    t.match((await app.inject('/music/v1/nowhere')).json(), { code: 401 })
    t.equal((await app.inject('/music/v1/track/lyric?id=1')).headers.location, 'lyrics?id=1')
    t.ok((await app.inject('/music/openapi.json')).json().paths['/music/v1/track'])
  })
}

t.test('a router that ignores case and slashes finds our paths by other spellings, all guarded', async t => {
  const app = await within(t, hosts['a router without trailing slashes, case and double slashes']!)
  for (const url of ['/V1/Track/?id=1', '/v1//track?id=1', '/V1/TRACK?id=1']) {
    t.equal((await app.inject(url)).statusCode, 401, url)
    t.equal((await app.inject({ url, headers: authorized })).statusCode, 200, url)
  }
  for (const url of ['/V1/nowhere', '/v1//nowhere/', '/V1']) {
    t.match((await app.inject(url)).json(), { code: 401 }, url)
    t.match((await app.inject({ url, headers: authorized })).json(), { code: 404 }, url)
  }
})

t.test('a redirect by another spelling of its path leads to the operation', async t => {
  const app = await within(t, hosts['a router without trailing slashes, case and double slashes']!)
  for (const url of ['/V1/Track/FM?id=1', '/v1//track/lyric/?id=1', '/v1/track/lyric///?id=1', '/v1/track/fm/#?id=1']) {
    const { statusCode, headers: { location } } = await app.inject(url)
    t.equal(statusCode, 308, url)
    const { pathname, search } = new URL(String(location), `http://host${url}`)
    t.equal((await app.inject({ url: pathname + search, headers: authorized })).statusCode, 200, url)
  }
})

t.test('a public answer is no-store, unless the host says how long it is kept', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  host.addHook('onRequest', async (request, reply) => {
    if (request.headers.kept !== undefined) reply.header('cache-control', 'max-age=5')
  })
  await host.register(sourceOrigin, { resolveContext: () => null })
  for (const url of ['/status', '/v1/track/fm', '/openapi.json']) {
    t.equal((await host.inject(url)).headers['cache-control'], 'no-store', url)
    t.equal((await host.inject({ url, headers: { kept: 'yes' } })).headers['cache-control'], 'max-age=5', url)
  }
})

t.test('/status is in the log of a host at debug, since probes ask every few seconds', async t => {
  for (const level of ['info', 'debug']) {
    const { lines, logger } = logged()
    const host = fastify({ logger: { ...logger, level } })
    t.teardown(() => host.close())
    await host.register(sourceOrigin, { resolveContext: () => null })
    await host.inject('/status')
    t.equal(lines.length > 0, level === 'debug', level)
  }
})

t.test('what belongs to the host stays the host\'s', async t => {
  const host = fastify({ ajv: { customOptions: { coerceTypes: 'array' } } })
  t.teardown(() => host.close())
  host.setErrorHandler((error: Error, _request, reply) => reply.code(418).send({ host: error.message }))
  host.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'not found' }))
  await host.register(sourceOrigin, { resolveContext: contextOf({}), prefix: '/music' })
  host.get('/fails', async () => { throw new Error('mine') })
  host.get(
    '/coerces',
    { schema: { querystring: { type: 'object', properties: { n: { type: 'array', items: { type: 'integer' } } } } } },
    async request => request.query
  )
  host.get(
    '/serializes', { schema: { response: { 200: { type: 'object', properties: { kept: { type: 'string' } } } } } },
    async () => ({ kept: 'a', dropped: 'b' })
  )
  host.post('/text', async request => ({ body: request.body }))

  t.strictSame((await host.inject('/fails')).json(), { host: 'mine' })
  t.strictSame((await host.inject('/coerces?n=1')).json(), { n: [1] })
  t.strictSame((await host.inject('/serializes')).json(), { kept: 'a' })
  t.strictSame(
    (await host.inject({ method: 'POST', url: '/text', payload: 'hi', headers: { 'content-type': 'text/plain' } }))
      .json(),
    { body: 'hi' }
  )
  for (const url of ['/nowhere', '/v1/track', '/v1', '/music', '/music/nowhere', '/music/v2/track']) {
    t.strictSame((await host.inject(url)).json(), { host: 'not found' }, url)
  }
})

t.test('an error of a host\'s hook on our routes has our shape, on the public ones too', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  host.addHook('onRequest', async () => { throw Object.assign(new Error('Closed for today'), { statusCode: 503 }) })
  await host.register(sourceOrigin, { resolveContext: () => null })
  for (const url of ['/status', '/v1/status', '/v1/track/fm', '/openapi.json']) {
    t.strictSame((await host.inject(url)).json(), { code: 503, message: 'Closed for today', data: null }, url)
  }
})

t.test('our hook runs for our routes only', async t => {
  let runs = 0
  const app = await build(t, { resolveContext: () => { runs++; return null } })
  app.get('/mine', async () => 'mine')
  t.equal((await app.inject('/mine')).body, 'mine')
  t.equal((await app.inject('/nowhere')).statusCode, 404)
  t.equal(runs, 0)
})

t.test('the host sees the context of a request, null where there is none', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  const seen: unknown[] = []
  host.addHook('onResponse', async request => { seen.push(request.sourceContext) })
  const context = { adapter: {}, accountName: 'ada' }
  await host.register(sourceOrigin, { resolveContext: ({ authorization }) => authorization === token ? context : null })
  await host.inject('/status')
  await host.inject('/v1/status')
  await host.inject({ url: '/v1/status', headers: authorized })
  t.strictSame(seen.slice(0, 2), [null, null])
  t.match(seen[2], { ...context, stateless: true, capabilities: [] })
})

t.test('twice in one host, each with its own adapter, prefix and token', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  for (const name of ['one', 'two']) {
    await host.register(createSourceRouter({
      prefix: `/${name}`,
      resolveContext: ({ authorization }) =>
        authorization === name ? { adapter: { getNewTracks: () => [dataOf('getTrackDetail')] } } : null
    }))
  }
  for (const [name, other] of [['one', 'two'], ['two', 'one']]) {
    t.equal((await host.inject({ url: `/${name}/v1/track/new`, headers: { authorization: name } })).statusCode, 200)
    t.equal((await host.inject({ url: `/${name}/v1/track/new`, headers: { authorization: other } })).statusCode, 401)
  }
})

t.test('createSourceRouter that is registered and not called says so', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  await t.rejects(async () => host.register(createSourceRouter as never).ready(), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: /not register\(createSourceRouter\)/
  })
})

t.test('options of register go before those of createSourceRouter', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  await host.register(createSourceRouter({ resolveContext: () => null, prefix: '/a' }), { prefix: '/b' })
  t.equal((await host.inject('/a/status')).statusCode, 404)
  t.equal((await host.inject('/b/status')).statusCode, 200)
})

t.test('an option of register that is undefined leaves that of createSourceRouter', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  await host.register(
    createSourceRouter({ resolveContext: () => null, exposeOpenApi: false, prefix: '/a' }),
    { exposeOpenApi: undefined, prefix: undefined } as object
  )
  t.equal((await host.inject('/a/status')).statusCode, 200)
  t.equal((await host.inject('/a/openapi.json')).statusCode, 404)
})

t.test('a prefix with a parameter: the redirects stay in it', async t => {
  const app = await build(t, { prefix: '/:account' })
  t.equal((await app.inject('/ad%20a/v1/track/fm?x=1')).headers.location, 'roam?x=1')
})

for (const [prefix, path] of Object.entries({
  '/': '', '/a/': '/a', '/a b': '/a%20b', '/音乐': '/%E9%9F%B3%E4%B9%90', '/:a(^\\d+)': '/12', '/::literal': '/:literal'
})) {
  t.test(`inside of a plugin with the prefix ${prefix} the redirects stay there, and /openapi.json names it`, async t => {
    const host = fastify()
    t.teardown(() => host.close())
    await host.register(
      async scope => { await scope.register(sourceOrigin, { resolveContext: () => null, exposeOpenApi: true }) },
      { prefix }
    )
    t.equal((await host.inject(`${path}/v1/track/fm?x=1`)).headers.location, 'roam?x=1')
    const response = await host.inject(`${path}/openapi.json`)
    t.equal(response.statusCode, 200)
    const paths = Object.keys(response.json().paths)
    t.strictSame(paths.filter(described => !described.endsWith('/status') && !described.includes('/v1/')), [])
    t.ok(paths.length > operations.length)
  })
}

t.test('a redirect never leads to another host, whatever the request line says', async t => {
  const app = await build(t, { prefix: '/:account' })
  t.equal((await app.inject('//v1/track/fm')).headers.location, 'roam')
  const port = new URL(await app.listen()).port
  const socket = connect(Number(port))
  socket.end('GET http://evil.example/ada/v1/track/fm?x=1 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
  t.match((await text(socket)).toLowerCase(), '\r\nlocation: roam?x=1\r\n')
})

t.test('a host that adds schemas for headers and path to every route changes nothing of ours', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  host.addHook('onRoute', route => {
    const any = { type: 'object', properties: { 'x-a': { type: 'string' } } }
    route.schema = { ...route.schema, headers: any, params: any }
  })
  await host.register(sourceOrigin, { resolveContext: contextOf({ getNewTracks: () => [] }) })
  t.equal((await host.inject('/status')).statusCode, 200)
  t.equal((await host.inject({ url: '/v1/track/new', headers: authorized })).statusCode, 200)
})

t.test('a plugin of the host that compiles the responses of routes leaves ours alone', async t => {
  const host = fastify()
  const compiled: string[] = []
  // As @fastify/response-validation does, with schemas that it cannot resolve.
  host.addHook('onRoute', (route: RouteOptions & { responseValidation?: boolean }) => {
    if (route.responseValidation !== false && route.schema?.response !== undefined) compiled.push(route.url)
  })
  host.register(sourceOrigin, { resolveContext: contextOf({}) })
  host.get('/own', { schema: { response: { 200: { type: 'string' } } } }, () => 'own')
  await host.ready()
  t.same(compiled, ['/own', '/own'])
  await host.close()
})

for (const [order, isBefore] of [['before', true], ['after', false]] as const) {
  t.test(`a route of the host that takes one of ours is refused by name: ${order} it`, async t => {
    const host = fastify()
    t.teardown(() => host.close())
    const source = () => host.register(sourceOrigin, { resolveContext: contextOf({}), prefix: '/music' })
    if (!isBefore) source()
    host.register(underPressure, { exposeStatusRoute: '/music/status' })
    if (isBefore) source()
    await t.rejects(async () => { await host.ready() }, {
      code: 'SOURCE_ORIGIN_ERR_ROUTE_TAKEN', message: /GET \/music\/status .+exposeStatusRoute.+prefix/
    })
  })
}

t.test('a route of the host for another host name or path is not ours', async t => {
  const other = fastify()
  t.teardown(() => other.close())
  other.register(sourceOrigin, { resolveContext: contextOf({}), prefix: '/music' })
  other.register(underPressure, { exposeStatusRoute: true })
  other.after(() => other.get('/music/status', { constraints: { host: 'other.test' } }, () => 'of the other'))
  t.match((await other.inject('/status')).json(), { status: 'ok' })
  t.match((await other.inject('/music/status')).json(), { status: 'online' })
  t.equal((await other.inject({ url: '/music/status', headers: { host: 'other.test' } })).body, 'of the other')
})

t.test('a host with an own decorator of the name sourceContext is refused by name', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  host.decorateRequest('sourceContext', null)
  await t.rejects(async () => host.register(sourceOrigin, { resolveContext: () => null }), {
    code: 'SOURCE_ORIGIN_ERR_DECORATOR_TAKEN',
    message: /"sourceContext"/
  })
})

/** A host that documents itself, and has two sources. */
async function documented (t: Test, inHostDocument?: boolean, transform?: any) {
  const host = fastify()
  t.teardown(() => host.close())
  const info = { title: 'The host', version: '9' }
  await host.register(swagger, { openapi: { openapi: '3.1.0', info }, ...transform && { transform } })
  const options = { resolveContext: () => null, exposeOpenApi: true, inHostDocument }
  await host.register(sourceOrigin, options)
  const nested = async (instance: FastifyInstance) => {
    await instance.register(sourceOrigin, { ...options, prefix: '/b' })
  }
  await host.register(nested, { prefix: '/a' })
  host.get('/mine', async () => 'mine')
  await host.ready()
  return host
}

t.test('a host\'s own document has none of our routes and schemas, and ours is whole', async t => {
  // Those of type providers know nothing but schemas of their kind.
  const transform = ({ schema, url }: any) => {
    if (schema !== undefined && schema.hide !== true) throw new Error(`What is ${url}?`)
    return { schema, url }
  }
  const host = await documented(t, undefined, transform)
  const theirs: any = host.swagger()
  t.equal(theirs.info.title, 'The host')
  t.strictSame(Object.keys(theirs.paths), ['/mine'])
  t.notOk(Object.keys(theirs.components?.schemas ?? {}).length)
  const ours = (await host.inject('/a/b/openapi.json')).json()
  t.ok(operations.every(({ path }) => `/a/b${path}` in ours.paths))
})

t.test('a host\'s own document has our routes where it asks for them, each with an id of its own', async t => {
  const host = await documented(t, true)
  const theirs = host.swagger() as { paths: Record<string, Record<string, { operationId?: string }>> }
  t.ok(theirs.paths['/mine'])
  for (const path of operations.flatMap(({ path }) => [path, `/a/b${path}`])) t.ok(theirs.paths[path], path)
  const all = Object.values(theirs.paths).flatMap(path =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []))
  t.equal(new Set(all).size, all.length)
  t.ok(all.includes('searchTracks') && all.includes('a_b_searchTracks'))
  const ours = (await host.inject('/openapi.json')).json()
  t.equal(ours.info.title, 'Source origin')
  t.notOk(ours.paths['/mine'])
  t.ok(ours.components.schemas.Track)
})

t.test('the account name is on every line of the log from then on', async t => {
  const { lines, logger } = logged()
  const app = await build(t, { resolveContext: contextOf({}, { accountName: 'ada' }) }, { logger })
  await app.inject({ url: '/v1/track/new', headers: authorized })
  const named = lines.filter(({ msg }) => msg === 'request rejected' || msg === 'request completed')
  t.strictSame(named.map(({ accountName }) => accountName), ['ada', 'ada'])
})

t.test('without an account name the log of a request stays as it is', async t => {
  const host = fastify({ logger: logged().logger })
  t.teardown(() => host.close())
  const logs: unknown[] = []
  for (const hook of ['onRequest', 'onResponse'] as const) {
    host.addHook(hook, async request => {
      logs.push(request.log)
    })
  }
  await host.register(sourceOrigin, { resolveContext: contextOf({}) })
  await host.inject({ url: '/v1/status', headers: authorized })
  t.equal(logs.length, 2)
  t.equal(logs[0], logs[1])
})

t.test('a host that logs no requests has no lines of refused ones, and those of failures', async t => {
  const off = (request: FastifyRequest) => request.url.startsWith('/v1')
  for (const disableRequestLogging of [true, off]) {
    const { lines, logger } = logged()
    const app = fastify({ logger, disableRequestLogging })
    t.teardown(() => app.close())
    const getNewTracks = () => { throw new Error('away') }
    await app.register(sourceOrigin, { resolveContext: contextOf({ getNewTracks }) })
    t.equal((await app.inject('/v1/track/new')).statusCode, 401)
    t.strictSame(lines, [])
    t.equal((await app.inject({ url: '/v1/track/new', headers: authorized })).statusCode, 500)
    t.match(lines, [{ msg: 'request failed', level: 50 }])
  }
})

t.test('every plugin has a name that Fastify can print', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const kinds = { song: { root: t.testdir(), file: () => undefined } }
  await app.register(serveSource, {
    prefix: '/music',
    resolveContext: () => null,
    media: { keys: [Buffer.alloc(32)], kinds },
    readiness: { checks: {} },
    requestIds: true,
    protection: {},
    page: { docs: true }
  })
  await app.ready()
  const names = app.printPlugins().split('\n').map(line => line.replace(/^[^\w@]*| [\d.]+ ms$/g, ''))
  t.strictSame(names.filter(name => !/^([\w/@-]*|bound _after)$/.test(name)), [])
  const rooms = ['/media', '/page', '/readiness', '/request-ids', '/serve', '/subsonic']
  const found = new Set(names.filter(name => name.startsWith('fastify-source-origin')))
  t.strictSame([...found].sort(), ['', ...rooms].map(room => `fastify-source-origin${room}`))
})

t.test('logLevel is that of our routes alone', async t => {
  const { lines, logger } = logged()
  const app = await build(t, { resolveContext: contextOf({}), logLevel: 'silent' }, { logger })
  app.get('/mine', async () => 'mine')
  await app.inject({ url: '/v1/track/new', headers: authorized })
  t.strictSame(lines, [])
  await app.inject('/mine')
  t.ok(lines.length > 0)
})
