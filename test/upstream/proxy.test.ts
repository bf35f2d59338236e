import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createUpstream } from 'fastify-source-origin/upstream'
import { startFaultyUpstream } from '../faulty-upstream.ts'

/** A proxy that makes tunnels for who knows the password, and tells where they went. */
async function startProxy (t: Test) {
  const tunnels: string[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    if (request.headers['proxy-authorization'] !== `Basic ${btoa('user:secret')}`) {
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    }
    tunnels.push(request.url!)
    const target = connect(Number(request.url!.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    for (const end of [target, socket]) {
      end.on('error', () => {})
      t.teardown(() => end.destroy())
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => proxy.close())
  return { tunnels, url: (user: string) => `http://${user}@127.0.0.1:${(proxy.address() as AddressInfo).port}` }
}

t.test('calls go through the proxy of the options', async t => {
  const server = await startFaultyUpstream(t)
  const { tunnels, url } = await startProxy(t)
  const upstream = createUpstream({ baseUrl: server.url, proxy: url('user:secret') })
  t.teardown(() => upstream.close())
  t.strictSame(await upstream.json('/x'), { ok: true })
  t.strictSame(tunnels, [new URL(server.url).host])
})

t.test('a proxy that refuses becomes an UpstreamError, without its credentials', async t => {
  const server = await startFaultyUpstream(t)
  const { url } = await startProxy(t)
  const upstream = createUpstream({ baseUrl: server.url, proxy: url('user:wrong') })
  t.teardown(() => upstream.close())
  const error = await upstream.json<any>('/x').catch(error => error)
  t.match(error, { name: 'UpstreamError', cause: { message: /the connection broke \(UND_ERR_ABORTED\)$/ } })
  t.notMatch(String(error.stack), 'wrong')
  t.equal(server.arrivals.length, 0)
})

t.test('with true the proxy is that of the environment, but not for the hosts of NO_PROXY', async t => {
  const server = await startFaultyUpstream(t)
  const { tunnels, url } = await startProxy(t)
  const before = { ...process.env }
  t.teardown(() => { process.env = before })
  process.env.http_proxy = url('user:secret')
  for (const [none, count] of [['', 1], ['127.0.0.1', 1]] as const) {
    process.env.no_proxy = none
    const upstream = createUpstream({ baseUrl: server.url, proxy: true })
    t.teardown(() => upstream.close())
    t.strictSame(await upstream.json('/x'), { ok: true })
    t.equal(tunnels.length, count)
  }
})
