import compress from '@fastify/compress'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import fastify, { type FastifyInstance, type FastifyPluginCallback } from 'fastify'
import t from 'tap'
import sourceOrigin, { createSourceRouter } from 'fastify-source-origin'
import serveSource, { serverOptions, type ServeContextOptions } from 'fastify-source-origin/serve'
import { contextOf } from './helper.ts'
import { clientOf } from './host-kinds.ts'
import { tls } from './tls.ts'

const handler = async () => 'the host\'s'
const resolveContext = contextOf({})

/** Routes of a host that a source needs, and the one that the error names. */
const routes: Record<string, [add: (host: FastifyInstance) => unknown, named: RegExp]> = {
  '/openapi.json': [host => host.get('/openapi.json', handler), /GET \/openapi\.json/],
  'all of /v1/*': [host => host.all('/v1/*', handler), / \/v1\/\*/],
  '/v1': [host => host.get('/v1', handler), /GET \/v1 /],
  'one of several methods': [
    host => host.route({ method: ['POST', 'GET'], url: '/v1/track', handler }), /GET \/v1\/track /
  ]
}

for (const [title, [add, named]] of Object.entries(routes)) {
  for (const [order, isBefore] of [['before', true], ['after', false]] as const) {
    t.test(`a host that has ${title} ${order} the source is refused by name`, async t => {
      const host = fastify()
      t.teardown(() => host.close())
      if (isBefore) add(host)
      host.register(sourceOrigin, { resolveContext, exposeOpenApi: true })
      if (!isBefore) host.register(async () => { add(host) })
      await t.rejects(async () => { await host.ready() }, { code: 'SOURCE_ORIGIN_ERR_ROUTE_TAKEN', message: named })
    })
  }
}

t.test('a host may have an /openapi.json of its own where the source exposes none', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  host.register(sourceOrigin, { resolveContext, exposeOpenApi: false })
  host.after(() => host.get('/openapi.json', handler))
  t.equal((await host.inject('/openapi.json')).body, 'the host\'s')
})

t.test('a host with a decorator loginLimiter, which the protection needs, is rejected by name', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  host.decorate('loginLimiter', {} as never)
  host.register(serveSource, { resolveContext, protection: {}, page: false, subsonic: false })
  await t.rejects(async () => { await host.ready() }, { code: 'SOURCE_ORIGIN_ERR_DECORATOR_TAKEN', message: /"loginLimiter"/ })
})

const none = { page: false, subsonic: false } as const

for (const [plugin, name, option] of [
  [compress, '@fastify/compress', 'protection.compress'],
  [cors, '@fastify/cors', 'protection.origins'],
  [underPressure, '@fastify/under-pressure', 'protection.load']
] as const) {
  t.test(`a host that has registered ${name} before the protection is rejected by name`, async t => {
    const host = fastify()
    t.teardown(() => host.close())
    host.register(plugin as FastifyPluginCallback)
    host.register(serveSource, { ...none, resolveContext, protection: { origins: '*' } })
    await t.rejects(async () => { await host.ready() }, {
      code: 'SOURCE_ORIGIN_ERR_PLUGIN_TAKEN', message: new RegExp(`${name}.*"${option}"`)
    })
  })
}

for (const [order, isBefore] of [['before', true], ['after', false]] as const) {
  t.test(`a host has plugins of its own ${order} a protection without those parts`, async t => {
    const host = fastify()
    t.teardown(() => host.close())
    const own = () => {
      host.decorate('loginLimiter', 'the host\'s' as never)
      const plugins = [helmet, compress, cors, underPressure, rateLimit]
      for (const plugin of plugins) host.register(plugin as FastifyPluginCallback)
    }
    if (isBefore) own()
    const protection = { headers: false, compress: false, load: false, loginLimit: false }
    host.register(serveSource, { ...none, resolveContext, protection })
    if (!isBefore) own()
    t.equal((await host.inject('/v1/status')).statusCode, 401)
    t.equal(host.loginLimiter, 'the host\'s')
  })

  t.test(`a host that has /ready ${order} the readiness of a source is refused by name`, async t => {
    const host = fastify()
    t.teardown(() => host.close())
    const add = async () => { host.route({ method: ['HEAD', 'GET'], url: '/ready', handler }) }
    if (isBefore) host.register(add)
    host.register(serveSource, { ...none, resolveContext, readiness: { checks: {} } })
    if (!isBefore) host.register(add)
    await t.rejects(async () => { await host.ready() }, {
      code: 'SOURCE_ORIGIN_ERR_ROUTE_TAKEN', message: /GET \/ready .*"readiness"/
    })
  })

  t.test(`a not-found handler that a host has at /v1 ${order} the source changes nothing of it`, async t => {
    const host = fastify()
    t.teardown(() => host.close())
    const add = async (part: FastifyInstance) => { part.setNotFoundHandler(handler) }
    if (isBefore) host.register(add, { prefix: '/v1' })
    host.register(sourceOrigin, { resolveContext })
    if (!isBefore) host.register(add, { prefix: '/v1' })
    for (const method of ['GET', 'PROPFIND'] as const) {
      t.equal((await host.inject({ method: method as 'GET', url: '/v1/nowhere' })).statusCode, 401, method)
    }
  })
}

t.test('a route /ready of a host for another host name or method is not that of the readiness', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  await host.register(serveSource, { ...none, resolveContext, readiness: { checks: {} } })
  host.post('/ready', handler)
  host.get('/ready', { constraints: { host: 'other.example' } }, handler)
  t.strictSame((await host.inject('/ready')).json(), { status: 'ready', checks: {} })
  t.equal((await host.inject({ url: '/ready', headers: { host: 'other.example' } })).body, 'the host\'s')
})

const ofServer: Partial<ServeContextOptions> = {
  withoutQueries: true,
  requestIds: true,
  readiness: { checks: {} },
  shutdown: {},
  protection: {},
  runtimeFile: { token: 'a', dataDir: 'never' }
}
for (const [name, option] of Object.entries(ofServer)) {
  t.test(`the option ${name} of two sources in a host is refused by name`, async t => {
    const host = fastify()
    t.teardown(() => host.close())
    const options = { ...none, resolveContext, [name]: option }
    host.register(serveSource, options)
    host.register(async part => { await part.register(serveSource, { ...options, prefix: '/second' }) })
    await t.rejects(async () => { await host.ready() }, {
      code: 'SOURCE_ORIGIN_ERR_ALREADY_REGISTERED', message: new RegExp(`"${name}"`)
    })
  })
}

t.test('createSourceRouter without options says what it needs', async t => {
  t.throws(() => (createSourceRouter as () => unknown)(), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: /createSourceRouter\(\{ resolveContext \}\)/
  })
})

t.test('a route of the host with compress: false is served with the protection', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  await host.register(serveSource, { resolveContext, protection: {}, page: false, subsonic: false })
  host.get('/mine', { compress: false }, handler)
  t.equal((await host.inject('/mine')).body, 'the host\'s')
})

t.test('an https host with the HTTP options of serverOptions takes a URL of 50 KB', async t => {
  const { http, ...options } = serverOptions
  const host = fastify({ ...options, https: { ...http, ...tls } }) as unknown as FastifyInstance
  t.teardown(() => host.close())
  await host.register(sourceOrigin, { resolveContext })
  const client = await clientOf(t, host, 'https')
  t.equal((await client.ask(`/status?a=${'a'.repeat(50_000)}`)).status, 200)
})
