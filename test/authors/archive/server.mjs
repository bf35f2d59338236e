// A radio archive of 30,000 shows: the library over SQL of the documents, and audio behind an OAuth login.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import fastify from 'fastify'
import { NotFoundError, UnauthorizedError } from 'fastify-source-origin'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { foldText } from 'fastify-source-origin/library'
import serveSource, { serverOptions } from 'fastify-source-origin/serve'
import { add, database, library } from './library.mjs'

const stations = 300
const programmes = 3000
const shows = 30_000

/** Ten seconds of silence. */
const silence = (() => {
  const wav = Buffer.alloc(44 + 160_000)
  wav.write('RIFF')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(8000, 24)
  wav.writeUInt32LE(16_000, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(160_000, 40)
  return wav
})()

/** The upstream: each token is valid for three requests, each refresh token once. */
export async function startUpstream () {
  const uses = new Map()
  let refresh = 'first'
  const stats = { logins: 0 }
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost')
    if (url.pathname === '/token') {
      if (url.searchParams.get('refresh') !== refresh) return response.writeHead(400).end()
      refresh = randomBytes(8).toString('hex')
      stats.logins++
      const token = randomBytes(8).toString('hex')
      uses.set(token, 3)
      return response.end(JSON.stringify({ token, refresh }))
    }
    const token = request.headers.authorization?.slice('Bearer '.length)
    const left = uses.get(token) ?? 0
    if (left === 0) return response.writeHead(401).end()
    uses.set(token, left - 1)
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const headers = { 'content-type': 'audio/wav', 'accept-ranges': 'bytes', etag: '"1"' }
    const { length } = silence
    if (from === undefined) return response.writeHead(200, { ...headers, 'content-length': length }).end(silence)
    if (Number(from) >= length) {
      return response.writeHead(416, { 'content-range': `bytes */${length}` }).end()
    }
    const part = silence.subarray(Number(from), to ? Number(to) + 1 : undefined)
    response.writeHead(206, {
      ...headers,
      'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${length}`,
      'content-length': part.length
    }).end(part)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { origin: `http://127.0.0.1:${server.address().port}`, stats, close: () => server.close() }
}

function fill () {
  database.exec('BEGIN')
  const station = at => [`r${at}`, `Station ${at}`]
  for (let at = 0; at < stations; at++) add('artist', ...station(at), programmes / stations)
  for (let at = 0; at < programmes; at++) {
    add('album', `a${at}`, `Programme ${at}`, ...station(at % stations), 1960 + at % 60, 1.7e12 + at * 1000,
      shows / programmes, 10 * shows / programmes)
  }
  for (let at = 0; at < shows; at++) {
    const of = at % programmes
    // Each tenth show has a guest.
    const by = station(at % 10 === 0 ? (of + 1) % stations : of % stations)
    const genre = `Genre ${of % 30}`
    add('track', `t${at}`, `Show ${at}`, ...by, `a${of}`, `Programme ${of}`, 1 + Math.floor(at / programmes), genre,
      foldText(genre), 1960 + of % 60, 10, 1.7e12 + of * 1000)
  }
  database.exec('COMMIT')
}

export async function start (token, upstream) {
  fill()
  const accounts = createAccounts({
    store: memoryAccountStore(), secret: randomBytes(32), tokens: { owner: token }
  })
  const session = accounts.session('owner', {
    async refresh (old) {
      const response = await fetch(`${upstream}/token?refresh=${old?.refresh ?? 'first'}`)
      if (!response.ok) throw new UnauthorizedError()
      return response.json()
    }
  })
  const one = (kind, id) => {
    const [item] = library.items(kind, [id])
    if (item === undefined) throw new NotFoundError(`Not found: ${id}`)
    return item
  }
  const tracksOf = album => library.items('tracks', library.ids({ kind: 'tracks', album }))
  const app = fastify({ ...serverOptions, logger: { level: 'warn' } })
  await app.register(serveSource, {
    accounts,
    stateless: true,
    adapter: ({ mediaUrl }) => ({
      library,
      getTrackDetail: id => one('tracks', id),
      getAlbumDetail (id, limit) {
        const tracks = tracksOf(id)
        return { ...one('albums', id), tracks: limit < 0 ? tracks : tracks.slice(0, limit) }
      },
      getArtistDetail (id, limit) {
        const artist = one('artists', id)
        const tracks = library.ids({ kind: 'albums', artist: id }).flatMap(tracksOf)
          .filter(({ artists }) => artists[0].id === id)
        return { ...artist, tracks: limit < 0 ? tracks : tracks.slice(0, limit) }
      },
      getTrackUrl: (id, quality = 'standard') =>
        ({ url: mediaUrl('audio', { id: one('tracks', id).id }, { extension: 'wav' }), quality, format: 'wav' })
    }),
    media: {
      keys: [randomBytes(32)],
      kinds: {
        audio: {
          hosts: [new URL(upstream).host],
          allowPrivate: true,
          async resolve ({ id }, { status }) {
            let isRejected = status === 401
            const { token } = await session.use(session => {
              if (!isRejected) return session
              isRejected = false
              throw new UnauthorizedError()
            })
            return { url: `${upstream}/${id}`, headers: { authorization: `Bearer ${token}` } }
          }
        }
      }
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}
