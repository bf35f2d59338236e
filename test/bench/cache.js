// npm run build && node test/bench/cache.js [--rounds 5] [--seconds 5] [--sizes small,page,long] [--wrk] [--smoke]: a
// kept answer, a 304, a miss that is not kept and one that is, next to servers that send a constant Buffer with the
// same headers, and to this SDK without a cache over an adapter that answers from memory, and misses over an adapter
// that asks an HTTP service: requests per second, and in brackets by CPU. Prints Markdown, passes no judgement.
//
//   --rounds 5     new processes of each server
//   --seconds 5    how long each is measured, a second at a time and in turns
//   --sizes small  only answers of these sizes
//   --wrk          asked by wrk, which must be installed, instead of autocannon, which needs as much CPU as the server
//   --smoke        one very short round: whether it still runs

import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { tool } from './tool.js'

const autocannon = tool('autocannon')

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    sizes: { type: 'string', default: 'small,page,long' },
    wrk: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false }
  },
  allowPositionals: true
})
const { smoke } = values
const seconds = smoke ? 1 : Number(values.seconds)
const path = '/v1/playlist/detail?id=1'
const token = 'a-token-of-some-length'
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-cache',
  vary: 'Authorization',
  etag: '"abcdefghijklmnopqrstuvwxyz0"'
}
const track = index => ({
  id: `${index}`,
  title: `Song ${index}`,
  artists: [{ id: 'a', name: 'Somebody' }],
  album: { id: 'b', name: 'Album', coverUrl: 'https://media.example.com/b.jpg' },
  durationMs: 180_000,
  qualities: [{ key: 'high', label: 'High', bitrate: 320_000, format: 'mp3', size: 7_200_000 }]
})
/** Number of tracks of each size of the answer: 0.3, 10 and 530 kB. */
const sizes = { small: 1, page: 38, long: 2000 }
const dataOf = size =>
  ({ id: '1', name: 'Playlist', tracks: Array.from({ length: sizes[size] }, (_, index) => track(index)) })
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
  return { getPlaylistDetail: () => upstream.for({ account: 'owner' }).json('/playlist') }
}

/** Each request asks for another id: an answer would be kept, or shared, otherwise. */
const varied = new Set([
  'without a cache, other ids', 'kept miss', 'over HTTP, without a cache', 'over HTTP, miss', 'over HTTP, kept miss'
])

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
    app.addHook('preHandler', async request => {
      if (!isAuthorized(request)) throw Object.assign(new Error('Unauthorized'), { statusCode: 401 })
    })
    const querystring = { type: 'object', properties: { id: { type: 'string', minLength: 1 } }, required: ['id'] }
    app.get('/v1/playlist/detail', { schema: { querystring } }, (_request, reply) => reply.headers(headers).send(body))
    await app.listen()
    return app.server
  },
  'without a cache': size => ours(size, false),
  hit: size => ours(size, true),
  304: size => ours(size, true),
  miss: size => ours(size, true, 0),
  'without a cache, other ids': size => ours(size, false),
  'kept miss': size => ours(size, true),
  'over HTTP, without a cache': size => ours(size, false, 0, overHttp),
  'over HTTP, miss': size => ours(size, true, 0, overHttp),
  'over HTTP, kept miss': size => ours(size, true, 3600, overHttp)
}

/** In its own process: one server. */
async function serve ([kind, size]) {
  const server = await (kind === 'service' ? service(size) : kinds[kind](size))
  if (!server.listening) await once(server, 'listening')
  process.on('message', () => process.send(process.cpuUsage()))
  process.on('disconnect', () => process.exit())
  process.send(server.address().port)
}

