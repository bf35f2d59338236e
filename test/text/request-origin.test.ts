import fastify, { type FastifyServerOptions } from 'fastify'
import { requestOrigin } from 'fastify-source-origin/serve'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'

const serve = (options: FastifyServerOptions = {}) => {
  const app = fastify(options)
  t.teardown(() => app.close())
  return app.get('/', async request => requestOrigin(request))
}

for (const [trustProxy, proto, origin] of [
  [true, 'https, http', 'https://localhost:80'],
  [true, 'HTTP ,https', 'http://localhost:80'],
  [true, 'https', 'https://localhost:80'],
  [true, 'gopher, https', 'https://localhost:80'],
  ['10.0.0.1', 'https, http', 'http://localhost:80'],
  [false, 'https, http', 'http://localhost:80']
] as const) {
  t.test(`X-Forwarded-Proto: ${proto} is ${origin} if the proxy is trusted: ${trustProxy}`, async t => {
    const { body } = await serve({ trustProxy }).inject({ url: '/', headers: { 'x-forwarded-proto': proto } })
    t.equal(body, origin)
  })
}

for (const [host, name] of [['127.0.0.1', '127.0.0.1'], ['::', '127.0.0.1'], ['::1', '[::1]']] as const) {
  t.test(`without a Host it is the address of the connection, of a server at ${host}`, async t => {
    const app = serve()
    await app.listen({ host, port: 0 })
    const { port } = app.server.address() as AddressInfo
    const socket = connect(port, host === '::' ? '127.0.0.1' : host)
    await once(socket, 'connect')
    socket.end('GET / HTTP/1.0\r\n\r\n')
    t.equal((await text(socket)).split('\r\n\r\n')[1], `http://${name}:${port}`)
  })
}
