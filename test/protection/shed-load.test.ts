import fastify, { type FastifyInstance } from 'fastify'
import { once } from 'node:events'
import fs from 'node:fs'
import { get } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import sourceOrigin from 'fastify-source-origin'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { bounds, shedLoad } from '../../lib/protection/shed-load.ts'
import { deferred, logged } from '../helper.ts'
import { mockImport } from '../mock-import.ts'
import { many, pipeline } from '../pipeline.ts'
import { replaceExports } from '../replace.ts'
import { until } from '../example/helper.ts'
import { fakeTime } from '../fake-time.ts'

/** The interval at which the heap and the event loop are measured, in milliseconds. */
const sample = 1000

/** Later, as many turns of the event loop. */
async function inTurns (count: number) {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}

async function build (
  t: Test,
  {
    maxEventLoopDelay = Infinity, maxHeapUsedBytes = Infinity, maxConnections = 1000, maxRunning = 10, maxWaiting = 100
  },
  before: (app: FastifyInstance) => Promise<unknown> = async () => {}
) {
  const answer = deferred<string>()
  const { lines, logger } = logged()
  const heard: string[] = []
  const app = fastify({ logger })
  t.teardown(() => app.close())
  await before(app)
  await app.register(async instance => {
    await shedLoad(instance, { maxEventLoopDelay, maxHeapUsedBytes, maxConnections, maxRunning, maxWaiting })
    await instance.register(sourceOrigin, { resolveContext: () => ({ adapter: { getTopArtists: () => [] } }) })
    instance.get('/media', async ({ ip }) => {
      heard.push(ip)
      return 'audio'
    })
    instance.get('/slow', () => answer.promise)
    t.equal(instance.isUnderPressure(), false)
    app.decorate('isBusy', () => instance.isUnderPressure())
  }, { prefix: '/music' })
  return { app, lines, answer, heard, isBusy: () => (app as unknown as { isBusy (): boolean }).isBusy() }
}

t.test('while the process cannot keep up, calls are refused in the envelope, with Retry-After', async t => {
  const time = fakeTime(t)
  const { app, lines } = await build(t, { maxHeapUsedBytes: 1 })
  time.advance(sample)
  for (const url of ['/music/v1/artist/top', '/music/v1/status', '/music/v1/nothing', '/music/media']) {
    const answer = await app.inject(url)
    t.equal(answer.statusCode, 503, url)
    t.equal(answer.headers['retry-after'], '10')
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    t.strictSame(answer.json(), { code: 503, message: 'The source is too busy', data: null })
  }
  t.match(lines.find(({ msg }) => msg === 'request rejected'), { bound: 'heapUsedBytes', value: Number, level: 30 })
})

t.test('a call that is refused goes no further, also where answers are compressed', async t => {
  const time = fakeTime(t)
  const { app, lines } = await build(t, { maxHeapUsedBytes: 1 }, async app => {
    app.addHook('onSend', async (_request, _reply, payload) => payload)
    app.addHook('preHandler', async () => { app.log.warn('goes on') })
  })
  time.advance(sample)
  t.equal((await app.inject('/music/media')).statusCode, 503)
  await setImmediate()
  t.strictSame(lines.filter(({ level }) => level >= 40), [])
})

t.test('calls are refused while the event loop is late, which the start is not counted for', async t => {
  const time = fakeTime(t)
  const { app, lines, isBusy } = await build(t, { maxEventLoopDelay: 1 })
  /**
   * Blocks the event loop, long enough that the many short delays of a slow machine do not hide it in the mean. The
   * first delay of a sample is not measured.
   */
  const beLate = async () => {
    for (let block = 0; block < 3; block++) {
      for (const end = process.hrtime.bigint() + 70_000_000n; process.hrtime.bigint() < end;);
      await inTurns(2)
    }
    time.advance(sample)
    t.ok(isBusy())
  }
  const ask = async () => (await app.inject('/music/v1/artist/top')).statusCode
  time.advance(sample)
  await app.ready()
  await beLate()
  t.equal(await ask(), 200)
  time.advance(2 * sample)
  await beLate()
  t.equal(await ask(), 503)
  t.match(lines.find(({ msg }) => msg === 'request rejected'), { bound: 'eventLoopDelay' })
})

t.test('whether the service is up is answered all the same', async t => {
  const time = fakeTime(t)
  const { app } = await build(t, { maxHeapUsedBytes: 1 })
  time.advance(sample)
  t.equal((await app.inject('/music/status')).statusCode, 200)
})

t.test('a process that can keep up refuses nothing', async t => {
  const { app } = await build(t, {})
  t.equal((await app.inject('/music/v1/artist/top')).statusCode, 200)
})

