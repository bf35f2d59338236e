// npm run build && node test/bench/media.js: what the media proxy costs beside a plain pipe. Prints Markdown, passes no
// judgement.
//
//   --rounds 5      new processes of each server, interleaved
//   --songs 40      songs of 10 MB that are loaded in a round, four at a time
//   --smoke         one song: whether it still runs

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const length = 10_000_000
const kinds = {
  'plain pipe': null,
  proxy: {},
  'proxy, chunks of 1 MiB': { chunk: 2 ** 20 },
  'proxy, chunks of 256 KiB': { chunk: 2 ** 18 }
}

if (process.send) await serve(...process.argv.slice(2))
else await measure()

/** One server in a process of its own: the upstream, or one of those that are compared. */
async function serve (kind, upstream) {
  const port = kind === 'upstream' ? await startUpstream() : await startServer(kind, upstream)
  process.on('message', () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }))
  process.on('disconnect', () => process.exit())
  process.send(port)
}

async function startUpstream () {
  const song = Buffer.alloc(length, 'music')
  const server = createServer(({ headers: { range = '' } }, response) => {
    const [, start = 0, end = length - 1] = /^bytes=(\d+)-(\d+)?$/.exec(range) ?? []
    const body = song.subarray(Number(start), Number(end) + 1)
    response.writeHead(range ? 206 : 200, {
      'content-type': 'audio/mpeg',
      etag: '"1"',
      'content-length': body.length,
      ...(range && { 'content-range': `bytes ${start}-${Number(start) + body.length - 1}/${length}` })
    })
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

async function startServer (kind, upstream) {
  const { default: fastify } = await import('fastify')
  const { createSigner, mediaProxy } = await import('fastify-source-origin/media')
  const app = fastify()
  const url = `http://127.0.0.1:${upstream}/song`
  if (kinds[kind] === null) {
    const { request } = await import('undici')
    app.get('/', async (_request, reply) => {
      const { headers, body } = await request(url)
      reply.type(headers['content-type']).header('content-length', headers['content-length'])
      return reply.send(body)
    })
  } else {
    const audio = { resolve: () => ({ url }), hosts: [`127.0.0.1:${upstream}`], allowPrivate: true, ...kinds[kind] }
    await app.register(
      mediaProxy, { signer: createSigner({ keys: [Buffer.alloc(32)], ttl: 3_600_000 }), kinds: { audio } }
    )
    app.get('/', (_request, reply) => reply.redirect(app.mediaUrl('audio', {}, { extension: 'mp3' })))
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server.address().port
}

async function start (...args) {
  const child = fork(fileURLToPath(import.meta.url), args, { env: { ...process.env, NODE_ENV: 'production' } })
  const [port] = await once(child, 'message')
  return {
    port,
    async usage () {
      child.send('usage')
      return (await once(child, 'message'))[0]
    },
    async stop () {
      child.disconnect()
      await once(child, 'exit')
    }
  }
}

async function load (url) {
  const [response] = await once(get(url), 'response')
  if (response.statusCode === 302) {
    response.resume()
    return load(new URL(response.headers.location, url))
  }
  let bytes = 0
  for await (const chunk of response) bytes += chunk.length
  if (bytes !== length) throw new Error(`${bytes} of ${length} bytes`)
}

async function measure () {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      songs: { type: 'string', default: '40' },
      smoke: { type: 'boolean', default: false }
    }
  })
  const rounds = values.smoke ? 1 : Number(values.rounds)
  const songs = values.smoke ? 1 : Number(values.songs)
  const upstream = await start('upstream')
  const measured = Object.fromEntries(Object.keys(kinds).map(kind => [kind, []]))
  for (let round = 0; round < rounds; round++) {
    for (const kind of Object.keys(kinds)) {
      const server = await start(kind, upstream.port)
      const loadAll = async count => {
        const worker = async () => { while (count-- > 0) await load(`http://127.0.0.1:${server.port}/`) }
        await Promise.all([worker(), worker(), worker(), worker()])
      }
      await loadAll(Math.ceil(songs / 2))
      const before = await server.usage()
      const started = performance.now()
      await loadAll(songs)
      const seconds = (performance.now() - started) / 1000
      const after = await server.usage()
      const cpu = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
      measured[kind].push({
        rate: songs * length / 1e6 / seconds, cpu: cpu / (songs * length / 1e6), rss: after.rss / 2 ** 20
      })
      await server.stop()
    }
  }
  await upstream.stop()

  const median = numbers => numbers.sort((a, b) => a - b)[numbers.length >> 1]
  const of = (kind, value) => median(measured[kind].map(value))
  const pipe = of('plain pipe', ({ cpu }) => cpu)
  const lines = Object.keys(kinds).map(kind => [
    kind, of(kind, ({ rate }) => rate).toFixed(0), of(kind, ({ cpu }) => cpu).toFixed(0),
    (of(kind, ({ cpu }) => cpu) / pipe).toFixed(2), of(kind, ({ rss }) => rss).toFixed(0)
  ])
  const head = ['', 'MB/s', 'CPU µs per MB', 'relative', 'RSS MB']
  process.stdout.write(
    `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model}, ${rounds} rounds of ${songs} songs of ${length / 1e6} MB; medians.\n\n`
  )
  process.stdout.write([head, head.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |\n`).join(''))
}
