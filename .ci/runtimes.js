// Serves a song of an upstream through all parts, with the runtime that runs this file: Node, Bun or Deno.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import fastify from 'fastify'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import serveSource from 'fastify-source-origin/serve'
import { createAccountUpstream, createUpstream } from 'fastify-source-origin/upstream'

const bytes = Buffer.alloc(100_000, 'song')
const service = createServer((request, response) => {
  if (request.url === '/login') return response.end('{"token":"s1"}')
  if (request.url === '/song.mp3') {
    return response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': bytes.length }).end(bytes)
  }
  if (request.headers.authorization !== 'Bearer s1') return response.writeHead(401).end()
  response.end('{"title":"One"}')
})
await new Promise(resolve => service.listen(0, '127.0.0.1', resolve))
const port = service.address().port

const token = 'a token of sixteen characters or more'
const accounts = createAccounts({
  store: memoryAccountStore(), secret: 'at least thirty-two bytes, as it says', tokens: { ann: token }
})
const upstream = createUpstream({ baseUrl: `http://127.0.0.1:${port}` })
const ofAccount = createAccountUpstream({
  upstream,
  accounts,
  login: ({ account, upstream }) => upstream.json('/login', { json: { account } }),
  headers: session => ({ authorization: `Bearer ${session.token}` })
})
const kindAt = scheme =>
  ({ resolve: () => ({ url: `${scheme}://localhost:${port}/song.mp3` }), hosts: [`localhost:${port}`] })
const app = fastify()
await app.register(serveSource, {
  accounts,
  adapter: ({ account, signal, log, mediaUrl }) => ({
    async getTrackDetail (id) {
      const { title } = await ofAccount.for({ account, signal, log }).json(`/songs/${encodeURIComponent(id)}`)
      return { id, title, artists: [], album: { id: '1', name: 'First', coverUrl: '' }, durationMs: 1000 }
    },
    getTrackUrl: (id, kind = 'open') => ({ url: mediaUrl(kind, { id }, { extension: 'mp3' }), quality: kind })
  }),
  media: {
    keys: [Buffer.alloc(32, 1)], kinds: { open: { ...kindAt('http'), allowPrivate: true }, guarded: kindAt('https') }
  }
})
await app.listen({ port: 0, host: '127.0.0.1' })
const origin = `http://127.0.0.1:${app.server.address().port}`
const data = async path => (await (await fetch(origin + path, { headers: { authorization: token } })).json()).data

assert.equal((await data('/v1/track?id=1')).title, 'One')
const song = await fetch((await data('/v1/track/url?id=1&quality=open')).url)
assert.equal(song.status, 200)
assert.ok(Buffer.from(await song.arrayBuffer()).equals(bytes))
// The guard against private networks: no connection is made at all.
let connections = 0
service.on('connection', () => { connections++ })
assert.equal((await fetch((await data('/v1/track/url?id=1&quality=guarded')).url)).status, 502)
assert.equal(connections, 0)

const page = await fetch(`${origin}/`)
assert.match(await page.text(), /<title>/)

await app.close()
await upstream.close()
await new Promise(resolve => service.close(resolve))
const { bun, deno, node } = process.versions
console.log(`${bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node v${node}`}: a song through all parts`)