t.test('requests beyond those that may run at the same time are refused, until others have ended', async t => {
  const { app, lines, answer } = await build(t, { maxRunning: 2 })
  const running = ['10.0.0.1', '10.0.0.2'].map(remoteAddress => app.inject({ url: '/music/slow', remoteAddress }))
  await until(() => lines.filter(({ msg }) => msg === 'incoming request').length === 2)
  const refused = await app.inject('/music/v1/status')
  t.equal(refused.statusCode, 503)
  t.equal(refused.headers['retry-after'], '10')
  t.strictSame(refused.json(), { code: 503, message: 'The source is too busy', data: null })
  t.equal((await app.inject('/music/status')).statusCode, 200)
  answer.resolve('done')
  t.same((await Promise.all(running)).map(({ statusCode }) => statusCode), [200, 200])
  t.equal((await app.inject('/music/v1/status')).statusCode, 200)
})

t.test('of 3,000 calls at the same time, those beyond the bound are refused and the others answered', async t => {
  const answer = deferred<string>()
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(async instance => {
    await shedLoad(instance, { ...bounds, maxEventLoopDelay: Infinity })
    instance.get('/slow', () => answer.promise)
  })
  await app.ready()
  const counts = new Map<string, number>()
  const calls = Array.from({ length: 3000 }, async (_empty, i) => {
    const { statusCode, headers } = await app.inject({ url: '/slow', remoteAddress: `10.0.${i >> 8}.${i & 255}` })
    const what = `${statusCode} ${headers['retry-after']}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  })
  await until(() => counts.get('503 10') === 3000 - bounds.maxRunning)
  answer.resolve('done')
  await Promise.all(calls)
  t.same(Object.fromEntries(counts), { '503 10': 2000, '200 undefined': 1000 })
})

t.test('one address, or IPv6 network, never has all places: who has none is answered', async t => {
  const { app, lines } = await build(t, { maxRunning: 100 })
  const ask = (remoteAddress: string) => {
    const call = app.inject({ url: '/music/slow', remoteAddress })
    return Promise.race([call.then(({ statusCode }) => statusCode), inTurns(10).then(() => 'runs')])
  }
  const networks: [string | ((i: number) => string), number][] = [
    [i => `2001:db8::${i}`, 50], ['10.0.0.1', 25], ['::ffff:10.0.0.1', 0], ['10.0.0.2', 13]
  ]
  for (const [address, most] of networks) {
    const addresses = Array.from({ length: 60 }, (_empty, i) => typeof address === 'string' ? address : address(i))
    const outcomes = await Promise.all(addresses.map(ask))
    t.equal(outcomes.filter(outcome => outcome === 'runs').length, most)
  }
  t.equal((await app.inject({ url: '/music/media', remoteAddress: '10.0.2.1' })).statusCode, 200)
  t.match(lines.find(({ msg }) => msg === 'request rejected'), { bound: 'running' })
})

t.test('requests of one address begin between those of another one, however many these are', async t => {
  const { app, heard } = await build(t, { maxRunning: 1000, maxWaiting: 1000 })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const addresses = [...Array<string>(15).fill('127.0.0.2'), '127.0.0.3']
  const sockets = await Promise.all(addresses.map(async localAddress => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }))
  await until(async () => await promisify(app.server.getConnections).call(app.server) === 16)
  const one = sockets.pop()!
  sockets.forEach(socket => socket.write('GET /music/media HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20)))
  one.write('GET /music/media HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(() => heard.length === 301)
  t.ok(heard.indexOf('127.0.0.3') < 100, `${heard.indexOf('127.0.0.3')} begin before`)
})

t.test('requests that wait for their turn are bounded; whether the service is up is answered all the same', async t => {
  const { app, lines } = await build(t, { maxRunning: 1000, maxWaiting: 4 })
  const ask = async (url: string) => {
    const { statusCode, headers } = await app.inject(url)
    return `${statusCode} ${headers.connection}`
  }
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => ask('/music/media')).concat(ask('/music/status')))
  t.strictSame(outcomes, [...Array(22).fill('200 keep-alive'), ...Array(8).fill('503 close'), '200 close'])
  t.match(lines.find(({ msg }) => msg === 'request rejected'), { bound: 'waiting' })
  t.equal(await ask('/music/media'), '200 keep-alive')
})

t.test('a connection that sends too many requests ahead is ended: most of them do not begin', async t => {
  const { app, lines, heard } = await build(t, { maxRunning: 1000, maxWaiting: 1000 })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const urls = Array.from({ length: 3000 }, (_empty, i) => i % 2 === 0 ? '/music/status' : '/music/media')
  const client = pipeline(app.listeningOrigin, urls)
  await until(() => client.destroyed || client.bytesRead > 20_000)
  t.ok(client.destroyed)
  t.equal(heard.length, 10)
  t.match(lines.filter(({ msg }) => msg === 'connection ended'), [{ bound: 'ahead' }])
  t.equal((await app.inject('/music/media')).statusCode, 200)

  const expecting = pipeline(app.listeningOrigin, urls, 'expect: more')
  await until(() => expecting.destroyed || expecting.bytesRead > 20_000)
  t.ok(expecting.destroyed)
  const request = get(`${app.listeningOrigin}/music/media`, { agent: false, headers: { expect: 'more' } })
  t.equal((await once(request, 'response'))[0].statusCode, 417)
})

t.test('a connection may have twenty requests that are not answered, however many it sends', async t => {
  const { app, lines } = await build(t, { maxRunning: 1000, maxWaiting: 1000 })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => client.destroy())
  for (let round = 1; round <= 5; round++) {
    client.write('GET /music/media HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20))
    let text = ''
    while (text.split('audio').length <= 20) text += (await once(client, 'data'))[0]
    await until(() => lines.filter(({ msg }) => msg === 'request completed').length === 20 * round)
  }
})

t.test('connections of an address beyond its share are ended, and have one again when others have left', async t => {
  const { app, lines } = await build(t, { maxConnections: 4 })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const open = async (localAddress = '127.0.0.1') => {
    const client = connect({ port, host: '127.0.0.1', localAddress })
    t.teardown(() => client.destroy())
    client.write('GET /music/media HTTP/1.1\r\nHost: a\r\n\r\n')
    const isAnswered = await new Promise<boolean>(resolve => {
      client.once('data', () => resolve(true))
      client.once('close', () => resolve(false))
      // The server may end it before it has read the request.
      client.on('error', () => {})
    })
    return { client, isAnswered }
  }
  const [{ client, isAnswered }] = [await open(), await open()]
  t.ok(isAnswered)
  t.notOk((await open()).isAnswered)
  t.match(lines.filter(({ msg }) => msg === 'connection ended'), [{ bound: 'connections' }])
  t.ok((await open('127.0.0.2')).isAnswered, 'those that send nothing more keep no other address out')
  client.destroy()
  await until(async () => (await open()).isAnswered)
})

t.test('connections and requests leave half of the files that the process may have open', async t => {
  for (const [limits, connections, requests] of [
    ['Max cpu time unlimited\nMax open files            1024                 4096                 files', 512, 256],
    ['Max open files            1048576              1048576              files', 524288, 1000],
    ['', Infinity, 1000]
  ] as const) {
    const { readFileSync } = fs
    const read = (path: string, ...rest: any[]) =>
      path === '/proc/self/limits' ? limits : (readFileSync as any)(path, ...rest)
    replaceExports(t, fs, { readFileSync: read as typeof readFileSync })
    const open = await mockImport<object>(import.meta.resolve('../../lib/protection/open-file-limit.ts'), {})
    t.match(await mockImport(
      import.meta.resolve('../../lib/protection/shed-load.ts'), { './open-file-limit.ts': open }
    ), {
      bounds: { maxConnections: connections, maxRunning: requests }
    })
  }
})

t.test('requests whose client leaves while they wait for their turn do not begin', async t => {
  let asked = 0
  const { app, heard } = await build(t, { maxRunning: 1000, maxWaiting: 5000 }, async app =>
    app.addHook('onRequest', ({ raw, ip }, _reply, done) => {
      if (ip === '127.0.0.1' && ++asked === 20) raw.socket.destroy()
      done()
    }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  // Others wait at any time, however late the connection is.
  const fill = async (): Promise<void> => {
    await app.inject({ url: '/music/media', remoteAddress: '10.0.0.1' })
    if (asked < 20) await fill()
  }
  const others = Array.from({ length: 100 }, fill)
  pipeline(app.listeningOrigin, many('/music/media'))
  await Promise.all(others)
  t.equal(asked, 20)
  t.notOk(heard.includes('127.0.0.1'))
})

t.test('a request whose client has gone away does not count', async t => {
  const { app, lines, answer } = await build(t, { maxRunning: 1 })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const request = get(`${app.listeningOrigin}/music/slow`, { agent: false })
  request.on('error', () => {})
  await until(() => lines.some(({ msg }) => msg === 'incoming request'))
  t.equal((await app.inject('/music/media')).statusCode, 503)
  request.destroy()
  await until(async () => (await app.inject('/music/media')).statusCode === 200)
  answer.resolve('done')
})

t.test('a request whose client has gone away in an earlier hook does not count', async t => {
  const [entered, left] = [deferred<void>(), deferred<void>()]
  const { app } = await build(t, {
    maxRunning: 1
  }, async app => app.addHook('onRequest', async ({ headers }, reply) => {
    if (headers['x-leaves'] === undefined) return
    entered.resolve()
    await once(reply.raw, 'close')
    left.resolve()
  }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const request = get(`${app.listeningOrigin}/music/media`, { agent: false, headers: { 'x-leaves': '1' } })
  request.on('error', () => {})
  await entered.promise
  request.destroy()
  await left.promise
  t.equal((await app.inject('/music/media')).statusCode, 200)
})
