// npm run build && node test/bench/cache.js [--rounds 5] [--wrk] [--smoke]: a kept answer, a 304, a miss that is not kept
// and one that is, next to servers that send a constant Buffer with the same headers, and to this SDK without a cache
// over an adapter that answers from memory, and a miss over an adapter that asks an HTTP service: requests per second,
// and in brackets by CPU. Prints Markdown, passes no judgement. `--wrk`: asked by wrk, which must be installed, instead of autocannon, which needs as much CPU as the
// server. `--smoke`: one very short round, whether it still runs.

import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import autocannon from 'autocannon'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    wrk: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false }
  },
  allowPositionals: true
})
const { smoke } = values
const path = '/v1/playlist/detail?id=1'
const token = 'a-token-of-some-length'
const headers = {
  'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-cache', vary: 'Authorization', etag: '"abcdefghijklmnopqrstuvwxyz0"'
}
const track = index => ({
  id: `${index}`, title: `Song ${index}`, artists: [{ id: 'a', name: 'Somebody' }], album: { id: 'b', name: 'Album', coverUrl: 'https://media.example.com/b.jpg' }, durationMs: 180_000, qualities: []
})
/** Number of tracks of each size of the answer. */
const sizes = { small: 1, page: 50, long: 2500 }
const dataOf = size => ({ id: '1', name: 'Playlist', tracks: Array.from({ length: sizes[size] }, (_, index) => track(index)) })
const isAuthorized = request => request.headers.authorization === token

/** @param adapterOf makes the adapter that answers with the data of the size */
async function ours (size, cache, ttl = 3600, adapterOf = inMemory) {
  const { default: fastify } = await import('fastify')
  const { default: sourceOrigin } = await import('fastify-source-origin')
  const { createSourceCache } = cache ? await import('fastify-source-origin/cache') : {}
  const data = dataOf(size)
  const context = { adapter: await adapterOf(data, size), account: 'owner' }
  const app = fastify()
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) => authorization === token ? context : null,
    ...cache && { cache: createSourceCache({ operations: { getPlaylistDetail: { ttl } } }) }
  })
  return app.listen().then(() => app.server)
}

const inMemory = data => ({ getPlaylistDetail: async () => data })

/** It asks a service in another process. */
async function overHttp (data, size) {
  const { createUpstream } = await import('fastify-source-origin/upstream')
  const [port] = await once(fork(fileURLToPath(import.meta.url), ['service', size]), 'message')
  const upstream = createUpstream({ baseUrl: `http://127.0.0.1:${port}`, concurrency: 32, accountConcurrency: 32 })
  const api = upstream.for({ account: 'owner' })
  return { getPlaylistDetail: () => api.json('/playlist') }
}

/** Each request asks for another id: an answer would be kept, or shared, otherwise. */
const varied = new Set(['kept miss', 'over HTTP, without a cache', 'over HTTP, miss'])

async function service (size) {
  const body = Buffer.from(JSON.stringify(dataOf(size)))
  const { createServer } = await import('node:http')
  return createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  }).listen(0)
}

const kinds = {
  async 'node:http' (size) {
    const body = Buffer.from(JSON.stringify({ code: 200, data: dataOf(size) }))
    const { createServer } = await import('node:http')
    return createServer((request, response) => {
      response.writeHead(isAuthorized(request) ? 200 : 401, { ...headers, 'content-length': body.length })
      response.end(body)
    }).listen(0)
  },
  async 'Fastify, constant Buffer' (size) {
    const body = Buffer.from(JSON.stringify({ code: 200, data: dataOf(size) }))
    const { default: fastify } = await import('fastify')
    const app = fastify()
    app.addHook('preHandler', async request => { if (!isAuthorized(request)) throw Object.assign(new Error('Unauthorized'), { statusCode: 401 }) })
    const querystring = { type: 'object', properties: { id: { type: 'string', minLength: 1 } }, required: ['id'] }
    app.get('/v1/playlist/detail', { schema: { querystring } }, (_request, reply) => reply.headers(headers).send(body))
    await app.listen()
    return app.server
  },
  'without a cache': size => ours(size, false),
  hit: size => ours(size, true),
  304: size => ours(size, true),
  miss: size => ours(size, true, 0),
  'kept miss': size => ours(size, true),
  'over HTTP, without a cache': size => ours(size, false, 0, overHttp),
  'over HTTP, miss': size => ours(size, true, 0, overHttp)
}

