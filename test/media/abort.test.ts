import fastify from 'fastify'
import type { MediaCall } from 'fastify-source-origin/media'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import t from 'tap'
import { endResponses } from '../../lib/media/end-responses.ts'
import { fakeTime } from '../fake-time.ts'
import { deferred } from '../helper.ts'
import { difference, load, open, read, song, startProxy, startUpstream } from './helper.ts'

const content = song(200_000)

t.test('a client that leaves in the middle ends the request to the upstream', async t => {
  const upstream = await startUpstream(t, content, () => ({ hangAfter: 100_000 }))
  const { url } = await startProxy(t, upstream)
  const closed = once(upstream.events, 'closed')
  const response = await open(url())
  await once(response, 'data')
  response.destroy()
  await closed
  t.equal(upstream.requests.length, 1, 'and no other is made')
})

t.test('a client that leaves before the upstream answers ends the request to the upstream', async t => {
  const upstream = await startUpstream(t, content, () => ({ hangAfter: 0 }))
  const { url, lines } = await startProxy(t, upstream)
  const [asked, closed] = [once(upstream.events, 'request'), once(upstream.events, 'closed')]
  const client = get(url(), { agent: false }).on('error', () => {})
  await asked
  client.destroy()
  await closed
  t.equal(upstream.requests.length, 1)
  t.notOk(lines.some(({ level }) => level > 30), 'which is no failure')
})

t.test('a call of resolve is aborted when the last client has left, not before', async t => {
  const upstream = await startUpstream(t, content)
  const called = deferred<MediaCall>()
  const { url, app } = await startProxy(t, upstream, {
    resolve: (_params, call) => {
      called.resolve(call)
      return new Promise(() => {})
    }
  })
  const ask = async () => {
    const client = request(url(), { agent: false }).on('error', () => {}).end()
    const [, response] = await once(app.server, 'request')
    return { client, closed: once(response, 'close') }
  }
  const [first, second] = [await ask(), await ask()]
  const { signal } = await called.promise
  first.client.destroy()
  await first.closed
  t.notOk(signal.aborted)
  const aborted = once(signal, 'abort')
  second.client.destroy()
  await aborted
  t.equal(signal.reason.name, 'AbortError')
  t.equal(upstream.requests.length, 0)
})

t.test('nothing is done for a client that left in a hook of the host', async t => {
  const upstream = await startUpstream(t, content)
  const resolved: string[] = []
  const entered = deferred<void>()
  const left = deferred<void>()
  const { url } = await startProxy(t, upstream, {
    resolve ({ id }) {
      resolved.push(id!)
      return { url: `${upstream.origin}/song` }
    }
  }, app => app.addHook('preHandler', async (request, reply) => {
    if (request.headers['x-leaves'] === undefined) return
    entered.resolve()
    await once(reply.raw, 'close')
    left.resolve()
  }))
  const client = request(url({ id: 'left' }), { agent: false, headers: { 'x-leaves': '1' } }).on('error', () => {})
    .end()
  await entered.promise
  client.destroy()
  await left.promise
  t.equal((await load(url({ id: 'stayed' }))).status, 200)
  t.strictSame(resolved, ['stayed'])
})

t.test('a client that does not read stops the upstream; what the upstream closes meanwhile is continued', async t => {
  const long = song(40_000_000)
  const upstream = await startUpstream(t, long)
  const { url, lines } = await startProxy(t, upstream)
  const paused = [await open(url({ id: 'left' })), await open(url({ id: 'stayed' }))]
  // As long as another client needs for the whole of it.
  t.equal((await load(url())).body.length, long.length)
  paused[0]!.destroy()
  upstream.breakAll()
  const { body, complete } = await read(paused[1]!)
  t.equal(difference(body, long), '')
  t.ok(complete)
  const bytes = lines.find(({ media }) => media?.params.id === 'left')!.media.bytes
  // Both ends of the connection have buffers in the system besides.
  t.ok(bytes < long.length / 2, `${bytes} bytes`)
})

t.test('a song that is sent while the server closes comes whole, and its connection is not waited for', async t => {
  const gate = deferred<void>()
  const upstream = await startUpstream(t, content, () => ({ gate: gate.promise }))
  const { app, url } = await startProxy(t, upstream)
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const [response] = await once(get(url(), { agent }), 'response') as [IncomingMessage]
  const closed = app.close()
  gate.resolve()
  t.equal(difference((await read(response)).body, content), '')
  await closed
})

t.test('a song that nobody reads does not keep the server from closing', async t => {
  const app = fastify()
  const time = fakeTime(t)
  const register = endResponses(app)
  let destroyed = 0
  // As it is when its client has left in a hook of the host: it must not be held until the server closes.
  register({ destroyed: true, once () {}, destroy () { destroyed++ } } as unknown as ServerResponse)
  app.get('/', (_request, reply) => {
    register(reply.raw)
    return reply.send(Readable.from((function * () { while (true) yield Buffer.alloc(65_536) })()))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const response = await open(app.listeningOrigin)
  response.on('error', () => {})
  const closed = app.close()
  await time.pass(8000)
  await closed
  t.equal(destroyed, 0)
})
