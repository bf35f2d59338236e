import fastify from 'fastify'
import { once } from 'node:events'
import dns from 'node:dns'
import { get } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { options } from '../../example/server/server-options.ts'
import { shedLoad } from '../../lib/protection/shed-load.ts'
import { endStreams } from '../../lib/serve/end-streams.ts'
import { deferred } from '../helper.ts'
import { until } from '../example/helper.ts'
import { pipeline } from '../pipeline.ts'

/** A server on `localhost` where that is another address too, which has a server of its own. */
async function listen (t: Test, timeout = 2 ** 30) {
  const { lookup } = dns
  t.intercept(dns, 'lookup', {
    value: (host: string, options: dns.LookupOptions, callback: (error: null, found: dns.LookupAddress[]) => void) =>
      host === 'localhost' && options.all === true
        ? callback(null, ['127.0.0.1', '127.0.0.2'].map(address => ({ address, family: 4 })))
        : lookup(host === 'localhost' ? '127.0.0.1' : host, options, callback as never)
  })
  const app = fastify({ ...options, logger: false })
  const answer = deferred<string>()
  const seen = { running: 0 }
  endStreams(app, timeout, 20)
  await shedLoad(app)
  app.get('/', () => { seen.running++; return answer.promise })
  app.get('/stream', (_request, reply) =>
    reply.send(Readable.from((function * () { while (true) yield Buffer.alloc(65536) })())))
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  t.strictSame(app.addresses().map(found => (found as AddressInfo).address).sort(), ['127.0.0.1', '127.0.0.2'])
  return { app, answer, seen, port, other: `http://127.0.0.2:${port}` }
}

t.test('a connection to another address of localhost is ended when it sends too many requests ahead', async t => {
  const { app, seen, other } = await listen(t)
  t.teardown(() => app.close())
  const client = pipeline(other, Array(40).fill('/'))
  await once(client, 'close')
  t.ok(seen.running <= 20)
})

t.test('a request that runs there is answered before plugins close', async t => {
  const { app, answer, seen, port } = await listen(t)
  const client = connect(port, '127.0.0.2')
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await until(() => seen.running === 1)
  let isClosed = false
  const closed = app.close().then(() => { isClosed = true })
  await until(() => refuses(port))
  t.notOk(isClosed)
  answer.resolve('the answer')
  t.match(await text(client), /the answer$/)
  await closed
})

/** Whether a server accepts no more connections there. */
async function refuses (port: number): Promise<boolean> {
  const client = connect(port, '127.0.0.2')
  try {
    await once(client, 'connect')
    return false
  } catch {
    return true
  } finally {
    client.destroy()
  }
}

t.test('a stream there that nobody reads does not keep the server from closing', async t => {
  const { app, other } = await listen(t, 20)
  const [response] = await once(get(`${other}/stream`, { agent: false }), 'response')
  const ended = new Promise(resolve => response.on('error', () => {}).once('close', resolve).pause())
  await app.close()
  response.resume()
  await ended
  t.pass('it is closed')
})
