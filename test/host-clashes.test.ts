import fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import sourceOrigin, { createSourceRouter } from 'fastify-source-origin'
import serveSource, { serverOptions } from 'fastify-source-origin/serve'
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

t.test('a host with a decorator tries, which the door needs, is refused by name', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  host.decorate('tries', {} as never)
  host.register(serveSource, { resolveContext, door: {}, page: false, subsonic: false })
  await t.rejects(async () => { await host.ready() }, { code: 'SOURCE_ORIGIN_ERR_DECORATOR_TAKEN', message: /"tries"/ })
})

t.test('createSourceRouter without options says what it needs', async t => {
  t.throws(() => (createSourceRouter as () => unknown)(), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: /createSourceRouter\(\{ resolveContext \}\)/
  })
})

t.test('a route of the host with compress: false is served behind the door', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  await host.register(serveSource, { resolveContext, door: {}, page: false, subsonic: false })
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
