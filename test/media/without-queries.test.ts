import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { withoutQueries } from 'fastify-source-origin/media'
import t, { type Test } from 'tap'
import { logged } from '../helper.ts'

function build (t: Test, prepare?: (app: FastifyInstance) => void) {
  const { lines, logger } = logged()
  const app = fastify({ logger })
  t.teardown(() => app.close())
  prepare?.(app)
  withoutQueries(app)
  app.get('/here', async () => 'here')
  return { app, lines }
}

t.test('the log has the path of a request and not its query', async t => {
  const { app, lines } = build(t)
  t.equal((await app.inject('/here?signature=secret')).statusCode, 200)
  t.match(lines, [{ req: { method: 'GET', url: '/here', host: 'localhost:80', remoteAddress: '127.0.0.1' } }, {
    res: { statusCode: 200 }
  }])
  t.notMatch(JSON.stringify(lines), 'secret')
})

t.test('serializers and loggers of requests that a host has are called, and see no query', async t => {
  const { lines, logger } = logged()
  const seen = ({ url, originalUrl, query, raw, method, headers, id }: FastifyRequest) =>
    ({ url, originalUrl, query, raw: raw.url, method, agent: headers['user-agent'], id })
  const app = fastify({
    logger: { ...logger, serializers: { req: seen } },
    childLoggerFactory: (logger, bindings, options) => logger.child({ ...bindings, factory: 'of the host' }, options)
  })
  t.teardown(() => app.close())
  withoutQueries(app)
  app.get('/here', async () => 'here')
  app.get('/route', { logSerializers: { req: ({ url }) => `route ${url}` } }, async () => 'route')
  await app.inject({ url: '/here?signature=secret', headers: { 'user-agent': 'an agent' } })
  await app.inject('/route?signature=secret')
  const url = '/here'
  t.match(lines[0], {
    factory: 'of the host',
    req: { url, originalUrl: url, query: {}, raw: url, method: 'GET', agent: 'an agent', id: 'req-1' }
  })
  t.match(lines.filter(({ req }) => req !== undefined)[1], { factory: 'of the host', req: 'route /route' })
  t.notMatch(JSON.stringify(lines), 'secret')
})

t.test('a logger that is not Pino gets the path of a request and not its query', async t => {
  const lines: unknown[] = []
  const log = {
    level: 'info',
    fatal () {},
    error () {},
    warn () {},
    debug () {},
    trace () {},
    silent () {},
    info ({ req }: { req?: object }) { if (req !== undefined) lines.push(this.serializers?.req(req)) },
    serializers: undefined as undefined | { req (request: object): object },
    child (_bindings: object, { serializers }: object & { serializers?: any }) { return { ...this, serializers } }
  }
  const app = fastify({ loggerInstance: log })
  t.teardown(() => app.close())
  withoutQueries(app as never)
  await app.inject('/nowhere?signature=secret')
  t.strictSame(lines, [{ method: 'GET', url: '/nowhere', host: 'localhost:80', remoteAddress: '127.0.0.1' }])
})

t.test('neither log nor answer of an unknown path has the query', async t => {
  const { app, lines } = build(t)
  const response = await app.inject('/nowhere?signature=secret')
  t.equal(response.statusCode, 404)
  t.match(response.json(), { statusCode: 404, error: 'Not Found' })
  t.equal(response.headers['cache-control'], 'no-store')
  t.notMatch(JSON.stringify(lines) + response.body, 'secret')
})

t.test('a not-found handler of the host stays', async t => {
  const { app, lines } = build(t, app => app.setNotFoundHandler((_request, reply) => reply.code(404).send('mine')))
  t.equal((await app.inject('/nowhere?signature=secret')).body, 'mine')
  t.notMatch(JSON.stringify(lines), 'secret')
})
