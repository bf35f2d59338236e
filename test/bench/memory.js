// Whether memory stays where it is: `memory.js [requests]` asks one origin a million times, in every way, from another
// process, and prints heap and RSS after the first ten thousand, the first hundred thousand and at the end, each after
// a collection as for want of memory: before it, RSS says little of what a server keeps, since V8 lets the young
// generation grow and shrink by 20 MB and more. V8 keeps the bytecode of what no longer runs (1 MB from the start-up),
// which it would drop one day and so hide as much growth.

import { startServer } from './start-server.js'
import { tool } from './tool.js'

const autocannon = tool('autocannon')

const amount = Number(process.argv[2] ?? 1_000_000)
const { url, headers, usage, stop } =
  await startServer('mixed', 'one track, ascii', ['--expose-gc', '--no-flush-bytecode'])

const get = path => ({ method: 'GET', path, headers })
const post = (path, body) =>
  ({ method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) })
const requests = [
  get('/v1/status'), get('/v1/track?id=1'), get('/v1/search/tracks?keyword=a'), get('/v1/track/lyric?id=1'),
  get('/status'),
  get('/v1/track'), get('/v1/nothing'), { method: 'GET', path: '/v1/track?id=1' }, get('/v1/track/lyrics?id=1'),
  get('/v1/track/url?id=1'), get('/v1/track/similar?id=1'), post('/v1/track/favorite', { id: '1', status: true }),
  post('/v1/track/favorite', { id: '1' })
]

async function ask (count) {
  const { errors } = await autocannon({ url, connections: 32, amount: count, requests })
  if (errors > 0) throw new Error(`${errors} requests failed`)
  return usage()
}

const megabytes = bytes => `${(bytes / 2 ** 20).toFixed(1)} MB`
process.stdout.write(`Node ${process.versions.node}\n`)
let asked = 0
for (const until of [amount / 100, amount / 10, amount]) {
  const { heap, kept, rss } = await ask(until - asked)
  asked = until
  process.stdout.write(
    `after ${until} requests: heap ${megabytes(heap)}, RSS ${megabytes(kept)} (before the collection ${megabytes(rss)})\n`
  )
}
await stop()
