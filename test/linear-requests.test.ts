import fastify from 'fastify'
import sourceOrigin, { BadRequestError, type SourceAdapter } from 'fastify-source-origin'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createSigner, mediaProxy, withoutQueries } from 'fastify-source-origin/media'
import sourcePage from 'fastify-source-origin/page'
import { createUpstream } from 'fastify-source-origin/upstream'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { testLinear } from './example/test-linear.ts'
import { dataOf, logged, token } from './helper.ts'

// Whole requests: what Fastify hands on of headers, queries and bodies, and what adapters and upstreams answer.

/** What an upstream and an adapter answer. */
let status = 200
let headers: Record<string, string> = {}
let body = ''
let answer: () => unknown = () => dataOf('getTrackDetail')
/** The caller's header is in the messages of errors, as it is in those of HTTP libraries. */
let authorization = ''

const server = createServer((_request, response) => response.writeHead(status, headers).end(body))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => { server.closeAllConnections(); server.close() })
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const upstream = createUpstream({ baseUrl: origin, retries: 0, breaker: false })
t.teardown(() => upstream.close())

const accounts = createAccounts({ store: memoryAccountStore(), tokens: { one: token } })
const signer = createSigner({ keys: [Buffer.alloc(32, 1)], ttl: 3_600_000 })
const adapter = {
  getTrackDetail: () => answer(), searchTracks: () => answer(), favoriteTrack: () => answer()
} as unknown as SourceAdapter

async function start (validateResponses: boolean) {
  const app = fastify({ logger: logged().logger })
  t.teardown(() => app.close())
  withoutQueries(app)
  const cache = createSourceCache({ maxAge: 60_000 })
  await app.register(sourceOrigin, {
    validateResponses,
    cache,
    async resolveContext ({ authorization: given }) {
      if (given === authorization) return { adapter }
      const account = await accounts.find(given)
      return account && { adapter, stateless: false, account: account.id }
    }
  })
  await app.register(sourcePage, { path: '/page' })
  const location = { url: `${origin}/song` }
  await app.register(mediaProxy, {
    signer, kinds: { audio: { resolve: () => location, hosts: [new URL(origin).host], allowPrivate: true } }
  })
  await app.ready()
  return app
}
const app = await start(true)
const production = await start(false)
const song = app.mediaUrl('audio', { id: '1' }, { extension: 'mp3' })

/** Without what no header can hold. */
const inHeader = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ')
const inUrl = encodeURIComponent
const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { authorization: token, ...headers } })
const post = (payload: string, type = 'application/json') =>
  app.inject({
    method: 'POST', url: '/v1/track/favorite', payload, headers: { authorization: token, 'content-type': type }
  })

const ofRequests = [
  'accept-encoding', 'authorization', 'cache-control', 'host', 'if-modified-since', 'if-none-match', 'if-range',
  'range', 'x-forwarded-host'
]
testLinear(t, {
  ...Object.fromEntries(ofRequests.map(name => [`a request with ${name}`, (text: string) =>
    Promise.all(['/v1/track?id=1', '/page/', song].map(url => get(url, { [name]: inHeader(text) })))])),
  'a path below /v1': text => get(`/v1/${inUrl(text)}`),
  'a path with slashes': text => get(`/v1/${encodeURI(text)}`),
  'a path of the page': text => get(`/page/${encodeURI(text)}`),
  'a media URL': text =>
    get(`/media/audio/${inUrl(text)}/${inUrl(text)}?expires=${inUrl(text)}&signature=${inUrl(text)}`),
  'a redirect': text => get(`/v1/track/fm?${encodeURI(text)}`),
  'a query': text => get(`/v1/search/tracks?${encodeURI(text)}`),
  'the values of parameters': text => get(`/v1/search/tracks?keyword=${inUrl(text)}&limit=${inUrl(text)}`),
  'a parameter that is repeated': text =>
    get(`/v1/search/tracks?${[...text].map(character => `keyword=${inUrl(character)}`).join('&')}`),
  'the type of a body': text => post('{}', inHeader(text)),
  'a body': text => post(text),
  'a member of a body': text => post(JSON.stringify({ id: text, status: text })),
  'an unknown member of a body': text => post(JSON.stringify({ id: '1', [text]: 1 })),
  'a body of many members': text =>
    post(JSON.stringify(Object.fromEntries([...text].map((character, at) => [character + at, at]))))
}, { random: 3 })

const asked = async (given: () => unknown) => {
  answer = given
  for (const host of [app, production]) {
    await host.inject({ url: '/v1/track?id=2', headers: { authorization, 'cache-control': 'no-cache' } })
  }
}
const track = dataOf('getTrackDetail')
const thrown = (error: Error, given = '') => {
  authorization = `Bearer ${given}`
  return asked(() => { throw error })
}

testLinear(t, {
  'the texts of an answer': text =>
    asked(() => ({ ...track, id: text, title: text, durationMs: text, album: { ...track.album, publishTime: text } })),
  'the members of an answer': text => asked(() =>
    ({ ...track, [text]: 1, ...Object.fromEntries([...text].map((character, at) => [character + at, at])) })),
  'the items of an answer': text =>
    asked(() => ({ ...track, artists: [...text].map(id => ({ id, name: 1 })), aliases: [...text] })),
  'the message of an error': text => thrown(new BadRequestError(text)),
  'the message of an error of a library': text =>
    thrown(Object.assign(new Error(text), { status: 502, cause: new Error(text) })),
  'the message of an error that has the caller\'s header': text =>
    thrown(Object.assign(new Error(text), { status: 502 }), inHeader(text))
}, { random: 3 })

/** What the upstream answers, to a call and to the proxy. */
const told = async (given: number, name: string, text: string, ofMedia = given) => {
  status = given
  headers = { [name]: inHeader(text) }
  body = 'a song'
  await upstream.text('/').catch(() => {})
  status = ofMedia
  await app.inject(song)
}
const read = (text: string) => {
  status = 200
  headers = {}
  body = text
  return Promise.all([upstream.json('/').catch(() => {}), upstream.text('/')])
}

testLinear(t, {
  'the body of an upstream': read,
  'the JSON of an upstream': text => read(JSON.stringify([text, ...text])),
  ...Object.fromEntries(['content-encoding', 'content-type', 'etag', 'last-modified'].map(name =>
    [`the ${name} of an upstream`, (text: string) => told(200, name, text)])),
  'the part that an upstream sends': text => told(206, 'content-range', `bytes ${text}`),
  'the place that an upstream leads to': text => told(302, 'location', `/${text}`),
  // The proxy pauses after a 503, and a 429 limits the calls after it. Each part gets the status without a pause.
  'the time that an upstream asks for': text => told(503, 'retry-after', text, 429)
}, { random: 3 })
