import fastify, { type FastifyInstance } from 'fastify'
import { createLibrary } from 'fastify-source-origin/library'
import { onResponseClose } from 'fastify-source-origin/serve'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { shedLoad } from '../lib/protection/shed-load.ts'
import { until } from './example/helper.ts'
import { build, token } from './helper.ts'
import { many, pipeline } from './pipeline.ts'
import { song, startProxy, startUpstream } from './media/helper.ts'
import { login, queryOf, serve } from './subsonic-server/helper.ts'

// A client sends many requests on one connection, does not wait for the answers, and leaves.

const never = () => new Promise<never>(() => {})

async function listen (app: FastifyInstance): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.listeningOrigin
}

/** A server that answers nothing by itself. */
async function silent (t: Test) {
  const responses: ServerResponse[] = []
  const app = fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  app.get('/', (_request, reply) => {
    reply.hijack()
    responses.push(reply.raw)
  })
  return { origin: await listen(app), responses }
}

t.test('each of its responses is told as closed, once, whoever listens', async t => {
  const { origin, responses } = await silent(t)
  const client = pipeline(origin, many('/'))
  await until(() => responses.length === 20)
  const told = responses.map(() => [0, 0, 0])
  responses.forEach((response, i) => {
    onResponseClose(response, () => told[i]![0]!++)
    onResponseClose(response, () => told[i]![1]!++)
    response.on('close', () => told[i]![2]!++)
  })
  const { socket } = responses[0]!
  t.equal(socket!.listeners('close').length, 3, 'one listener of ours')
  client.destroy()
  await once(socket!, 'close')
  await until(() => told.flat().every(count => count > 0))
  t.strictSame(told, responses.map(() => [1, 1, 1]))
})

t.test('many may listen to one response: it has one listener of ours', async t => {
  const { origin, responses } = await silent(t)
  const client = pipeline(origin, many('/'))
  await until(() => responses.length === 20)
  const [first, queued] = [responses[0]!, responses[1]!]
  const before = [first, queued].map(response => response.listenerCount('close'))
  const told: number[] = []
  for (let i = 0; i < 20; i++) for (const response of [first, queued]) onResponseClose(response, () => told.push(i))
  t.strictSame([first, queued].map(response => response.listenerCount('close')), before.map(count => count + 1))
  client.destroy()
  await until(() => told.length === 40)
})

t.test('who listens when the client has left is told at once', async t => {
  const { origin, responses } = await silent(t)
  const client = pipeline(origin, many('/'))
  await until(() => responses.length === 20)
  const socket = responses[0]!.socket!
  client.destroy()
  await once(socket, 'close')
  const counts: number[] = []
  for (const response of responses) {
    let count = 0
    onResponseClose(response, () => count++)
    counts.push(count)
  }
  t.strictSame(counts, responses.map(() => 1))
})

t.test('streams that are sent when the client has left are destroyed, however long they are', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  let asked = 0
  let destroyed = 0
  app.get('/:listens', async (request, reply) => {
    const { raw: { socket }, params: { listens } } = request as typeof request & { params: { listens: string } }
    const left = once(socket.setMaxListeners(0), 'close')
    if (listens === 'before') onResponseClose(reply.raw, () => {})
    asked++
    await left
    onResponseClose(reply.raw, () => {})
    const endless = new Readable({ read () { this.push('more') } })
    return reply.send(endless.once('close', () => destroyed++))
  })
  const origin = await listen(app)
  const clients = ['/before', '/after'].map(url => pipeline(origin, many(url)))
  await until(() => asked === 40)
  clients.forEach(client => client.destroy())
  await until(() => destroyed === 40)
})

t.test('each response that is sent is told as closed, once', async t => {
  const { origin, responses } = await silent(t)
  const client = pipeline(origin, many('/'))
  await until(() => responses.length === 20)
  const told: number[] = []
  responses.forEach((response, i) => onResponseClose(response, () => told.push(i)))
  for (const response of responses.toReversed()) response.end('done')
  await until(() => told.length === 20)
  client.destroy()
  await once(client, 'close')
  t.strictSame(told, responses.map((_response, i) => i))
})

