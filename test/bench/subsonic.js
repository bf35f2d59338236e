// node test/bench/subsonic.js, after npm run build: what /rest costs next to a hand-written route with the same data,
// and audio through it next to the media proxy. Prints Markdown, passes no judgement. `--smoke`: one tiny round,
// whether it still runs.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import fastify from 'fastify'
import sourceOrigin from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import { createSigner, mediaProxy } from 'fastify-source-origin/media'
import subsonic from 'fastify-source-origin/subsonic'
import { tool } from './tool.js'

const autocannon = tool('autocannon')

const token = 'a-token-of-some-length'
const login = `u=ada&p=${token}&c=bench&v=1.16.1`
const pageOf500 = `/rest/getAlbumList2?type=alphabeticalByName&size=500&${login}`

const numbers = count => Array.from({ length: count }, (_, index) => index)
const artist = index => ({ id: `artist-${index}`, name: `The Artist ${index}` })
const album = index => ({
  id: `album-${index}`,
  name: `Morning & Frost ${index}`,
  coverUrl: `https://img.example.com/${index}.jpg`,
  artistName: artist(index % 50).name,
  genre: 'Folk',
  publishTime: 1.4e12 + index * 8.64e7,
  trackCount: 12,
  favorite: false
})
const small = {
  library: createLibrary({ artists: numbers(50).map(artist), albums: numbers(500).map(album), tracks: [] })
}
const audio = Buffer.alloc(8 * 1024 * 1024, 7)

/** What apps that keep a copy ask for. */
const syncPage = offset => `/large/rest/search3?query=&artistCount=0&albumCount=0&songCount=500&songOffset=${offset}&${login}`

/** Ten tracks on each album, which are made when they are read. */
function largeLibrary (count) {
  const albums = numbers(count / 10).map(album)
  const track = index => ({
    id: `${index}`, title: `Song ${index}`, artists: [artist(index % 50)], album: albums[Math.floor(index / 10)], durationMs: 2e5
  })
  const ids = numbers(count).map(String)
  const { library } = small
  return {
    ids: query => query.kind === 'tracks' ? ids : library.ids(query),
    items: (kind, ids) => kind === 'tracks' ? ids.map(Number).map(track) : library.items(kind, ids),
    facets: kind => library.facets(kind),
    revision: '1',
    changedAt: 1
  }
}

/** A source whose every call takes 20 ms: 30 artists with two pages of albums each. */
const slowSource = {
  getTopArtists: async () => { await pause(); return numbers(30).map(artist) },
  async getArtistAlbums (_id, offset, limit) {
    await pause()
    return { items: numbers(100).map(album).slice(offset, offset + 50), offset, limit, hasMore: offset < 50 }
  }
}
const pause = () => new Promise(resolve => setTimeout(resolve, 20))

async function serve (tracks) {
  const upstream = fastify()
  upstream.get('/audio', (_request, reply) => reply.type('audio/mpeg').send(audio))
  const origin = await upstream.listen({ port: 0, host: '127.0.0.1' })

  const app = fastify({ http: { maxHeaderSize: 262_144 } })
  const locate = () => ({ url: `${origin}/audio`, quality: '' })
  const resolveLogin = ({ verify }) => verify(token) ? token : null
  const shared = { resolveLogin, allowPrivate: true }
  const register = async (adapter, options) => {
    const { prefix = '' } = options
    await app.register(sourceOrigin, { prefix, resolveContext: () => ({ adapter }), validateResponses: false })
    await app.register(subsonic, { ...shared, ...options })
  }
  await register({ getTrackUrl: locate, ...small }, {})
  await register(slowSource, { prefix: '/slow' })
  await register({ getTrackUrl: () => ({ url: 'https://a.example/', quality: '' }), library: largeLibrary(tracks) }, {
    prefix: '/large'
  })
  await app.register(mediaProxy, {
    signer: createSigner({ keys: [Buffer.alloc(32)], ttl: 3_600_000 }),
    kinds: { audio: { resolve: locate, hosts: [new URL(origin).host], allowPrivate: true } }
  })
  // The same data, made by nobody: what a hand-written route would answer.
  const made = {}
  app.get('/by-hand', () => made.answer)
  app.get('/songs-by-hand', () => made.songs)
  made.answer = (await app.inject(`${pageOf500}&f=json`)).json()
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  process.on('message', async () => {
    made.songs ??= (await app.inject(`${syncPage(0)}&f=json`)).json()
    process.send(process.cpuUsage())
  })
  process.once('disconnect', () => process.exit())
  process.send({ url, media: app.mediaUrl('audio', { id: '1' }, { extension: 'mp3' }) })
}

const median = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
const print = line => process.stdout.write(`${line}\n`)

/** Milliseconds of CPU that the server takes for one answer: what else the machine does matters little to it. */
async function measure (smoke) {
  const tracks = smoke ? 2000 : 100_000
  const child = fork(fileURLToPath(import.meta.url), ['serve', `${tracks}`])
  const [{ url, media }] = await once(child, 'message')
  const usage = async () => {
    child.send('usage')
    const [{ user, system }] = await once(child, 'message')
    return (user + system) / 1000
  }
  const cost = async (path, amount) => {
    const before = await usage()
    const { non2xx, errors } = await autocannon({ url: url + path, connections: 4, amount })
    if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx} refused, ${errors} failed`)
    return (await usage() - before) / amount
  }
  /** Medians of interleaved rounds; the first of each warms up. */
  const compare = async (paths, amount) => {
    const costs = paths.map(() => [])
    for (let round = 0; round <= (smoke ? 1 : 7); round++) {
      for (const [index, path] of paths.entries()) costs[index].push(await cost(path, smoke ? 8 : amount))
    }
    return costs.map(([, ...rest]) => median(rest))
  }
  const table = (names, costs) => {
    for (const [index, name] of names.entries()) {
      print(`| ${name} | ${costs[index].toFixed(2)} | ${(costs[0] / costs[index]).toFixed(2)} |`)
    }
  }

  const first = performance.now()
  await (await fetch(`${url}${syncPage(0)}&f=json`)).arrayBuffer()
  print(`The first page of ${tracks} tracks: ${Math.round(performance.now() - first)} ms\n`)
  print('| 500 songs of them | ms of CPU | speed next to the first |\n| --- | --- | --- |')
  const pages = [syncPage(500), syncPage(tracks - 500)].map(path => `${path}&f=json`)
  table(['hand-written route', 'second page', 'last page'], await compare(['/songs-by-hand', ...pages], 100))
  print('\n| 500 albums | ms of CPU | speed next to the first |\n| --- | --- | --- |')
  table(['hand-written route', 'JSON', 'XML'], await compare(['/by-hand', `${pageOf500}&f=json`, pageOf500], 500))
  print('\n| 8 MiB of audio | ms of CPU | speed next to the first |\n| --- | --- | --- |')
  table(['media proxy', '/rest/stream'], await compare([media, `/rest/stream?id=tr-1&${login}`], 40))

  const started = performance.now()
  const response = await fetch(`${url}/slow/rest/getArtists?${login}&f=json`)
  if ((await response.json())['subsonic-response'].status !== 'ok') throw new Error('The library was not read in time')
  print(`\nA library of 61 calls of 20 ms, four at once: ${Math.round(performance.now() - started)} ms`)
  child.disconnect()
}

if (process.argv.includes('serve')) await serve(Number(process.argv[3]))
else await measure(process.argv.includes('--smoke'))