/** In its own process: one server. */
async function serve ([kind, size]) {
  const server = await (kind === 'service' ? service(size) : kinds[kind](size))
  if (!server.listening) await once(server, 'listening')
  process.on('message', () => process.send(process.cpuUsage()))
  process.on('disconnect', () => process.exit())
  process.send(server.address().port)
}

/** Requests per second, and microseconds of the server's CPU for each. */
async function measure (kind, size) {
  const child = fork(fileURLToPath(import.meta.url), [kind, size], { env: { ...process.env, NODE_ENV: 'production' } })
  const [port] = await once(child, 'message')
  const url = `http://127.0.0.1:${port}${path}`
  const { headers } = await fetch(url, { headers: { authorization: token } })
  const sent = { authorization: token, ...kind === '304' && { 'if-none-match': headers.get('etag') } }
  const ask = () => (values.wrk ? askByWrk : askByAutocannon)(url, sent, varied.has(kind))
  // V8 needs some ten thousand answers.
  for (let warmUp = 0; warmUp < (smoke ? 0 : 2); warmUp++) await ask()
  const usage = async () => {
    child.send('usage')
    const [{ user, system }] = await once(child, 'message')
    return user + system
  }
  const before = await usage()
  const { total, rate, failed } = await ask()
  const cpu = (await usage() - before) / total
  child.disconnect()
  await once(child, 'exit')
  if (failed > 0) throw new Error(`${kind}, ${size}: ${failed} answers were errors`)
  return { rate, cpu }
}

/** @param varied whether each request asks for another id */
async function askByAutocannon (url, headers, varied) {
  const { requests, duration, errors, ...statuses } = await autocannon({
    url: varied ? `${url}[<id>]` : url, idReplacement: varied, headers, connections: 32, duration: 1
  })
  return { total: requests.total, rate: requests.total / duration, failed: errors + statuses['4xx'] + statuses['5xx'] }
}

async function askByWrk (url, headers, varied) {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const script = varied ? ['-s', fileURLToPath(import.meta.resolve('./vary-id.lua'))] : []
  const { stdout } = await promisify(execFile)('wrk', ['-t1', '-c32', '-d1', ...script, ...sent, url])
  const number = pattern => Number(pattern.exec(stdout)?.[1] ?? 0)
  // wrk counts a 304 as a success.
  const failed = number(/Non-2xx or 3xx responses: (\d+)/)
  return { total: number(/(\d+) requests in/), rate: number(/Requests\/sec:\s+([\d.]+)/), failed }
}

async function compare (rounds, sizes) {
  const median = numbers => numbers.sort((a, b) => a - b)[numbers.length >> 1]
  const print = cells => process.stdout.write(`| ${cells.join(' | ')} |\n`)
  const bases = ['Fastify, constant Buffer', 'node:http', 'without a cache']
  print(['', 'bytes', ...bases.map(base => `relative to ${base}`)])
  print(['', '', ...bases].map(() => '---'))
  for (const size of sizes) {
    const measured = Object.fromEntries(Object.keys(kinds).map(kind => [kind, []]))
    // Interleaved, so that a noisy neighbour hits all alike.
    for (let round = 0; round < rounds; round++) {
      for (const kind of Object.keys(kinds)) measured[kind].push(await measure(kind, size))
    }
    const of = (kind, value) => median(measured[kind].map(value))
    // Speed is one by time, and one by CPU, which neighbours disturb less.
    const ratio = (kind, base) => [
      of(kind, ({ rate }) => rate) / of(base, ({ rate }) => rate), of(base, ({ cpu }) => cpu) / of(kind, ({ cpu }) => cpu)
    ].map(ratio => ratio.toFixed(2))
    const bytes = JSON.stringify({ code: 200, data: dataOf(size) }).length
    const cell = (kind, base) => { const [rate, cpu] = ratio(kind, base); return `${rate} (${cpu})` }
    for (const kind of ['hit', '304', 'miss', 'kept miss']) print([kind, bytes, ...bases.map(base => cell(kind, base))])
    print(['over HTTP, miss', bytes, '', '', cell('over HTTP, miss', 'over HTTP, without a cache')])
  }
}

if (process.send) await serve(process.argv.slice(2))
else await compare(smoke ? 1 : Number(values.rounds), smoke ? ['small'] : Object.keys(sizes))