/** Whether the signals of all calls that came are aborted after the client has left. */
async function leaves (client: Socket, signals: AbortSignal[]) {
  await until(() => signals.length === 20)
  client.end()
  await until(() => signals.every(({ aborted }) => aborted))
}

t.test('/v1: the signals of the context and of the adapter are aborted', async t => {
  const contexts: AbortSignal[] = []
  const calls: AbortSignal[] = []
  const app = await build(t, {
    adapterTimeout: 0,
    resolveContext: ({ request, signal }) => {
      if (request.headers.authorization !== token) {
        contexts.push(signal)
        return never()
      }
      return { adapter: { getNewTracks: () => { calls.push(signal); return never() } } }
    }
  })
  const origin = await listen(app)
  await leaves(pipeline(origin, many('/v1/track/new')), contexts)
  await leaves(pipeline(origin, many('/v1/track/new'), `authorization: ${token}`), calls)
  t.pass('all of them')
})

t.test('/rest: the signals of the logins are aborted', async t => {
  const logins: AbortSignal[] = []
  const resolveLogin = ({ signal }: { signal: AbortSignal }) => { logins.push(signal); return never() }
  const app = await serve(t, { adapterTimeout: 0, resolveLogin })
  await leaves(pipeline(await listen(app), many(`/rest/ping?${queryOf(login)}`)), logins)
  t.pass('all of them')
})

t.test('/rest: a long list is written no further', async t => {
  const tracks = Array.from({ length: 20_000 }, (_empty, at) => ({
    id: `t${at}`, title: 'One', artists: [], album: { id: 'b', name: 'B', coverUrl: '' }, durationMs: 1000
  }))
  const lengths: number[] = []
  const library = createLibrary({ artists: [], albums: [], tracks })
  const items: any = (...query: Parameters<typeof library.items>) => {
    client.destroy()
    return library.items(...query)
  }
  const adapter = {
    library: {
      ids: library.ids.bind(library), facets: library.facets.bind(library), items, revision: '1', changedAt: 1
    }
  }
  const app = await serve(t, { adapter })
  app.addHook('onSend', async (_request, _reply, body: string | Buffer) => { lengths.push(body.length) })
  const urls = many(`/rest/search3?${queryOf({ ...login, query: '', songCount: 20_000 })}`)
  const client = pipeline(await listen(app), urls)
  await until(() => lengths.length === urls.length)
  for (const length of lengths) t.ok(length < 1000, `${length} bytes`)
})

t.test('media: the connections to the upstream end, those of /rest too', async t => {
  const upstream = await startUpstream(t, song(200_000), () => ({ hangAfter: 100_000 }))
  let closed = 0
  upstream.events.on('closed', () => closed++)
  const areClosed = () => closed > 0 && closed === upstream.connections()
  const { app, url, lines } = await startProxy(t, upstream)
  const ofProxy = pipeline(app.listeningOrigin, many(url()))
  await until(() => upstream.requests.length === 20)
  ofProxy.destroy()
  await until(areClosed)
  t.equal(lines.filter(({ msg }) => msg === 'media ended').length, 20)

  const rest = await serve(t, {
    adapter: { getTrackUrl: () => ({ url: `${upstream.origin}/song`, quality: '', format: 'mp3' }) },
    media: 'proxy',
    allowPrivate: true
  })
  const ofRest = pipeline(await listen(rest), many(`/rest/stream?${queryOf({ ...login, id: 'tr-song' })}`))
  await until(() => upstream.requests.length === 40)
  ofRest.destroy()
  await until(areClosed)
})

t.test('the example gets the places of all of them back', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await shedLoad(app, {
    maxEventLoopDelay: Infinity, maxHeapUsedBytes: Infinity, maxConnections: 5, maxRunning: 40, maxWaiting: 5000
  })
  // One address takes half of the places.
  let running = 0
  app.get('/slow', () => { running++; return never() })
  app.get('/', () => 'answer')
  const origin = await listen(app)
  const client = pipeline(origin, many('/slow'))
  await until(() => running === 20)
  t.equal((await app.inject('/')).statusCode, 503)
  client.destroy()
  await until(async () => (await app.inject('/')).statusCode === 200)
  const again = pipeline(origin, many('/slow'))
  await until(() => running === 40)
  again.destroy()
})
