import fastify from 'fastify'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { options } from '../../example/app.ts'
import { endStreams } from '../../lib/serve/end-streams.ts'
import { deferred } from '../helper.ts'
import { until } from '../example/helper.ts'

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

async function open (origin: string, part: string): Promise<Socket> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(part)
  return socket
}

t.test('half requests do not keep the server from closing, and a whole one is answered', async t => {
  const app = fastify({ ...options, logger: false })
  endStreams(app, 2 ** 30, 20)
  const answer = deferred<string>()
  let [connections, running] = [0, 0]
  app.server.on('connection', () => connections++)
  app.post('/', () => { running++; return answer.promise })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const post = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n'
  const halves = await Promise.all([post, `${post}{`, post.slice(0, 30), ''].map(part =>
    open(app.listeningOrigin, part)))
  const whole = await open(app.listeningOrigin, `${post}{}`)
  await until(() => connections === 5 && running === 1)
  const closed = app.close()
  await Promise.all(halves.map(socket => once(socket.on('error', () => {}).resume(), 'close')))
  answer.resolve('the answer')
  t.match(await text(whole), /the answer$/)
  await closed
})

t.test('a request that arrives on an open connection as the server begins to close is answered', async t => {
  const app = fastify({ ...options, logger: false })
  endStreams(app, 2 ** 30, 2 ** 30)
  let served = 0
  // A client with an early answer would connect again, and be reset.
  app.get('/', () => served++ > 0 && app.server.listening ? 'an early answer' : `answer ${served}`)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
  const client = await open(app.listeningOrigin, request)
  await once(client, 'data')
  const closed = app.close()
  client.write(request)
  t.match(await text(client), /connection: close[^]*answer 2$/i)
  await closed
})

t.test('a request that waits in a hook as the others are closed is answered', async t => {
  const app = fastify({ ...options, logger: false })
  endStreams(app, 2 ** 30, 1)
  const [arrived, goOn] = [deferred<void>(), deferred<void>()]
  app.addHook('onRequest', async () => { arrived.resolve(); await goOn.promise })
  app.get('/', () => 'the answer')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const client = await open(app.listeningOrigin, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const other = await open(app.listeningOrigin, '')
  await arrived.promise
  const closed = app.close()
  await once(other.resume(), 'close')
  goOn.resolve()
  t.match(await text(client), /the answer$/)
  await closed
})

t.test('a request that has arrived as the process was busy is answered', async t => {
  const app = fastify({ ...options, logger: false })
  const grace = 10_000
  const closing = deferred<void>()
  app.addHook('preClose', async () => closing.resolve())
  endStreams(app, 2 ** 30, grace)
  app.get('/', () => 'the answer')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
  const client = await open(app.listeningOrigin, request)
  await once(client, 'data')
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const closed = app.close()
  await closing.promise
  await setImmediate()
  // The system has the request; the timers are next, before what has arrived is read.
  client.write(request)
  mock.timers.tick(grace)
  t.match(await text(client), /connection: close[^]*the answer$/i)
  await closed
})

t.test('a connection that was made as the process was busy is accepted before the server closes', async t => {
  const app = fastify({ ...options, logger: false })
  let client: Socket | undefined
  app.addHook('preClose', () => new Promise<void>(resolve => setTimeout(() => {
    client = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1').on('error', () => {})
    client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    // The system has made the connection; the next thing is the closing.
    process.nextTick(resolve)
  }, 1)))
  endStreams(app, 2 ** 30, 10_000)
  // A client with an answer would connect again.
  app.get('/', () => app.server.listening ? 'an early answer' : 'the answer')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const closed = app.close()
  await until(() => client !== undefined)
  t.match(await text(client!), /connection: close[^]*the answer$/i)
  await closed
})

t.test('a request that does not arrive is given up', async t => {
  t.match(options, { requestTimeout: 60_000, http: { connectionsCheckingInterval: 5000 } })
  const http = { connectionsCheckingInterval: 5, headersTimeout: 10 }
  const app = fastify({ ...options, requestTimeout: 10, http })
  t.teardown(() => app.close())
  app.post('/', () => 'answer')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const head = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n'
  const client = await open(app.listeningOrigin, `${head}half`)
  t.match(await text(client), /^HTTP\/1\.1 408/)
})
