import fastify from 'fastify'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import t from 'tap'
import sourceOrigin from 'fastify-source-origin'
import serveSource from 'fastify-source-origin/serve'
import { endStreams } from '../lib/serve/end-streams.ts'
import { authorized, contextOf, deferred, held } from './helper.ts'
import { folder, until } from './example/helper.ts'
import { clientOf, hostKinds, hostOf } from './host-kinds.ts'

for (const kind of hostKinds) {
  t.test(`${kind}: a request that runs as the host closes is answered, and others are not waited for`, async t => {
    const host = hostOf(t, kind)
    endStreams(host, 2 ** 30, 20)
    const { started, answer, method } = held()
    await host.register(sourceOrigin, { resolveContext: contextOf({ createPlaylist: method }) })
    const client = await clientOf(t, host, kind)
    const idle = connect(Number(new URL(host.listeningOrigin).port), '127.0.0.1').on('error', () => {}).resume()
    await once(idle, 'connect')
    const running = client.send('/v1/playlist/create', {
      method: 'POST', headers: { ...authorized, 'content-type': 'application/json' }, body: '{"name":"a"}'
    })
    await started.promise
    const closed = host.close()
    await once(idle, 'close')
    answer.resolve({ id: '1', name: 'a' })
    const { status, body } = await running.answer
    t.equal(status, 200)
    t.match(JSON.parse(body), { code: 200, data: { id: '1' } })
    await closed
  })

  t.test(`${kind}: of two requests that run as the host closes, the one that ends last is answered too`, async t => {
    const host = hostOf(t, kind)
    endStreams(host, 2 ** 30, 20)
    const answers = { '/a': deferred<string>(), '/b': deferred<string>() }
    let running = 0
    for (const [url, { promise }] of Object.entries(answers)) host.get(url, () => { running++; return promise })
    const client = await clientOf(t, host, kind)
    const [first, last] = ['/a', '/b'].map(url => client.ask(url))
    await until(() => running === 2)
    const idle = connect(Number(new URL(host.listeningOrigin).port), '127.0.0.1').on('error', () => {}).resume()
    await once(idle, 'connect')
    const closed = host.close()
    await once(idle, 'close')
    answers['/a'].resolve('the first')
    t.equal((await first!).body, 'the first')
    answers['/b'].resolve('the last')
    t.equal((await last!).body, 'the last')
    await closed
  })

  t.test(`${kind}: a connection without a request does not keep the host from closing`, async t => {
    const host = hostOf(t, kind)
    endStreams(host, 2 ** 30, 20)
    await host.register(sourceOrigin, { resolveContext: () => null })
    const client = await clientOf(t, host, kind)
    await client.ask('/status')
    await host.close()
    t.pass('it is closed')
  })

  t.test(`${kind}: a stream that nobody reads ends after the timeout`, async t => {
    const host = hostOf(t, kind)
    endStreams(host, 20)
    const arrived = deferred<void>()
    host.get('/', (_request, reply) => {
      arrived.resolve()
      reply.send(new Readable({ read () {} }))
    })
    const client = await clientOf(t, host, kind)
    const { answer } = client.send('/')
    await arrived.promise
    await host.close()
    await t.rejects(answer)
  })
}

for (const kind of hostKinds) {
  t.test(`${kind}: the server of a host keeps its methods and its listeners`, async t => {
    const host = hostOf(t, kind)
    const { server } = host
    const [listener] = server.listeners('request')
    const methods = [server.close, server.closeIdleConnections, server.emit, server.on]
    const parts = { protection: {}, shutdown: {}, subsonic: false, page: false } as const
    await host.register(serveSource, { resolveContext: () => null, ...parts })
    await host.listen({ port: 0 })
    await host.close()
    t.strictSame([server.close, server.closeIdleConnections, server.emit, server.on], methods)
    t.equal(server.listeners('request')[0], listener)
  })
}

t.test('over a Unix socket, a running request is answered as the host closes, and others are ended', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  endStreams(host, 2 ** 30, 20)
  const { started, answer, method } = held<string>()
  host.get('/', method)
  // The path of a socket has 107 characters at most.
  const path = `${folder(t)}/host.sock`
  await host.listen({ path })
  const [running, idle] = [connect(path), connect(path).resume()]
  running.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await Promise.all([started.promise, once(idle, 'connect')])
  const closed = host.close()
  await once(idle, 'close')
  answer.resolve('the answer')
  t.match(await text(running), /the answer$/)
  await closed
})
