import fastify from 'fastify'
import { once } from 'node:events'
import { get } from 'node:http'
import { Readable } from 'node:stream'
import t from 'tap'
import { endStreams } from '../../example/end-streams.ts'

t.test('a stream that nobody reads does not keep the server from closing', async t => {
  const app = fastify({ logger: false })
  endStreams(app, 20)
  app.get('/', (_request, reply) =>
    reply.send(Readable.from((function * () { while (true) yield Buffer.alloc(65536) })())))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const [response] = await once(get(app.listeningOrigin, { agent: false }), 'response')
  response.on('error', () => {})
  response.pause()
  await app.close()
  t.pass('it is closed')
})

t.test('a server without requests closes at once', async t => {
  const app = fastify({ logger: false })
  endStreams(app, 2 ** 30)
  await app.listen({ port: 0, host: '127.0.0.1' })
  await app.close()
  t.pass('it is closed')
})
