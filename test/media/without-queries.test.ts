import fastify, { type FastifyInstance } from 'fastify'
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