/** Starts a server and warms it up: V8 needs some ten thousand answers, more if they are short. */
async function start (kind, size) {
  const child = fork(fileURLToPath(import.meta.url), [kind, size], { env: { ...process.env, NODE_ENV: 'production' } })
  const [port] = await once(child, 'message')
  const url = `http://127.0.0.1:${port}${path}`
  const { headers } = await fetch(url, { headers: { authorization: token } })
  const sent = { authorization: token, ...kind === '304' && { 'if-none-match': headers.get('etag') } }
  const ask = () => (values.wrk ? askByWrk : askByAutocannon)(url, sent, varied.has(kind))
  for (let warmUp = 0; warmUp < (smoke ? 0 : 5); warmUp++) await ask()
  const usage = async () => {
    child.send('usage')
    const [{ user, system }] = await once(child, 'message')
    return user + system
  }
  const figures = { rate: 0, total: 0, cpu: 0 }
  return {
    figures,
    /** Asks for a second. */
    async measure () {
      const before = await usage()
      const { total, rate, failed } = await ask()
      if (failed > 0) throw new Error(`${kind}, ${size}: ${failed} answers were errors`)
      figures.cpu += await usage() - before
      figures.total += total
      figures.rate += rate
    },
    async stop () {
      child.disconnect()
      await once(child, 'exit')
    }
  }
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

/** Microseconds of the server's CPU for an answer. */
const cpuOf = ({ cpu, total }) => cpu / total

async function compare (rounds, sizes) {
  const median = numbers => numbers.sort((a, b) => a - b)[numbers.length >> 1]
  const print = cells => process.stdout.write(`| ${cells.join(' | ')} |\n`)
  const bases = ['Fastify, constant Buffer', 'node:http', 'without a cache']
  print(['', 'bytes', ...bases.map(base => `relative to ${base}`)])
  print(['', '', ...bases].map(() => '---'))
  for (const size of sizes) {
    const measured = Object.fromEntries(Object.keys(kinds).map(kind => [kind, []]))
    for (let round = 0; round < rounds; round++) {
      const servers = {}
      for (const kind of Object.keys(kinds)) servers[kind] = await start(kind, size)
      // In turns, so that what else the machine does hits all alike.
      for (let second = 0; second < seconds; second++) for (const { measure } of Object.values(servers)) await measure()
      for (const [kind, { figures, stop }] of Object.entries(servers)) {
        measured[kind].push(figures)
        await stop()
      }
    }
    const of = (kind, value) => median(measured[kind].map(value))
    // Speed is one by time, and one by CPU, which neighbours disturb less.
    const ratio = (kind, base) => [
      of(kind, ({ rate }) => rate) / of(base, ({ rate }) => rate), of(base, cpuOf) / of(kind, cpuOf)
    ].map(ratio => ratio.toFixed(2))
    const bytes = JSON.stringify({ code: 200, data: dataOf(size) }).length
    const cell = (kind, base) => { const [rate, cpu] = ratio(kind, base); return `${rate} (${cpu})` }
    for (const kind of ['hit', '304', 'miss']) print([kind, bytes, ...bases.map(base => cell(kind, base))])
    // Each next to one that is asked for the same ids.
    print(['kept miss', bytes, '', '', cell('kept miss', 'without a cache, other ids')])
    for (const kind of ['over HTTP, miss', 'over HTTP, kept miss']) {
      print([kind, bytes, '', '', cell(kind, 'over HTTP, without a cache')])
    }
  }
}

/** Favourites of a Subsonic app that are set in one call, with this many answers of the account in the cache. */
async function changes (answers) {
  const { default: fastify } = await import('fastify')
  const { default: sourceOrigin } = await import('fastify-source-origin')
  const { createSourceCache } = await import('fastify-source-origin/cache')
  const { default: subsonic } = await import('fastify-source-origin/subsonic')
  const { tracks } = dataOf('page')
  const adapter = {
    getPlaylistDetail: id => ({ id, name: 'Playlist', tracks: tracks.map(track => ({ ...track, id: `${id} ${track.id}` })) }),
    favoriteTrack: () => ({ success: true, status: true }),
    setFavorites: () => ({ success: true }),
    userFavoriteTracks: () => []
  }
  const app = fastify({ bodyLimit: 2 ** 21 })
  await app.register(sourceOrigin, {
    resolveContext: () => ({ adapter, account: 'owner', stateless: false }),
    cache: createSourceCache({ maxSize: 2 ** 30 })
  })
  await app.register(subsonic)
  const star = async count => {
    const ids = Array.from({ length: count }, (_, at) => `id=tr-star${at}`).join('&')
    const began = process.cpuUsage()
    const { body } = await app.inject({
      method: 'POST',
      url: `/rest/star?f=json&u=owner&p=${token}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: ids
    })
    if (!body.includes('"ok"')) throw new Error(body)
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1000
  }
  const medianOf = async count => {
    const times = []
    for (let time = 0; time < 5; time++) times.push(await star(count))
    return times.sort((a, b) => a - b)[2].toFixed(1)
  }
  const counts = [1, 500]
  const empty = []
  for (const count of counts) empty.push(await medianOf(count))
  for (let id = 0; id < answers; id++) {
    await app.inject({ url: `/v1/playlist/detail?id=${id}`, headers: { authorization: token } })
  }
  process.stdout.write(`\n| favourites set in one call, ms of CPU | empty cache | ${answers} answers |\n| --- | --- | --- |\n`)
  for (const [at, count] of counts.entries()) {
    process.stdout.write(`| ${count} | ${empty[at]} | ${await medianOf(count)} |\n`)
  }
  await app.close()
}

if (process.send) await serve(process.argv.slice(2))
else {
  await compare(smoke ? 1 : Number(values.rounds), smoke ? ['small'] : values.sizes.split(','))
  await changes(smoke ? 100 : 12_000)
}
